/*
   Sums over all blocks of a grid whose blocks are all resident, which are also barriers, and barriers among some of the
   blocks. The memory model of PTX orders all accesses: release and acquire patterns at device scope, and words of 16
   bytes that are read and written whole. Deterministic: every block adds the blocks' parts in the same order. Has no
   PETSc objects.
*/
#pragma once

#include <cstddef>

namespace heptane
{

/* A block's part of a sum; tag is the number of the sum and tells readers that the part is valid */
struct alignas(16) TaggedPart {
  double             part;
  unsigned long long tag;
};

template <bool RELEASE>
__device__ __forceinline__ void store_tagged(TaggedPart *p, double part, unsigned long long tag)
{
  const long long bits = __double_as_longlong(part);

  if (RELEASE)
    asm volatile("{\n\t.reg .b128 both;\n\tmov.b128 both, {%1, %2};\n\tst.release.gpu.global.b128 [%0], both;\n\t}" ::"l"(p), "l"(bits), "l"(tag) : "memory");
  else
    asm volatile("{\n\t.reg .b128 both;\n\tmov.b128 both, {%1, %2};\n\tst.relaxed.gpu.global.b128 [%0], both;\n\t}" ::"l"(p), "l"(bits), "l"(tag) : "memory");
}

__device__ __forceinline__ TaggedPart load_tagged(const TaggedPart *p)
{
  long long          part;
  unsigned long long tag;

  asm volatile("{\n\t.reg .b128 both;\n\tld.relaxed.gpu.global.b128 both, [%2];\n\tmov.b128 {%0, %1}, both;\n\t}" : "=l"(part), "=l"(tag) : "l"(p) : "memory");
  return {__longlong_as_double(part), tag};
}

/*
   A release pattern with a subsequent relaxed store, for all writes of the block before its last barrier; an acquire
   pattern with a preceding relaxed load
*/
__device__ __forceinline__ void fence_device()
{
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/*
   memory: bytes(blocks), zero before the kernel. All threads of all blocks make the same calls in the same order.
   COPIES: every block publishes its parts COPIES times, and reads one copy: fewer readers per cache line. 4 is the best
   of 1, 2, 4, 8 on H200.
*/
template <int THREADS, int COPIES = 4>
class GridReduce {
public:
  static constexpr int warps = THREADS / 32, max_sums = 4, flag_stride = 8; /* one flag every 32 bytes */
  static constexpr int together = 5;                                        /* parts that a lane loads before it tests the first: one round for 160 blocks */

  struct Shared {
    double warp[max_sums][warps]; /* parts of the block's warps */
    double grid[max_sums];
  };

  static constexpr std::size_t bytes(int blocks) { return sizeof(TaggedPart) * 2 * COPIES * max_sums * blocks + sizeof(unsigned) * flag_stride * blocks; }

  __device__ GridReduce(void *memory, Shared &shared) : shared(shared), sums(0), table(static_cast<TaggedPart *>(memory)), meetings(0) {}

  /*
     sum[k] = v[k] summed over all threads of all blocks, the same bits in every block: calls finish(sum) in one thread
     of each block; all threads of the block then see its writes to shared memory. PUBLISH: all threads of all blocks
     then see earlier writes of any thread to global memory (by ordinary loads, not the read-only path). meanwhile() is
     called in all threads to load such data while finish() computes; early() in all threads, after the block's parts
     are stored.
     Warp k adds the blocks' parts of sum k. Two tables alternate: a block can be at most one sum ahead of the slowest
     one.
  */
  template <int K, bool PUBLISH, class Finish, class Meanwhile, class Early>
  __device__ __forceinline__ void sum(const double (&v)[K], Finish &&finish, Meanwhile &&meanwhile, Early &&early)
  {
    static_assert(K <= warps, "a warp for each sum");
    constexpr int each   = 32 / K;
    const int     blocks = gridDim.x, warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    const double  part = warp_sums<K>(v);

    sums++;
    if (lane % each == 0) shared.warp[lane / each][warp] = part;
    __syncthreads();
    double total[1] = {0};
    if (warp < K) {
      TaggedPart *turn = table + static_cast<std::size_t>((sums & 1) * COPIES * max_sums + warp) * blocks;
      if (lane < COPIES) {
        const double block_part = block_sum(warp);
        store_tagged<PUBLISH>(turn + lane * max_sums * blocks + blockIdx.x, block_part, sums);
      }
      __syncwarp();
      early();
      total[0] = collect(turn + (blockIdx.x % COPIES) * max_sums * blocks);
      if (PUBLISH) fence_device();
      total[0] = warp_sums<1>(total);
      if ((K > 1 || PUBLISH) && lane == 0) shared.grid[warp] = total[0];
    } else early();
    /* The last warp is the most likely to have no loads in flight that it would have to wait for */
    constexpr bool split    = K > 1 || PUBLISH;
    constexpr int  finisher = split ? THREADS - 32 : 0;
    if (split) __syncthreads();
    meanwhile();
    if (threadIdx.x == finisher) {
      double all[K];
#pragma unroll
      for (int k = 0; k < K; k++) all[k] = split ? shared.grid[k] : total[0];
      finish(all);
    }
    __syncthreads();
  }
  /* RanksReduce has warps that add no parts and call overlapped(); here all other warps wait at the barrier */
  template <int K, bool PUBLISH, class Finish, class Meanwhile, class Early, class Overlapped>
  __device__ __forceinline__ void sum(const double (&v)[K], Finish &&finish, Meanwhile &&meanwhile, Early &&early, Overlapped &&)
  {
    sum<K, PUBLISH>(v, finish, meanwhile, early);
  }
  template <int>
  __device__ __forceinline__ bool adds() const
  {
    return true;
  }
  template <int K, bool PUBLISH, class Finish, class Meanwhile>
  __device__ __forceinline__ void sum(const double (&v)[K], Finish &&finish, Meanwhile &&meanwhile)
  {
    sum<K, PUBLISH>(v, finish, meanwhile, [] {});
  }
  template <int K, bool PUBLISH, class Finish>
  __device__ __forceinline__ void sum(const double (&v)[K], Finish &&finish)
  {
    sum<K, PUBLISH>(
      v, finish, [] {}, [] {});
  }

  /* Number of the last sum, from 1 on */
  __device__ __forceinline__ unsigned long long number() const
  {
    return sums;
  }

  /*
     Waits for `partners` blocks: blockIdx.x + partner[j], if such a block exists. Every thread then sees their earlier
     writes to global memory. The relation is symmetric: if a is a partner of b, b must be a partner of a. meanwhile()
     is called in all threads once the block has announced its arrival.
  */
  template <class Meanwhile>
  __device__ __forceinline__ void neighbor_barrier(const int partner[], int partners, Meanwhile &&meanwhile)
  {
    neighbor_barrier(
      partner, partners,
      [](auto &&ready) {
        while (!ready()) {}
      },
      meanwhile);
  }
  __device__ __forceinline__ void neighbor_barrier(const int partner[], int partners)
  {
    neighbor_barrier(partner, partners, [] {});
  }
  /* wait(ready): until ready() is true */
  template <class Wait, class Meanwhile>
  __device__ __forceinline__ void neighbor_barrier(const int partner[], int partners, Wait &&wait, Meanwhile &&meanwhile)
  {
    unsigned *flag = reinterpret_cast<unsigned *>(table + 2 * COPIES * max_sums * static_cast<std::size_t>(gridDim.x));

    meetings++;
    __syncthreads();
    if (threadIdx.x == 0) {
      fence_device();
      asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(flag + flag_stride * blockIdx.x), "r"(meetings) : "memory");
    }
    meanwhile();
    if (threadIdx.x < 32) {
      for (int j = threadIdx.x; j < partners; j += 32) {
        const int block = static_cast<int>(blockIdx.x) + partner[j];
        if (block >= 0 && block < static_cast<int>(gridDim.x)) {
          wait([&] {
            unsigned seen;
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag + flag_stride * block) : "memory");
            return static_cast<int>(seen - meetings) >= 0;
          });
        }
      }
      fence_device();
    }
    __syncthreads();
  }

protected:
  /*
     Sums of K values over the lanes of a warp, for K of 1, 2 and 4. Lane k * 32 / K returns the sum of value k (so do the 32 / K - 1 lanes after it).
     The values are halved among the lanes while they are summed: 6 exchanges for 4 values instead of 20.
  */
  template <int K>
  static __device__ __forceinline__ double warp_sums(const double (&v)[K])
  {
    static_assert(K == 1 || K == 2 || K == 4, "1, 2 or 4 sums");
    const unsigned lane = threadIdx.x & 31;
    double         a[K];

#pragma unroll
    for (int k = 0; k < K; k++) a[k] = v[k];
#pragma unroll
    for (int held = K, step = 16; step; step /= 2) {
      if (held > 1) {
        const bool upper = lane & step;
        held /= 2;
#pragma unroll
        for (int k = 0; k < K / 2; k++) {
          if (k < held) {
            const double keep = upper ? a[k + held] : a[k], give = upper ? a[k] : a[k + held];
            a[k] = keep + __shfl_xor_sync(~0u, give, step);
          }
        }
      } else a[0] += __shfl_xor_sync(~0u, a[0], step);
    }
    return a[0];
  }

  /* Sum over the block's warps: pairs, so that the loads overlap and the additions do not wait for each other */
  __device__ __forceinline__ double block_sum(int k) const
  {
    double a[warps];

#pragma unroll
    for (int w = 0; w < warps; w++) a[w] = shared.warp[k][w];
#pragma unroll
    for (int step = 1; step < warps; step *= 2)
#pragma unroll
      for (int w = 0; w + step < warps; w += 2 * step) a[w] += a[w + step];
    return a[0];
  }

  /* The lane's subtotal of the blocks' parts */
  __device__ __forceinline__ double collect(const TaggedPart *copy) const
  {
    const int blocks = gridDim.x, lane = threadIdx.x & 31;
    double    share = 0;

    for (int first = lane; first < blocks; first += 32 * together) {
      TaggedPart t[together];
      bool       all;
      do {
        all = true;
#pragma unroll
        for (int j = 0; j < together; j++) t[j] = first + 32 * j < blocks ? load_tagged(copy + first + 32 * j) : TaggedPart{0, sums};
#pragma unroll
        for (int j = 0; j < together; j++) all = all && t[j].tag == sums;
      } while (!all);
#pragma unroll
      for (int j = 0; j < together; j++) share += t[j].part;
    }
    __syncwarp();
    return share;
  }

  Shared            &shared;
  unsigned long long sums;

private:
  TaggedPart *table; /* [2][COPIES][max_sums][blocks], then flags [blocks][flag_stride] */
  unsigned    meetings;
};

} // namespace heptane

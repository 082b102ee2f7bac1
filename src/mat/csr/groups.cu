/*
   Compressed-row products of whole matrices on the device.
*/
#include "groups.hpp"
#include "../../device/launch.hpp"
#include "pieces.cuh"
#include "ranges.hpp"

namespace heptane
{

namespace
{

constexpr int threads = csr_group_threads;

/* A thread's entries of a group, in flight together */
struct Entries {
  static constexpr int together = csr_group_entries / threads;
  Scalar               a[together];
  int                  c[together];

  __device__ __forceinline__ void load(const CsrRows &A, int begin, int entries)
  {
#pragma unroll
    for (int u = 0; u < together; u++) {
      const int p = u * threads + threadIdx.x;
      c[u]        = p < entries ? load_once(A.col + begin + p) : 0;
      a[u]        = p < entries && !A.perm ? load_once(A.values + begin + p) : Scalar(0);
    }
    if (A.perm) {
      int from[together];
#pragma unroll
      for (int u = 0; u < together; u++) from[u] = u * threads + threadIdx.x < entries ? load_once(A.perm + begin + u * threads + threadIdx.x) : 0;
#pragma unroll
      for (int u = 0; u < together; u++) a[u] = u * threads + threadIdx.x < entries ? A.values[from[u]] : Scalar(0);
    }
  }
  __device__ __forceinline__ void multiply(int entries, const Scalar *__restrict__ x, Scalar *product) const
  {
#pragma unroll
    for (int u = 0; u < together; u++) {
      const int p = u * threads + threadIdx.x;
      if (p < entries) product[p] = a[u] * x[c[u]];
    }
  }
};

/* A thread's data of the row that its lanes share, loaded ahead of use */
struct Row {
  int from = 0, to = 0, place = 0;

  __device__ __forceinline__ void load(const CsrRows &A, int k)
  {
    from  = A.ptr[k];
    to    = A.ptr[k + 1];
    place = A.row[k];
  }
};

/* The rows of a group, whose products are complete; one turn if lanes share a row. row: the first one of this thread */
template <bool ADD, bool UNEVEN>
__device__ __forceinline__ void sum_rows(const CsrRows &A, const CsrGroup &group, int last, int lanes, Row row, const CsrPieces &cuts, const Scalar *product,
                                         Scalar *__restrict__ z)
{
  const int begin = group.entry, lane = threadIdx.x % lanes, here = threadIdx.x % 32;

  for (int some = group.row; some < last; some += threads / lanes) {
    const int  k    = some + threadIdx.x / lanes;
    const bool mine = k < last;

    if (mine && some > group.row) row.load(A, k);
    const bool long_row = UNEVEN && mine && csr_group_long(row.to - row.from, lanes);
    Scalar     sum      = mine && !long_row ? csr_group_sum(product, row.from - begin, row.to - begin, lane, lanes) : Scalar(0);

    for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    for (unsigned left = UNEVEN ? __ballot_sync(0xffffffffu, long_row && lane == 0) : 0; left; left &= left - 1) {
      const int whose = __ffs(left) - 1, first = __shfl_sync(0xffffffffu, row.from, whose), end = __shfl_sync(0xffffffffu, row.to, whose);
      Scalar    all = csr_group_sum(product, first - begin, end - begin, here, 32);

#pragma unroll
      for (int d = 16; d > 0; d /= 2) all += __shfl_xor_sync(0xffffffffu, all, d);
      if (here == whose) sum = all;
    }
    const bool is_cut = UNEVEN && row.place < 0;
    if (mine && lane == 0 && !is_cut) z[row.place] = ADD ? z[row.place] + sum : sum;
    for (unsigned left = UNEVEN ? __ballot_sync(0xffffffffu, mine && lane == 0 && is_cut) : 0; left; left &= left - 1) {
      const int whose = __ffs(left) - 1, cut = ~__shfl_sync(0xffffffffu, row.place, whose);
      Scalar    all = __shfl_sync(0xffffffffu, sum, whose);
      int       owner;

      if (csr_piece_ready(cuts, cut, here, &owner, &all) && here == 0) z[cuts.list.row[owner]] = ADD ? z[cuts.list.row[owner]] + all : all;
    }
  }
}

/* The groups of this block if each multiprocessor has a range. taken: see launch_csr_groups(); the last block to claim
   a place resets it to zeros */
__device__ CsrTurns turns_of_block(int groups, unsigned *taken, int processors)
{
  __shared__ int place;
  const int      per = gridDim.x / processors;

  if (threadIdx.x == 0) {
    unsigned here;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
    place = csr_place(static_cast<int>(here), processors, per, [&](int s) { return atomicAdd(taken + s, 1u); });
    __threadfence(); /* orders the ticket before the reset by the last block */
    if (atomicAdd(taken + processors, 1u) == gridDim.x - 1) {
      __threadfence();
      for (int s = 0; s <= processors; s++) taken[s] = 0;
    }
  }
  __syncthreads();
  return csr_turns(place, groups, processors, per);
}

/*
   Computes  z[row[k]] = (A x)_k, or +=; the last finished cut of a long row adds all of its cuts
   Threads   a block per group: adjacent threads load adjacent entries, then adjacent lanes share a row; a warp sums its
             long rows one after another. RANGES: a block processes several groups of its multiprocessor's range and
             loads the next group while it sums
   Bytes     per entry sizeof(Scalar) + 4 (+ 4 with perm, whose values are gathered), per row 8 + sizeof(Scalar), with
             ADD one more sizeof(Scalar), per group 8, per cut 4 + 2 sizeof(Scalar); x gathered; sizeof(Scalar) *
             csr_group_entries of shared memory
   Order     deterministic: each lane ascending, lanes by a fixed butterfly, cuts as csr_pieces_sum(); the number of
             lanes depends only on the pattern, not on the block that processes the group
*/
template <bool ADD, bool UNEVEN, bool RANGES>
__global__ void __launch_bounds__(threads)
  csr_groups_kernel(CsrRows A, CsrGroupList list, CsrPieces cuts, unsigned *taken, int processors, const Scalar *__restrict__ x, Scalar *__restrict__ z)
{
  __shared__ Scalar product[csr_group_entries];
  CsrTurns          turns = {static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.x) + 1, 1};
  Entries           entries;

  if constexpr (RANGES) {
    A.perm = nullptr;
    turns  = turns_of_block(list.count, taken, processors);
    if (turns.first >= turns.end) return;
  }
  int      g     = turns.first;
  CsrGroup group = list.group[g], end = list.group[g + 1];

  entries.load(A, group.entry, end.entry - group.entry);
  for (;;) {
    const int lanes = csr_group_lanes(end.row - group.row), k = group.row + threadIdx.x / lanes;
    bool      more = false;
    CsrGroup  next = group, next_end = end;
    Row       row;

    if (k < end.row) row.load(A, k);

    if constexpr (RANGES) {
      g += turns.step;
      more = g < turns.end;
      if (more) {
        next     = list.group[g];
        next_end = list.group[g + 1];
      }
    }
    entries.multiply(end.entry - group.entry, x, product);
    if (more) entries.load(A, next.entry, next_end.entry - next.entry);
    __syncthreads();
    sum_rows<ADD, UNEVEN>(A, group, end.row, lanes, row, cuts, product, z);
    if (!more) return;
    __syncthreads(); /* the products are overwritten */
    group = next;
    end   = next_end;
  }
}

/*
   Computes  to[p] = values[perm[p]]
   Threads   one per entry
   Bytes     per entry 2 sizeof(Scalar) + 4, values gathered
   Order     none: every place is written once
*/
__global__ void __launch_bounds__(threads)
  csr_order_kernel(const Scalar *__restrict__ values, const int *__restrict__ perm, std::size_t n, Scalar *__restrict__ to)
{
  const std::size_t p = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;

  if (p < n) to[p] = values[load_once(perm + p)];
}

template <auto Kernel>
cudaError_t launch_ranges(const CsrRows &A, const CsrGroupList &groups, const CsrPieces &cuts, const CsrRanges &ranges, const Scalar *x, Scalar *z,
                          cudaStream_t stream)
{
  static int resident = 0; /* blocks of this kernel on a multiprocessor */

  if (!resident) {
    const cudaError_t err = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, Kernel, threads, 0);
    if (err != cudaSuccess) return err;
  }
  Kernel<<<static_cast<unsigned>(ranges.processors * resident), threads, 0, stream>>>(A, groups, cuts, ranges.taken, ranges.processors, x, z);
  return cudaGetLastError();
}

template <bool ADD, bool UNEVEN>
cudaError_t launch_groups(const CsrRows &A, const CsrGroupList &groups, const CsrPieces &cuts, const CsrRanges &ranges, const Scalar *x, Scalar *z,
                          cudaStream_t stream)
{
  if (ranges.taken && !A.perm) return launch_ranges<csr_groups_kernel<ADD, UNEVEN, true>>(A, groups, cuts, ranges, x, z, stream);
  csr_groups_kernel<ADD, UNEVEN, false><<<static_cast<unsigned>(groups.count), threads, 0, stream>>>(A, groups, cuts, nullptr, 0, x, z);
  return cudaGetLastError();
}

} // namespace

cudaError_t launch_csr_order(const Scalar *values, const int *perm, std::size_t n, Scalar *to, cudaStream_t stream)
{
  if (!n) return cudaSuccess;
  csr_order_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(values, perm, n, to);
  return cudaGetLastError();
}

cudaError_t launch_csr_groups(const CsrRows &A, const CsrGroupList &groups, const CsrPieces &cuts, const CsrRanges &ranges, bool add, const Scalar *x,
                              Scalar *z, cudaStream_t stream)
{
  if (!A.count) return cudaSuccess;
  if (groups.uneven)
    return add ? launch_groups<true, true>(A, groups, cuts, ranges, x, z, stream) : launch_groups<false, true>(A, groups, cuts, ranges, x, z, stream);
  return add ? launch_groups<true, false>(A, groups, cuts, ranges, x, z, stream) : launch_groups<false, false>(A, groups, cuts, ranges, x, z, stream);
}

} // namespace heptane

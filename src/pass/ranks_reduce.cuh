/*
   Sums over all blocks of the kernels of all ranks, with the interface of GridReduce: blocks of other ranks store their
   parts as blocks of this rank do. Barriers among blocks of one rank also end if a rank does not arrive. Has no PETSc
   objects.
*/
#pragma once

#include "../comm/peer_grid.hpp"
#include "../device/grid_reduce.cuh"

namespace heptane
{

/*
   The numbers of sums continue from kernel to kernel; see PeerGrid for why two tables suffice. Sums are NaN if a rank
   does not arrive within the limit.
*/
template <int THREADS>
class RanksReduce : public GridReduce<THREADS, PeerGrid::copies> {
  using Base = GridReduce<THREADS, PeerGrid::copies>;

public:
  static_assert(Base::max_sums <= PeerGrid::most_sums && PeerGrid::remote_copies * PeerGrid::most_ranks <= 32 && PeerGrid::copies <= 32,
                "a lane for each copy of a part");

  struct Shared : Base::Shared {
    double of_rank[Base::max_sums][PeerGrid::most_ranks];
  };

  __device__ RanksReduce(void *memory, Shared &all, const PeerGrid &grid) : Base(memory, all), G(grid), of_all(all) { this->sums = peer_formed(G); }

  /*
     As GridReduce::sum(), over all ranks; PUBLISH: to the blocks of this rank. Warp k stores the block's part of sum k
     for its own rank, warp K + k for the other ranks; then one warp per sum and rank adds the parts. A block adds the
     ranks' sums in rank order.
     Order: a fence of the device precedes the parts for the own rank, as only blocks of this device read the published
     data. Words for other ranks have no fence. A fence waits until all words that its warp has sent to other GPUs have
     arrived: hence the warps that send them do not publish or add own parts. Acquiring loads instead of the fence after
     the parts made each sum 0.3 us longer.
  */
  template <int K, bool PUBLISH, class Finish, class Meanwhile, class Early, class Overlapped>
  __device__ __forceinline__ void sum(const double (&v)[K], Finish &&finish, Meanwhile &&meanwhile, Early &&early, Overlapped &&overlapped)
  {
    static_assert(2 * K <= Base::warps, "two warps for each sum");
    constexpr int       each = 32 / K;
    const int           warp = threadIdx.x / 32, lane = threadIdx.x & 31, block = static_cast<int>(blockIdx.x);
    const double        part   = Base::template warp_sums<K>(v);
    const std::uint64_t number = ++this->sums;

    if (lane % each == 0) of_all.warp[lane / each][warp] = part;
    __syncthreads();
    if (warp < K) {
      const double block_part = this->block_sum(warp);
      if (PUBLISH) fence_device();
      if (lane < PeerGrid::copies) peer_part_to(G, G.rank, warp, number, lane, block, block_part);
      __syncwarp();
    } else if (warp < 2 * K) {
      const double block_part = this->block_sum(warp - K);
      const int    r          = lane / PeerGrid::remote_copies;
      if (r < G.ranks && r != G.rank) peer_part_to(G, r, warp - K, number, lane % PeerGrid::remote_copies, block, block_part);
      __syncwarp();
    }
    early();
    if (!adds<K>()) overlapped();
    for (int task = first_task<K>(); task < K * G.ranks; task += Base::warps) {
      const int k = task % K, r = (task / K + G.rank) % G.ranks; /* parts of the own rank first */
      double    total[1] = {peer_share(G, k, number, block, r, lane, 32)};

      __syncwarp();
      if (PUBLISH && r == G.rank) fence_device();
      total[0] = Base::template warp_sums<1>(total);
      if (lane == 0) of_all.of_rank[k][r] = total[0];
    }
    __syncthreads();
    meanwhile();
    if (threadIdx.x == THREADS - 32) {
      double all[K];
#pragma unroll
      for (int k = 0; k < K; k++) {
        all[k] = of_all.of_rank[k][0];
        for (int r = 1; r < G.ranks; r++) all[k] += of_all.of_rank[k][r];
      }
      finish(all);
    }
    __syncthreads();
  }
  template <int K, bool PUBLISH, class Finish, class Meanwhile, class Early>
  __device__ __forceinline__ void sum(const double (&v)[K], Finish &&finish, Meanwhile &&meanwhile, Early &&early)
  {
    sum<K, PUBLISH>(v, finish, meanwhile, early, [] {});
  }
  template <int K, bool PUBLISH, class Finish>
  __device__ __forceinline__ void sum(const double (&v)[K], Finish &&finish)
  {
    sum<K, PUBLISH>(
      v, finish, [] {}, [] {});
  }

  /*
     Whether the warp adds parts of a sum of K values. The other warps call overlapped() meanwhile, which may wait for
     data sent before a part was stored
  */
  template <int K>
  __device__ __forceinline__ bool adds() const
  {
    return first_task<K>() < K * G.ranks;
  }

  /*
     After a barrier that times out the block continues with the data at hand: the missing blocks store no parts of the
     next sum, which fails too
  */
  template <class Meanwhile>
  __device__ __forceinline__ void neighbor_barrier(const int partner[], int partners, Meanwhile &&meanwhile)
  {
    Base::neighbor_barrier(
      partner, partners, [&](auto &&ready) { (void)peer_wait(G.limit, ready); }, meanwhile);
  }

private:
  /* A task is the sum of the parts of one rank; warps that store parts come last */
  template <int K>
  static __device__ __forceinline__ int first_task()
  {
    return (static_cast<int>(threadIdx.x) / 32 + Base::warps - 2 * K) % Base::warps;
  }

  const PeerGrid &G;
  Shared         &of_all;
};

} // namespace heptane

/*
   The fused product on the device for a matrix with rows on other GPUs: its kernel first stores the values of u that
   other ranks need into their memory; rows with off-rank columns wait for their ghosts, after the longest run of rows
   without such columns. The rows are of any format, see product_device.cuh.
*/
#pragma once

#include "halo_rows.hpp"
#include "halo_tiles.hpp"
#include "product_device.cuh"

namespace heptane
{

/* The rows of a format with their off-rank contributions */
template <class Rows>
struct RowsWithHalo {
  template <int K>
  static constexpr int threads = Rows::template threads<K>;
  template <int K>
  static constexpr int  blocks     = Rows::template blocks<K>;
  static constexpr int  block_size = Rows::block_size, no_diagonal = Rows::no_diagonal;
  static constexpr bool cells = Rows::cells, unit = Rows::unit, has_diagonal = Rows::has_diagonal, in_single = product_in_single<Rows>;
  using Stored = typename ProductStored<Rows>::type;

  struct Place : Rows::Place {
    HaloWord word; /* loaded together with the data of the format */
  };
  const Rows          &A;
  const RemainderRows &columns;
  const PeerHalo      &H;
  const std::uint64_t  round;

  __device__ __forceinline__ int rows() const { return A.rows(); }
  __device__ __forceinline__ int block() const { return A.block(); }
  template <int K>
  __device__ __forceinline__ bool passes_u() const
  {
    return A.template passes_u<K>();
  }
  __device__ __forceinline__ Place locate(unsigned at, int i, bool active) const
  {
    Place place = {A.locate(at, i, active), {}};

    if (active) place.word = halo_word(columns, static_cast<int>(place.row));
    return place;
  }
  __device__ __forceinline__ auto diagonal(const Place &place) const { return A.diagonal(place); }
  template <class U>
  __device__ __forceinline__ Scalar multiply(const U &u, const Place &place, int skip, RowDiagonal &d) const
  {
    const Scalar y = A.multiply(u, place, skip, d);

    return y + halo_row(columns, place.word, H, round, static_cast<int>(place.row));
  }
  __device__ __forceinline__ void sync_cells() const { A.sync_cells(); }
};

/*
   The sums of HaloShared, one warp each. Otherwise a single thread, and its block, would wait for all ghosts of a row
   of a well: products of 3.4M rows with two wells are 1.2x to 1.7x faster. Two H200, b = 3
*/
template <int THREADS>
__device__ __forceinline__ void sum_shared_rows(const FusedHalo &halo, const PeerHalo &H, std::uint64_t round)
{
  const int lane = threadIdx.x & 31;

  for (int k = static_cast<int>(blockIdx.x + gridDim.x * (threadIdx.x / 32)); k < halo.shared.count; k += static_cast<int>(gridDim.x * (THREADS / 32))) {
    Scalar sum[1] = {halo_share(halo.rows, halo.shared.from[k], halo.shared.from[k + 1], lane, H, round)};

    warp_sums(sum);
    if (lane == 0) peer_store(peer_local_word(H, round, k), static_cast<double>(sum[0]), round);
  }
}

/* As publish_sums_of_ranks(); the last block to finish ends the round */
template <int THREADS, int K>
__device__ __forceinline__ void publish_sums_and_end_round(Scalar (&sums)[K], const FusedReduction &red, int at, const PeerHalo &H, std::uint64_t round)
{
  LaneSlots slots;

  if (red.peers && threadIdx.x < 32) slots = slots_of_lane<K>(*red.peers, at);
  const bool complete = grid_sums<THREADS>(sums, red.partial, red.count);

  if (complete) peer_end_round(H, round);
  if (red.peers && threadIdx.x < 32)
    if (__shfl_sync(~0u, complete, 0)) sums_of_ranks(*red.peers, slots, at, sums);
  if (complete) {
#pragma unroll
    for (int k = 0; k < K; k++) red.local_sums[at + k] = sums[k];
  }
}

/*
   Without sums: called by all threads of all blocks after they have read their ghosts. The last block to finish ends
   the round.
*/
__device__ __forceinline__ void end_round(const PeerHalo &H, std::uint64_t round)
{
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(H.arrived, 1u) == gridDim.x - 1) {
      *H.arrived = 0;
      peer_end_round(H, round);
    }
  }
}

/*
   Computes  as product_kernel, of the rows of this GPU, with the off-rank contribution added before M^-1; the sums are
             of all GPUs
   Threads   as product_kernel; before its rows each stores some of the values for other ranks, and between the rows of
             the run and the remaining rows warps form the sums of HaloShared. All blocks are resident, so that blocks
             which wait for ghosts do not keep another one from storing.
   Bytes     as product_kernel; 16 per value sent, and 16 per off-rank column of a row in addition to the 12 of its
             entry; 52 per sum of HaloShared
   Order     deterministic: the off-rank contribution is last in a row, in shares of lanes if it is a sum of HaloShared;
             a thread's rows in the order of HaloTiles; sums in the order of the ranks
*/
template <class Rows, bool MINUS, int K>
__global__ void __launch_bounds__(product_threads<Rows, K>, product_blocks<Rows, K>)
  product_halo_kernel(const __grid_constant__ Rows A, const __grid_constant__ ProductOf<Rows> P, const __grid_constant__ PeerHalo H, const FusedScalars *S,
                      const FusedReduction red, const HaloTiles order)
{
  constexpr int threads = product_threads<Rows, K>;

  wait_for_predecessor();
  const std::uint64_t round = peer_round(H);
  const auto          now   = begin_product<MINUS, K>(P, S);
  if (now.still) return;
  peer_push(H, round, FusedGather<MINUS, typename ProductStored<Rows>::type>{now.input, P.v, now.alpha}, static_cast<int>(blockIdx.x * threads + threadIdx.x),
            static_cast<int>(gridDim.x * threads));
  begin_rows<Rows, MINUS, K>(A, P, now);
  Scalar    sums[product_room<K>] = {};
  const int k                     = product_tiles<Rows, MINUS, K>(A, P, now, order, static_cast<int>(blockIdx.x), order.inner, sums);
  sum_shared_rows<threads>(P.halo, H, round);
  product_tiles<RowsWithHalo<Rows>, MINUS, K>(RowsWithHalo<Rows>{A, P.halo.rows, H, round}, P, now, order, k, order.tiles, sums);
  if constexpr (K > 0) {
    if (P.sums != no_sums) {
      publish_sums_and_end_round<threads>(sums, red, P.at, H, round);
      return;
    }
  }
  end_round(H, round);
}

/* P.halo.peers is not null; in_order: row number k of the order of storage is row k */
template <bool MINUS, int K, class Rows>
cudaError_t launch_product_halo(const Rows &A, bool in_order, const ProductOf<Rows> &P, const FusedScalars *S, const FusedReduction &red, bool early,
                                cudaStream_t stream)
{
  const HaloTiles order(A.rows(), product_rows_per_tile<Rows, K>(A), in_order ? P.halo.free : RowRun(), goes_backward(P));

  return launch_resident<product_halo_kernel<Rows, MINUS, K>>(order.tiles, product_threads<Rows, K>, A.block(), K, stream, early, red, A, P, *P.halo.peers, S,
                                                              red, order);
}

} // namespace heptane

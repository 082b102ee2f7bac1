/*
   Packs the values of u that NCCL sends, and adds the rows with many ghosts that it receives.
*/
#include "received.hpp"
#include "../../device/block_reduce.cuh"
#include "../../device/launch.hpp"
#include "gather.hpp"
#include "halo_rows.hpp"
#include "product_scalars.cuh"
#include <algorithm>

namespace heptane
{

namespace
{

constexpr int      pack_threads = 256;
constexpr unsigned pack_blocks  = 264; /* two for each of 132 multiprocessors; guess */

/*
   Computes  to[k] = u of row[k], u as the product gathers it, unless the iteration has stopped
   Threads   one per value, in strides of the grid
   Bytes     per value 4 + 2 sizeof(Scalar), with v 3 sizeof(Scalar); lines of u that hold few of the rows are read
             whole
   Order     none
*/
template <bool MINUS, int K, class T>
__global__ void __launch_bounds__(pack_threads)
  halo_pack_kernel(const __grid_constant__ FusedProductOf<T> P, const FusedScalars *S, const int *row, int rows, Scalar *to)
{
  using Gather = std::conditional_t<std::is_same_v<T, Scalar>, FusedGather<MINUS, Scalar>, SingleGather<MINUS>>;

  const auto now = begin_product<MINUS, K>(P, S);
  if (now.still) return;
  const Gather u{now.input, P.v, now.alpha};
  for (int k = static_cast<int>(blockIdx.x) * pack_threads + static_cast<int>(threadIdx.x); k < rows; k += static_cast<int>(gridDim.x) * pack_threads)
    to[k] = static_cast<Scalar>(u[static_cast<std::size_t>(row[k])]);
}

/*
   Computes  ghosts[H.spare + k] = sum number k of HaloShared
   Threads   a warp per sum
   Bytes     per entry 4 + 2 sizeof(Scalar)
   Order     deterministic: shares of lanes, then the lanes
*/
__global__ void __launch_bounds__(pack_threads) halo_shared_kernel(const __grid_constant__ FusedHalo halo, const __grid_constant__ PeerHalo H, Scalar *ghosts)
{
  const int lane = static_cast<int>(threadIdx.x) & 31, k = static_cast<int>(blockIdx.x * (pack_threads / 32) + threadIdx.x / 32);

  if (k >= halo.shared.count) return;
  Scalar sum[1] = {halo_share(halo.rows, halo.shared.from[k], halo.shared.from[k + 1], lane, H, 0)};
  warp_sums(sum);
  if (lane == 0) ghosts[H.spare + k] = sum[0];
}

template <bool MINUS, int K, class T>
cudaError_t launch(const FusedProductOf<T> &P, const FusedScalars *S, const int row[], int rows, Scalar to[], cudaStream_t stream)
{
  halo_pack_kernel<MINUS, K><<<std::min(blocks_for(rows, pack_threads), pack_blocks), pack_threads, 0, stream>>>(P, S, row, rows, to);
  return cudaGetLastError();
}

} // namespace

template <class T>
cudaError_t launch_halo_pack(const FusedProductOf<T> &P, const FusedScalars *S, const int row[], int rows, Scalar to[], cudaStream_t stream)
{
  if (!rows) return cudaSuccess;
  if (combines(P)) return launch<false, 0>(P, S, row, rows, to, stream);
  return with_product(P, [&](auto minus, auto K) { return launch<minus(), K()>(P, S, row, rows, to, stream); });
}
template cudaError_t launch_halo_pack(const FusedProductOf<Scalar> &, const FusedScalars *, const int[], int, Scalar[], cudaStream_t);
template cudaError_t launch_halo_pack(const FusedProductOf<Single> &, const FusedScalars *, const int[], int, Scalar[], cudaStream_t);

cudaError_t launch_halo_shared(const FusedHalo &halo, const PeerHalo &H, Scalar ghosts[], cudaStream_t stream)
{
  constexpr int warps = pack_threads / 32;

  if (!halo.shared.count) return cudaSuccess;
  halo_shared_kernel<<<blocks_for(halo.shared.count, warps), pack_threads, 0, stream>>>(halo, H, ghosts);
  return cudaGetLastError();
}

} // namespace heptane

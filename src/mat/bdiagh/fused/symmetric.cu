/*
   Compares diagonals with their counterparts on the other side of the main one.
*/
#include "../../../device/launch.hpp"
#include "symmetric.hpp"

namespace heptane
{

namespace
{

constexpr int threads = 256; /* guess: one pass, bound by bandwidth */

/*
   Computes  *differs = 1 if bdiagh_pair_differs() for a pair and a row
   Threads   one per row
   Bytes     4 sizeof(Scalar) per row
   Order     none: all write the same
*/
__global__ void __launch_bounds__(threads) bdiagh_pairs_differ_kernel(BdiaghPair a, BdiaghPair b, int n, int *differs)
{
  const int row = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);

  if (row < n && (bdiagh_pair_differs(a, row) || bdiagh_pair_differs(b, row))) *differs = 1;
}

} // namespace

cudaError_t launch_bdiagh_pairs_differ(const BdiaghPair &a, const BdiaghPair &b, int n, int *differs, cudaStream_t stream)
{
  if (n) bdiagh_pairs_differ_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(a, b, n, differs);
  return cudaGetLastError();
}

} // namespace heptane

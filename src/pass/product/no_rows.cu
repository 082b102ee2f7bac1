/*
   The product of a process without rows, which only contributes to the sums.
*/
#include "no_rows.hpp"
#include "../../device/chained_launch.cuh"
#include "product_scalars.cuh"

namespace heptane
{

namespace
{

constexpr int no_rows_threads = 32;

/*
   Computes  the sums of all ranks, to which no rows of this rank contribute; P states their number. Nothing after the
             iteration has stopped
   Threads   one warp
   Bytes     the scalars
   Order     of the ranks
*/
__global__ void __launch_bounds__(no_rows_threads) no_rows_kernel(const __grid_constant__ FusedProduct P, const FusedScalars *S, const FusedReduction red)
{
  Scalar one[1] = {}, four[4] = {};

  wait_for_predecessor();
  if (begin_product<false, 1>(P, S).still) return;
  if (number_of(P.sums) > 1) publish_sums_of_ranks<no_rows_threads>(four, red, P.at);
  else publish_sums_of_ranks<no_rows_threads>(one, red, P.at);
}

} // namespace

cudaError_t launch_no_rows(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  return number_of(P.sums) ? launch_chained(no_rows_kernel, 1, no_rows_threads, stream, false, P, S, red) : cudaSuccess;
}

} // namespace heptane

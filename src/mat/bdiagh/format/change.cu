/*
   Scaling by rows and columns in the block-diagonal format, on the device.
*/
#include "change.hpp"
#include "../../../device/launch.hpp"
#include "../../../device/with_block.hpp"

namespace heptane
{

namespace
{

constexpr int threads = BdiaghTuning::threads;

/*
   Computes  bdiagh_scale_row() of every row
   Threads   one per row; value columns are read and written with unit stride
   Bytes     2 sizeof(Scalar) per stored value, 2 sizeof(Scalar) per row
   Order     none
*/
template <int B>
__global__ void __launch_bounds__(threads)
  bdiagh_scale_kernel(const __grid_constant__ BdiaghDiagonals A, Scalar *values, const Scalar *__restrict__ l, const Scalar *__restrict__ r)
{
  const int row = blockIdx.x * threads + threadIdx.x;

  if (row < A.rows) bdiagh_scale_row<B>(A, values, l, r, row);
}

} // namespace

cudaError_t launch_bdiagh_scale(const BdiaghDiagonals &A, Scalar *values, const Scalar *l, const Scalar *r, cudaStream_t stream)
{
  if (!A.rows) return cudaSuccess;
  with_block(A.block, [&](auto B) { bdiagh_scale_kernel<B()><<<blocks_for(A.rows, threads), threads, 0, stream>>>(A, values, l, r); });
  return cudaGetLastError();
}

} // namespace heptane

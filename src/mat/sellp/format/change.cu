/*
   Scaling by rows and columns in the sliced ELLPACK format, on the device.
*/
#include "change.hpp"
#include "../../../device/launch.hpp"
#include "../../../device/with_block.hpp"

namespace heptane
{

namespace
{

constexpr int threads = SellpTuning::device_threads;

/*
   Computes  sellp_scale_row() of every row
   Threads   one per row, in the order of the places; value columns are read and written with unit stride
   Bytes     the index of the row's blocks, 2 sizeof(Scalar) per stored value, r gathered
   Order     none
*/
template <int B>
__global__ void __launch_bounds__(threads)
  sellp_scale_kernel(const __grid_constant__ SellpSlices A, Scalar *values, const Scalar *__restrict__ l, const Scalar *__restrict__ right)
{
  const int         b    = block_of<B>(A);
  const std::size_t rows = static_cast<std::size_t>(A.slice) * b, at = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  const int         slice = static_cast<int>(at / rows), r = static_cast<int>(at % rows);

  if (slice < A.slices && slice * A.slice + r / b < A.cells) sellp_scale_row<B>(A, values, l, right, slice, r);
}

} // namespace

cudaError_t launch_sellp_scale(const SellpSlices &A, Scalar *values, const Scalar *l, const Scalar *r, cudaStream_t stream)
{
  if (!A.slices) return cudaSuccess;
  const unsigned blocks = blocks_for(static_cast<std::size_t>(A.slices) * A.slice * A.block, threads);
  with_block(A.block, [&](auto B) { sellp_scale_kernel<B()><<<blocks, threads, 0, stream>>>(A, values, l, r); });
  return cudaGetLastError();
}

} // namespace heptane

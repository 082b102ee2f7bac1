/*
   Products with many block inverses.
*/
#include "../../device/launch.hpp"
#include "../../device/launch_policy.hpp"
#include "../../device/with_block.hpp"
#include "device.hpp"
#include "rows.hpp"
#include "tuning.hpp"

namespace heptane
{

namespace
{

/*
   Computes  y = inverse x, or its transpose
   Threads   one per row, blocks of apply_threads at most; value columns are read with unit stride, transposed in runs
             of a block
   Bytes     sizeof(Scalar) * (block + 2) per row
   Order     deterministic: ascending columns, one accumulator
*/
template <int B, bool TRANSPOSE>
__global__ void __launch_bounds__(DenseTuning::apply_threads)
  dense_apply_kernel(std::size_t rows, int block, const Scalar *inverse, std::size_t ld, const Scalar *x, Scalar *y)
{
  const std::size_t row = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;

  if (row < rows) y[row] = dense_row<B, TRANSPOSE>(inverse, ld, block, x, row);
}

} // namespace

cudaError_t launch_dense_apply(std::size_t rows, int block, const Scalar *inverse, std::size_t ld, bool transpose, const Scalar *x, Scalar *y,
                               cudaStream_t stream)
{
  if (!rows) return cudaSuccess;
  with_block(block, [&](auto B) {
    const auto         kernel = transpose ? dense_apply_kernel<B(), true> : dense_apply_kernel<B(), false>;
    const LaunchChoice c      = choose_block(LaunchFamily::dense_apply, kernel, block, rows, DenseTuning::apply_threads);
    kernel<<<blocks_for(rows, c.threads), c.threads, c.unused, stream>>>(rows, block, inverse, ld, x, y);
  });
  return cudaGetLastError();
}

} // namespace heptane

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
   Bytes     sizeof(T) * block + 2 sizeof(Scalar) per row
   Order     deterministic: ascending columns, one accumulator
*/
template <int B, bool TRANSPOSE, class T>
__global__ void __launch_bounds__(DenseTuning::apply_threads)
  dense_apply_kernel(std::size_t rows, int block, const T *inverse, std::size_t ld, const Scalar *x, Scalar *y)
{
  const std::size_t row = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;

  if (row < rows) y[row] = dense_row<B, TRANSPOSE>(inverse, ld, block, x, row);
}

/*
   Computes  dense_round_row() of every row
   Threads   one per row
   Bytes     12 block per row
   Order     deterministic: a row has one writer; integers are counted
*/
__global__ void __launch_bounds__(DenseTuning::apply_threads)
  dense_round_kernel(std::size_t rows, int block, const Scalar *from, std::size_t from_ld, Single *to, std::size_t to_ld, DenseReport *report)
{
  const std::size_t row = blockIdx.x * static_cast<std::size_t>(DenseTuning::apply_threads) + threadIdx.x;

  if (row < rows && !dense_round_row(from + row, from_ld, to + row, to_ld, block)) atomicAdd(&report->out_of_range, 1ull);
}

} // namespace

cudaError_t launch_dense_apply(std::size_t rows, int block, const Single *inverse, std::size_t ld, bool transpose, const Scalar *x, Scalar *y,
                               cudaStream_t stream)
{
  constexpr int  threads = DenseTuning::apply_threads;
  const unsigned blocks  = blocks_for(rows, threads);

  if (!rows) return cudaSuccess;
  if (transpose) dense_apply_kernel<0, true><<<blocks, threads, 0, stream>>>(rows, block, inverse, ld, x, y);
  else
    with_block_of(DenseTuning::SingleSizes(), block,
                  [&](auto B) { dense_apply_kernel<B(), false><<<blocks, threads, 0, stream>>>(rows, block, inverse, ld, x, y); });
  return cudaGetLastError();
}

cudaError_t launch_dense_round(std::size_t rows, int block, const Scalar *from, std::size_t from_ld, Single *to, std::size_t to_ld, DenseReport *report,
                               cudaStream_t stream)
{
  if (!rows) return cudaSuccess;
  dense_round_kernel<<<blocks_for(rows, DenseTuning::apply_threads), DenseTuning::apply_threads, 0, stream>>>(rows, block, from, from_ld, to, to_ld, report);
  return cudaGetLastError();
}

cudaError_t launch_dense_apply(std::size_t rows, int block, const Scalar *inverse, std::size_t ld, bool transpose, const Scalar *x, Scalar *y,
                               cudaStream_t stream)
{
  if (!rows) return cudaSuccess;
  with_block(block, [&](auto B) {
    const auto         kernel = transpose ? dense_apply_kernel<B(), true, Scalar> : dense_apply_kernel<B(), false, Scalar>;
    const LaunchChoice c      = choose_block(LaunchFamily::dense_apply, kernel, block, rows, DenseTuning::apply_threads);
    kernel<<<blocks_for(rows, c.threads), c.threads, c.unused, stream>>>(rows, block, inverse, ld, x, y);
  });
  return cudaGetLastError();
}

} // namespace heptane

/*
   Factors of lines of many unknowns per cell on the device: a warp per line, around rows/factor_rows.hpp.
*/
#include "../../../device/launch.hpp"
#include "../rows/factor_rows.hpp"
#include "device.hpp"
#include "launch.cuh"

namespace heptane
{

namespace
{

constexpr int columns = GridTuning::block_columns;

/*
   Computes  the factors of the lines of all levels
   Threads   a warp per column, along the whole line; a thread has one or two entries of a block. A thread block has
             `columns` adjacent columns of a colour, which share memory segments
   Bytes     per cell 10 B^2 sizeof(Real)
   Order     deterministic: along the line, each entry by one thread
*/
template <int B, class Real>
__global__ void __launch_bounds__(32 * columns) grid_block_factor_kernel(const GridLevel<Real> *levels, int count, GridReport *report)
{
  __shared__ double memory[columns][(GridFactorRoom<B>::bytes(B) + sizeof(double) - 1) / sizeof(double)];
  const GridWarp    warp;
  unsigned          block = blockIdx.x;

  for (int l = 0; l < count; l++) {
    const GridLevel<Real> L         = levels[l];
    const unsigned        of_colour = (static_cast<unsigned>(L.columns) + columns - 1) / columns;

    if (block < 2 * of_colour) {
      const GridFactorRoom<B> room(reinterpret_cast<Scalar *>(memory[threadIdx.x / 32]), B);
      const std::size_t       column = block % of_colour * static_cast<std::size_t>(columns) + threadIdx.x / 32;

      for (int k = 0; k < L.K && column < L.columns; k++) {
        const std::size_t c = L.at(k, block >= of_colour, column);

        if (!grid_factor_cell(L, c, k == 0, room, warp) && warp.lane == 0) grid_record_fault(report, 1u << grid_singular, c);
      }
      return;
    }
    block -= 2 * of_colour;
  }
}

} // namespace

template <class Real>
cudaError_t launch_grid_block_factor(int B, const std::vector<GridLevel<Real>> &levels, const GridLevel<Real> *there, GridReport *report, cudaStream_t stream)
{
  unsigned blocks = 0;

  for (const GridLevel<Real> &L : levels) blocks += 2 * blocks_for(L.columns, columns);
  with_unknowns(B, [&](auto b) {
    if constexpr (b() >= GridTuning::rows_apart)
      grid_block_factor_kernel<b()><<<blocks, 32 * columns, 0, stream>>>(there, static_cast<int>(levels.size()), report);
  });
  return cudaGetLastError();
}

template cudaError_t launch_grid_block_factor<float>(int, const std::vector<GridLevel<float>> &, const GridLevel<float> *, GridReport *, cudaStream_t);
template cudaError_t launch_grid_block_factor<double>(int, const std::vector<GridLevel<double>> &, const GridLevel<double> *, GridReport *, cudaStream_t);

} // namespace heptane

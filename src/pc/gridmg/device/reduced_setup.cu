/*
   The set-up of CG without red columns on the device: the matrix by colours, and the factors of red lines.
*/
#include "cost.hpp"
#include "launch.cuh"
#include "pivots.cuh"
#include "reduced_kernels.hpp"
#include "reduced_launch.cuh"

namespace heptane
{

namespace
{

constexpr int threads = GridTuning::threads;

/*
   Computes  the coefficients of GridReduced::exact
   Threads   one per place of a layer, along a part of the line
   Bytes     14 sizeof(Scalar) per cell
   Order     none
*/
template <class Real>
__global__ void __launch_bounds__(threads)
  grid_reduced_load_kernel(const __grid_constant__ GridMatrix A, const __grid_constant__ GridReduced<Real> R, const GridFlat flat)
{
  for_flat_cells(R.exact, flat, 0, [&](int k, std::size_t column, const GridColumn &) {
    for (int colour = 0; colour < 2; colour++) grid_reduced_load(A, R, k, colour, column); /* both read the same memory segments of the matrix */
  });
}

/*
   Computes  the same, and the coefficients of the finest level of the cycle
   Threads   one per place of a layer, along a part of the line
   Bytes     14 sizeof(Scalar) + 7 sizeof(Real) per cell
   Order     none, but for the report's counts
*/
template <class Real>
__global__ void __launch_bounds__(threads)
  grid_reduced_load_both_kernel(const __grid_constant__ GridMatrix A, const __grid_constant__ GridReduced<Real> R, const GridFlat flat, GridReport *report)
{
  for_flat_cells(R.exact, flat, 0, [&](int k, std::size_t column, const GridColumn &) {
    for (int colour = 0; colour < 2; colour++) {
      const unsigned faults = grid_reduced_load_both(A, R, k, colour, column);

      if (!faults) continue;
      const GridColumn C(R.exact, colour, column);
      grid_record_fault(report, faults, A.cell(k, C.j, C.i));
    }
  });
}

/*
   Computes  the factors of red lines
   Threads   a block has GridTuning::columns columns times CHUNKS chunks of CELLS cells
   Bytes     10 sizeof(Scalar) per red cell
   Order     deterministic: along the chunks, from chunk to chunk
*/
template <int CELLS, int CHUNKS, class Real>
__global__ void __launch_bounds__(GridTuning::columns *CHUNKS) grid_reduced_factor_kernel(const __grid_constant__ GridReduced<Real> R, GridReport *report)
{
  __shared__ GridPivotScan<CHUNKS> scan;

  grid_factor_lines<CELLS>(R.exact, 0, blockIdx.x * static_cast<std::size_t>(GridTuning::columns), scan,
                           [&](std::size_t) { atomicAdd(&report->count[grid_singular], 1ull); });
}

} // namespace

template <class Real>
cudaError_t launch_reduced_load(const GridMatrix &A, const GridReduced<Real> &R, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return grid_setup_cost<Real>("reduced CG, matrix", 1, grid_cells(R.exact), 14., 0.); });
  const GridFlat    flat(R, 4 * GridTuning::reduced_blocks);

  grid_reduced_load_kernel<<<flat.blocks(), threads, 0, stream>>>(A, R, flat);
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_reduced_load_both(const GridMatrix &A, const GridReduced<Real> &R, GridReport *report, cudaStream_t stream)
{
  const GridFlat flat(R, 4 * GridTuning::reduced_blocks);

  grid_reduced_load_both_kernel<<<flat.blocks(), threads, 0, stream>>>(A, R, flat, report);
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_reduced_factor(const GridReduced<Real> &R, GridReport *report, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return grid_setup_cost<Real>("reduced CG, factors of red lines", 1, grid_cells(R.exact) / 2, 10., 0.); });

  with_pivot_chunks(R.exact.K, [&](auto cells, auto chunks) {
    grid_reduced_factor_kernel<cells(), chunks()><<<blocks_for(R.exact.columns, GridTuning::columns), GridTuning::columns * chunks(), 0, stream>>>(R, report);
  });
  return cudaGetLastError();
}

#define HEPTANE_GRID_REDUCED(Real) \
  template cudaError_t launch_reduced_load<Real>(const GridMatrix &, const GridReduced<Real> &, cudaStream_t); \
  template cudaError_t launch_reduced_load_both<Real>(const GridMatrix &, const GridReduced<Real> &, GridReport *, cudaStream_t); \
  template cudaError_t launch_reduced_factor<Real>(const GridReduced<Real> &, GridReport *, cudaStream_t);
HEPTANE_GRID_REDUCED(float)
HEPTANE_GRID_REDUCED(double)
#undef HEPTANE_GRID_REDUCED

} // namespace heptane

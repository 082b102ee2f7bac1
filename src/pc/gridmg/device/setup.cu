/*
   The set-up of the structured multigrid on the device: kernels around the arithmetic of rows/setup_rows.hpp.
*/
#include "cost.hpp"
#include "../../../device/block_reduce.cuh"
#include "../../../device/launch.hpp"
#include "../rows/coarse_rows.hpp"
#include "../rows/setup_rows.hpp"
#include "device.hpp"
#include "launch.cuh"
#include "load.cuh"
#include "pivots.cuh"

namespace heptane
{

/* The factors of a line by one thread. The next cell is loaded before this one is stored. singular(c): called if the pivot of cell c is singular */
template <int B, class Real, class F>
__device__ __forceinline__ void grid_factor_line(const GridLevel<Real> L, int colour, std::size_t column, F singular)
{
  GridLine<B>     line;
  GridLineCell<B> next;

  if (L.K > 0) next.load(L, L.at(0, colour, column));
  for (int k = 0; k < L.K; k++) {
    const std::size_t c    = L.at(k, colour, column);
    GridLineCell<B>   cell = next;

    if (k + 1 < L.K) next.load(L, L.at(k + 1, colour, column));
    if (!line.factor(L, c, cell)) singular(c);
  }
}

namespace
{

constexpr int threads = GridTuning::threads, line_threads = GridTuning::line_threads, load_columns = 32;

/*
   Computes  sums over the couplings along each axis, how many there are, and the sum of the diagonal
   Threads   one per cell, as often as the grid is too small
   Bytes     7 sizeof(Scalar) per cell for one unknown
   Order     deterministic: block_reduce.cuh
*/
template <int B>
__global__ void __launch_bounds__(threads)
  grid_means_kernel(const __grid_constant__ GridMatrix A, std::size_t cells, Scalar *sums, Scalar *partial, unsigned *count)
{
  Scalar v[7] = {};

  for (std::size_t c = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x; c < cells; c += gridDim.x * static_cast<std::size_t>(threads))
    grid_means<B>(A, c, v);
  if (grid_sums<threads>(v, partial, count))
    for (int k = 0; k < 7; k++) sums[k] = v[k];
}

/*
   Computes  the coefficients of the finest level
   Threads   one per place; values are read with unit stride (every other cell) if the faster axis across is the first
             of the numbering
   Bytes     per cell (7 sizeof(Scalar) + 7 sizeof(Real)) B^2
   Order     none, but for the report's counts
*/
template <int B, class Real>
__global__ void __launch_bounds__(threads) grid_load_kernel(const __grid_constant__ GridMatrix A, const __grid_constant__ GridLevel<Real> L, GridReport *report)
{
  for_places(L, [&](int k, int colour, std::size_t column) {
    const unsigned faults = grid_load_cell<B>(A, L, k, colour, column);

    if (!faults) return;
    const GridColumn C(L, colour, column);
    grid_record_fault(report, faults, A.cell(k, C.j, C.i));
  });
}

/*
   Computes  the same for several unknowns per cell
   Threads   one per row of a cell, `load_columns` adjacent cells: threads of neighbouring rows read the same memory
             segments
   Bytes     as grid_load_kernel()
   Order     none, but for the report's counts
*/
template <int B, class Real>
__global__ void __launch_bounds__(load_columns *B)
  grid_load_rows_kernel(const __grid_constant__ GridMatrix A, const __grid_constant__ GridLevel<Real> L, GridReport *report)
{
  __shared__ GridRowBits<B, load_columns> bits;
  const GridOneRow<B, load_columns>       row(bits, static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y));
  const std::size_t                       index  = blockIdx.x * static_cast<std::size_t>(load_columns) + threadIdx.x;
  const bool                              within = index < L.columns;
  const std::size_t                       column = within ? index : L.columns - 1; /* repeats the last one, with the same values */

  for (int layer = blockIdx.y; layer < 2 * L.K; layer += gridDim.y) {
    const int      k = layer >> 1, colour = layer & 1;
    const unsigned mine = grid_load_cell<B>(
      A, L, k, colour, column, [](std::size_t, const Scalar(&)[grid_slots], Scalar) {}, row);
    const unsigned faults = row.faults(mine);

    if (!within || threadIdx.y || !faults) continue;
    const GridColumn C(L, colour, column);
    grid_record_fault(report, faults, A.cell(k, C.j, C.i));
  }
}

/*
   Computes  the coefficients of a level from the previous level
   Threads   one per coarse place
   Bytes     per fine cell 7 B^2 sizeof(Real), per coarse cell the same; 5 instead of 7 if couplings have 16 bits, below
             too
   Order     deterministic: along i, then along j
*/
template <int B, class Real>
__global__ void __launch_bounds__(threads) grid_coarsen_kernel(const __grid_constant__ GridLevel<Real> F, const __grid_constant__ GridLevel<Real> C)
{
  for_places(C, [&](int k, int colour, std::size_t column) { grid_coarse_cell<B>(F, C, k, colour, column); });
}

/*
   Computes  the same of many unknowns per cell
   Threads   one per row of a coarse place
   Bytes     as grid_coarsen_kernel()
   Order     deterministic: along i, then along j
*/
template <class Real>
__global__ void __launch_bounds__(threads) grid_coarsen_rows_kernel(const __grid_constant__ GridLevel<Real> F, const __grid_constant__ GridLevel<Real> C)
{
  for_places(C, [&](int k, int colour, std::size_t column) { grid_coarse_cell<0>(F, C, k, colour, column, static_cast<int>(blockIdx.z)); });
}

/*
   Computes  the factors of the lines of all levels, which are independent of each other; several unknowns per cell
   Threads   one per column of both colours, along the whole line
   Bytes     per cell 10 B^2 sizeof(Real)
   Order     deterministic: along the line
*/
template <int B, class Real>
__global__ void __launch_bounds__(line_threads) grid_factor_kernel(const GridLevel<Real> *levels, int count, GridReport *report)
{
  std::size_t place = blockIdx.x * static_cast<std::size_t>(line_threads) + threadIdx.x;

  for (int l = 0; l < count; l++) {
    const std::size_t columns = levels[l].columns;

    if (place < 2 * columns) {
      grid_factor_line<B>(levels[l], place >= columns, place % columns, [&](std::size_t c) { grid_record_fault(report, 1u << grid_singular, c); });
      return;
    }
    place -= 2 * columns;
  }
}

/*
   Computes  the same of one unknown per cell
   Threads   a block has GridTuning::columns columns of a colour times CHUNKS chunks of CELLS cells
   Bytes     per cell 10 sizeof(Real)
   Order     deterministic: along the chunks, from chunk to chunk
*/
template <int CELLS, int CHUNKS, class Real>
__global__ void __launch_bounds__(GridTuning::columns *CHUNKS, sizeof(Real) > 4 ? 1
                                                               : CHUNKS == 32   ? 2
                                                                                : 3)
  grid_factor_lines_kernel(const GridLevel<Real> *levels, int count, GridReport *report)
{
  __shared__ GridPivotScan<CHUNKS> scan;
  unsigned                         block = blockIdx.x;

  for (int l = 0; l < count; l++) {
    const GridLevel<Real> L         = levels[l];
    const unsigned        of_colour = (static_cast<unsigned>(L.columns) + GridTuning::columns - 1) / GridTuning::columns;

    if (block < 2 * of_colour) {
      grid_factor_lines<CELLS>(L, block >= of_colour, block % of_colour * static_cast<std::size_t>(GridTuning::columns), scan,
                               [&](std::size_t c) { grid_record_fault(report, 1u << grid_singular, c); });
      return;
    }
    block -= 2 * of_colour;
  }
}

/*
   Computes  sums of remainder: to[t] = or at[place[t]] += scaled sum of from[source]
   Threads   one per target
   Bytes     per source sizeof(From) + 4, per target 12 + sizeof(Real)
   Order     deterministic: that of the list
*/
template <class Real, class From>
__global__ void __launch_bounds__(threads) grid_remainder_sum_kernel(GridSums S, const From *from, Scalar scale, bool add, Real *to)
{
  const int t = blockIdx.x * threads + threadIdx.x;

  if (t < S.count) grid_remainder_sum(S, from, scale, add, to, t);
}

/*
   Computes  the remainder entries of each row added to the sums of its block row, or subtracted
   Threads   a warp per row with remainder entries
   Bytes     per remainder entry B (8 + sizeof(Real)), per row 2 B sizeof(Real)
   Order     deterministic: along the row by lanes, then a fixed tree
*/
template <class Real>
__global__ void __launch_bounds__(threads) grid_remainder_row_sum_kernel(const __grid_constant__ GridLevel<Real> L, int B, GridRemainder<Real> K, Real sign)
{
  const GridLane of = lane_of_warp();
  const int      r  = warp_number();

  for (int s = 0; r < K.rows && s < B; s++) {
    const Real sum = sum_of_warp(grid_remainder_row_sum(L, K, r, s, of));

    if (of.lane == 0) grid_remainder_add_row_sum(L, B, K, r, s, sign * sum);
  }
}

template <class Real, class From>
cudaError_t launch_remainder_sum(const GridSums &S, const From *from, Scalar scale, bool add, Real *to, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { /* each has at least one source; only the device has the number of additional ones */
                                        return DeclaredPass{"gridmg set-up: remainder entries", (sizeof(From) + 16. + sizeof(Real)) * S.count};
  });

  if (!S.count) return cudaSuccess;
  grid_remainder_sum_kernel<<<blocks_for(S.count, threads), threads, 0, stream>>>(S, from, scale, add, to);
  return cudaGetLastError();
}

} // namespace

cudaError_t launch_grid_means(const GridMatrix &A, int B, std::size_t cells, Scalar *sums, Scalar *partial, unsigned *count, cudaStream_t stream)
{
  const unsigned blocks = std::max(1u, std::min(blocks_for(cells, threads), static_cast<unsigned>(GridTuning::means_blocks)));

  with_unknowns(B, [&](auto b) { grid_means_kernel<b()><<<blocks, threads, 0, stream>>>(A, cells, sums, partial, count); });
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_grid_load(const GridMatrix &A, int B, const GridLevel<Real> &L, GridReport *report, cudaStream_t stream)
{
  const GridLaunch over(L.columns, 2 * static_cast<std::size_t>(L.K));
  const dim3       by_rows(blocks_for(L.columns, load_columns), static_cast<unsigned>(std::min(2 * L.K, 65535)));

  with_unknowns(B, [&](auto b) {
    if constexpr (b() >= GridTuning::rows_apart) grid_load_rows_kernel<b()><<<by_rows, dim3(load_columns, b()), 0, stream>>>(A, L, report);
    else grid_load_kernel<b()><<<over.blocks, over.threads, 0, stream>>>(A, L, report);
  });
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_grid_coarsen(int B, const GridLevel<Real> &F, const GridLevel<Real> &C, cudaStream_t stream)
{
  const GridLaunch over(C.columns, 2 * static_cast<std::size_t>(C.K));

  with_unknowns(B, [&](auto b) {
    if constexpr (b() < GridTuning::rows_apart) grid_coarsen_kernel<b()><<<over.blocks, over.threads, 0, stream>>>(F, C);
  });
  if (B >= GridTuning::rows_apart) grid_coarsen_rows_kernel<<<dim3(over.blocks.x, over.blocks.y, B), over.threads, 0, stream>>>(F, C);
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_grid_remainder_values(const GridRemainder<Real> &K, const Scalar *remainder_values, Scalar scale, cudaStream_t stream)
{
  return launch_remainder_sum(K.values, remainder_values, scale, false, K.value, stream);
}

template <class Real>
cudaError_t launch_grid_remainder_coarsen(const GridRemainder<Real> &F, const GridLevel<Real> &C, const GridRemainder<Real> &K, cudaStream_t stream)
{
  const cudaError_t err = launch_remainder_sum<Real, Real>(K.blocks, F.value, 1, true, C.coef, stream);

  return err != cudaSuccess ? err : launch_remainder_sum<Real, Real>(K.values, F.value, 1, false, K.value, stream);
}

template <class Real>
cudaError_t launch_grid_remainder_row_sums(const GridLevel<Real> &L, int B, const GridRemainder<Real> &K, Real sign, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] {
    return DeclaredPass{"gridmg set-up: sums of rows with remainder entries", B * ((8. + sizeof(Real)) * K.entries + 2. * sizeof(Real) * K.rows)};
  });

  if (!K.rows) return cudaSuccess;
  grid_remainder_row_sum_kernel<<<blocks_for(K.rows, threads / 32), threads, 0, stream>>>(L, B, K, sign);
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_grid_factor(int B, const std::vector<GridLevel<Real>> &levels, const GridLevel<Real> *there, GridReport *report, cudaStream_t stream)
{
  const int   count   = static_cast<int>(levels.size());
  std::size_t columns = 0;
  unsigned    blocks  = 0;

  if (B >= GridTuning::rows_apart) return launch_grid_block_factor(B, levels, there, report, stream);
  for (const GridLevel<Real> &L : levels) {
    columns += L.columns;
    blocks += 2 * blocks_for(L.columns, GridTuning::columns);
  }
  with_unknowns(B, [&](auto b) {
    if constexpr (b() >= GridTuning::rows_apart) return; /* above */
    else if constexpr (b() > 1) grid_factor_kernel<b()><<<blocks_for(2 * columns, line_threads), line_threads, 0, stream>>>(there, count, report);
    else
      with_pivot_chunks(levels[0].K, [&](auto cells, auto chunks) {
        grid_factor_lines_kernel<cells(), chunks()><<<blocks, GridTuning::columns * chunks(), 0, stream>>>(there, count, report);
      });
  });
  return cudaGetLastError();
}

#define HEPTANE_GRID_SETUP(Real) \
  template cudaError_t launch_grid_load<Real>(const GridMatrix &, int, const GridLevel<Real> &, GridReport *, cudaStream_t); \
  template cudaError_t launch_grid_coarsen<Real>(int, const GridLevel<Real> &, const GridLevel<Real> &, cudaStream_t); \
  template cudaError_t launch_grid_remainder_values<Real>(const GridRemainder<Real> &, const Scalar *, Scalar, cudaStream_t); \
  template cudaError_t launch_grid_remainder_coarsen<Real>(const GridRemainder<Real> &, const GridLevel<Real> &, const GridRemainder<Real> &, cudaStream_t); \
  template cudaError_t launch_grid_remainder_row_sums<Real>(const GridLevel<Real> &, int, const GridRemainder<Real> &, Real, cudaStream_t); \
  template cudaError_t launch_grid_factor<Real>(int, const std::vector<GridLevel<Real>> &, const GridLevel<Real> *, GridReport *, cudaStream_t);
HEPTANE_GRID_SETUP(float)
HEPTANE_GRID_SETUP(double)
#undef HEPTANE_GRID_SETUP

} // namespace heptane

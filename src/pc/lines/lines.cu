/*
   Lines on the device: their factors, and their solution with one unknown per cell by the chunks of gridmg_lines.cuh.
*/
#include "../../metrics/metrics.hpp"
#include "../gridmg/gridmg_lines.cuh"
#include "lines_device.cuh"

namespace heptane
{

namespace
{

constexpr int threads = LinesTuning::threads, line_threads = LinesTuning::line_threads;

/*
   Computes  the blocks of lines, from the matrix
   Threads   one per place
   Bytes     per cell (7 sizeof(Scalar) + 3 sizeof(Real)) B^2
   Order     none, but for the report's counts
*/
template <int B, class Real>
__global__ void __launch_bounds__(threads)
  lines_load_kernel(const __grid_constant__ GridMatrix A, const __grid_constant__ LinesSystem<Real> S, GridReport *report)
{
  for_places(S.L, [&](int k, int colour, std::size_t column) {
    int j, i;

    if (!S.places.locate(S.L, colour, column, j, i)) return;
    const std::size_t cell   = A.cell(k, j, i);
    const unsigned    faults = lines_load_cell<B>(A, S.L, S.L.at(k, colour, column), cell, LinesNeighbours(S.places.of, k, j, i), false, true);

    if (faults) lines_note(report, faults, cell);
  });
}

/*
   Computes  the factors of lines
   Threads   one per column of both colours, along the whole line
   Bytes     per cell 6 B^2 sizeof(Real)
   Order     deterministic: along the line
*/
template <int B, class Real>
__global__ void __launch_bounds__(line_threads)
  lines_factor_kernel(const __grid_constant__ GridMatrix A, const __grid_constant__ LinesSystem<Real> S, GridReport *report)
{
  const std::size_t place = blockIdx.x * static_cast<std::size_t>(line_threads) + threadIdx.x, column = place % S.L.columns;
  const int         colour = place >= S.L.columns;
  int               j, i;

  if (place >= 2 * S.L.columns || !S.places.locate(S.L, colour, column, j, i)) return;
  lines_factor_line<B>(S.L, colour, column, [&](int k) { lines_note(report, 1u << grid_singular, A.cell(k, j, i)); });
}

/*
   Computes  z = M^-1 r, one unknown per cell
   Threads   a block has GridTuning::columns columns of a colour times CHUNKS chunks of CELLS cells. Blocks of the two colours take turns: in the vectors of a whole grid the colours alternate, so
             that the next block finds the other half of each sector of r in the cache, and completes those of z there
   Bytes     per cell 3 sizeof(Real) + 2 sizeof(Scalar)
   Order     deterministic: along the chunks, between them a fixed tree
*/
template <int CELLS, int CHUNKS, class Real>
__global__ void __launch_bounds__(GridTuning::columns *CHUNKS) lines_apply_kernel(const __grid_constant__ LinesSystem<Real> S, const Scalar *r, Scalar *z)
{
  __shared__ GridScan<Scalar, CHUNKS> scan;
  const int                           colour = blockIdx.x % 2;
  GridChunk<CELLS, CHUNKS, Scalar>    chunk(S.line, colour, static_cast<std::size_t>(blockIdx.x / 2) * GridTuning::columns);
  const GridAcross                    across(S.line, S.line, false, colour, chunk.column, chunk.at());
  const int                           panels = (S.L.K + chunk.panel - 1) / chunk.panel;
  const std::size_t                   first = chunk.solves ? S.places.first(S.L, colour, chunk.column) : 0, along = S.places.along();
  Scalar                              carry = 0;

  for (int p = 0; p < panels; p++) {
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      const unsigned c = chunk.place(p, t);

      chunk.pivot[t] = S.L.template entry<1>(grid_pivot, 0, 0)[c];
      chunk.low[t]   = S.L.template entry<1>(grid_below, 0, 0)[c];
      chunk.up[t]    = S.L.template entry<1>(grid_above, 0, 0)[c];
    }
    if (p == 0) wait_for_predecessor();
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) chunk.z[t] = r[first + along * chunk.layer(p, t)];
    chunk.right_side(p, S.line, false, across, true);
    chunk.forward(scan, carry);
    if (panels > 1) chunk.put(p, S.line.x);
  }
  carry = 0;
  for (int p = panels - 1; p >= 0; p--) {
    HEPTANE_UNROLL
    for (int t = 0; panels > 1 && t < CELLS; t++) {
      const bool     inside = chunk.inside(p, t);
      const unsigned c      = chunk.place(p, t);

      chunk.z[t]  = inside ? S.line.x[c] : Scalar(0);
      chunk.up[t] = inside ? static_cast<Scalar>(S.L.template entry<1>(grid_above, 0, 0)[c]) : Scalar(0);
    }
    chunk.backward(scan, carry);
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++)
      if (chunk.inside(p, t)) z[first + along * chunk.k(p, t)] = S.scale * chunk.z[t];
  }
}

} // namespace

template <class Real>
cudaError_t launch_lines_setup(const GridMatrix &A, const LinesSystem<Real> &S, GridReport *report, cudaStream_t stream)
{
  const GridLaunch over(S.L.columns, 2 * static_cast<std::size_t>(S.L.K));

  if (!S.L.cells) return cudaSuccess;
  with_unknowns(S.places.B, [&](auto b) {
    const double      entries = static_cast<double>(S.L.cells) * b() * b();
    const MetricsPass loaded(true, [&] { return DeclaredPass{"lines loaded", entries * (7 * sizeof(Scalar) + 3 * sizeof(Real))}; });
    lines_load_kernel<b()><<<over.blocks, over.threads, 0, stream>>>(A, S, report);
    const MetricsPass factored(true, [&] { return DeclaredPass{"factors of lines", entries * 6 * sizeof(Real)}; });
    lines_factor_kernel<b()><<<blocks_for(2 * S.L.columns, line_threads), line_threads, 0, stream>>>(A, S, report);
  });
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_lines_apply(const LinesSystem<Real> &S, const Scalar *r, Scalar *z, cudaStream_t stream)
{
  const unsigned blocks = 2 * blocks_for(S.L.columns, GridTuning::columns);

  if (!S.L.cells) return cudaSuccess;
  if (S.places.B > 1) return launch_lines_blocks(S, r, z, stream);
  return with_chunks(S.L.K, [&](auto cells, auto chunks) {
    return launch_chained(lines_apply_kernel<cells(), chunks(), Real>, blocks, GridTuning::columns * chunks(), stream, blocks <= GridTuning::early_blocks, S, r,
                          z);
  });
}

template cudaError_t launch_lines_setup<float>(const GridMatrix &, const LinesSystem<float> &, GridReport *, cudaStream_t);
template cudaError_t launch_lines_setup<double>(const GridMatrix &, const LinesSystem<double> &, GridReport *, cudaStream_t);
template cudaError_t launch_lines_apply<float>(const LinesSystem<float> &, const Scalar *, Scalar *, cudaStream_t);
template cudaError_t launch_lines_apply<double>(const LinesSystem<double> &, const Scalar *, Scalar *, cudaStream_t);

} // namespace heptane

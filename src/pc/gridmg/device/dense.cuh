/*
   The solution of lines that have an inverse, by thread blocks after the blocks of all other lines: see rows/dense.hpp.
   A block has some rows of one line: it computes the right-hand side of the whole line, and each warp multiplies it by
   some rows of the inverse, which were loaded ahead.
*/
#pragma once

#include "../grid/plan.hpp"
#include "../grid/tuning.hpp"
#include "../rows/dense.hpp"

namespace heptane
{

/* Blocks of whole warps per line */
HEPTANE_HD unsigned grid_dense_shares(int n, int threads)
{
  const unsigned rows = static_cast<unsigned>(threads / 32 * GridTuning::dense_warp_rows);

  return (static_cast<unsigned>(n) + rows - 1) / rows;
}

/* Right-hand sides of several unknowns per cell are in b */
struct GridStoredRows {
  template <class Real>
  __device__ __forceinline__ Real one(const GridLevel<Real> &L, const GridColumn &, std::size_t to, int, bool) const
  {
    return L.b[to];
  }
};

/*
   Step s on the lines of its colour with an inverse. block: number of the thread block among the blocks of such lines;
   C, ready(), done(), packed: see grid_solve_lines(); source.one(): returns the right-hand side of a row, and stores it
   if requested; r: shared memory for the rows of a line; sum(part): over the warp, valid in its first lane
*/
template <int B, class Real, class Source, class Sum, class Ready, class Done, class Packed>
__device__ __forceinline__ void grid_solve_dense_lines(const GridLevel<Real> &L, const GridLevel<Real> &C, const GridDense<Real> &D, const Source &source,
                                                       const GridStep &s, unsigned block, int threads, Real *r, Sum sum, Ready ready, Done done, Packed packed)
{
  constexpr int              rows   = GridTuning::dense_warp_rows;
  const unsigned             shares = grid_dense_shares(D.n, threads), share = block % shares;
  const int                  line = D.first(s.colour) + static_cast<int>(block / shares), thread = static_cast<int>(threadIdx.x);
  const int                  first  = (static_cast<int>(share) * (threads / 32) + thread / 32) * rows;
  const std::size_t          column = static_cast<std::size_t>(D.column[line]) - s.colour * L.columns;
  const GridColumn           at(L, s.colour, column);
  const GridNeighbours<Real> N = {L, s.correct ? &C : nullptr};
  GridDenseRow<Real>         row[rows];

  HEPTANE_UNROLL
  for (int q = 0; q < rows; q++) row[q].load(D.row(line, first + q), D.n, first + q < D.n, {thread % 32, 32});
  ready();
  for (int i = thread; i < D.n; i += threads) {
    const int         k  = i / B;
    const std::size_t to = i % B * L.cells + L.at(k, s.colour, column);

    r[i] = grid_dense_right_side<B>(packed, N, s.zero, k, s.colour, column, at, i % B, source.one(L, at, to, k, share == 0));
  }
  __syncthreads();
  done();
  HEPTANE_UNROLL
  for (int q = 0; q < rows; q++) {
    const Real x = sum(row[q].product(r));

    if (thread % 32 == 0 && first + q < D.n) grid_dense_store<B>(L, s.change, s.colour, column, first + q, x);
  }
}

} // namespace heptane

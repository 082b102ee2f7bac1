/*
   Multigrid for one component of the unknowns (constrained pressure residual): the arithmetic of its weights, its matrix and the steps around its cycle, for host and device.

   A cell's weights w make of its equations the one that the cycle is for: row `component` of the inverse of the sum of all blocks of the cell's column, in which fluxes cancel, so that the other
   unknowns drop out of the accumulation part (true IMPES). They are scaled to largest size 1, which keeps sums over cells meaningful.
*/
#pragma once

#include "gridmg_setup_rows.hpp"
#include "../../pass/remainder_rows.hpp"

namespace heptane
{

/* A list of numbers of entries beside the diagonals for some cells, in order: see RemainderRows, which has no values here. row, col: scalar, of each entry */
struct GridComponentLists {
  RemainderRows by_column;                                   /* entries in the columns of a cell: by_column.col numbers them */
  int           entries = 0, linked = 0;                     /* of the component's matrix; rows with entries beside the diagonals */
  const int    *ptr = nullptr, *source = nullptr;            /* [entries + 1], entries of the matrix that each is the sum of */
  const int    *row = nullptr, *col = nullptr;               /* of the matrix's entries */
  const int    *linked_row = nullptr, *linked_ptr = nullptr; /* compressed rows of the matrix */
};

struct GridComponent {
  int                component = 0, ndiag = 0, offset[7] = {}; /* offsets in cells */
  std::size_t        cells = 0, ld = 0;
  const Scalar      *values = nullptr, *beside = nullptr;                              /* the matrix */
  Scalar            *weights = nullptr, *reduced = nullptr, *reduced_beside = nullptr; /* [B * cells], [ndiag * cells], [entries] */
  GridComponentLists lists;
};

/* Entry (p, s) of the block on diagonal d in the row of a cell */
template <int B>
HEPTANE_HD Scalar grid_component_entry(const GridComponent &C, int d, std::size_t cell, int p, int s)
{
  return C.values[static_cast<std::size_t>(d * B + s) * C.ld + cell * B + p];
}

template <int B>
HEPTANE_HD void grid_component_weights(const GridComponent &C, std::size_t cell)
{
  const GridComponentLists &L       = C.lists;
  const int                 k       = remainder_of(L.by_column, static_cast<int>(cell));
  Scalar                    S[B][B] = {}, inverse[B][B], size = 0, most = 0;

  for (int d = 0; d < C.ndiag; d++) {
    const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(cell) - C.offset[d];

    if (from < 0 || from >= static_cast<std::ptrdiff_t>(C.cells)) continue;
    for (int p = 0; p < B; p++)
      for (int s = 0; s < B; s++) S[p][s] += grid_component_entry<B>(C, d, static_cast<std::size_t>(from), p, s);
  }
  for (int at = k >= 0 ? L.by_column.ptr[k] : 0; k >= 0 && at < L.by_column.ptr[k + 1]; at++) {
    const int e = L.by_column.col[at];

    for (int p = 0; p < B; p++)
      for (int s = 0; s < B; s++)
        if (L.row[e] % B == p && L.col[e] % B == s) S[p][s] += C.beside[e];
  }
  for (int p = 0; p < B; p++)
    for (int s = 0; s < B; s++) size += std::fabs(S[p][s]);
  const bool good = grid_invert_pivot<B>(S, size, dense_epsilon, inverse) && size > 0;
  for (int p = 0; p < B; p++)
    for (int s = 0; s < B; s++)
      if (s == C.component && good && std::fabs(inverse[s][p]) > most) most = std::fabs(inverse[s][p]);
  const bool usable = most > 0 && most <= grid_largest<Scalar>;
  for (int p = 0; p < B; p++) {
    Scalar w = p == C.component ? Scalar(1) : Scalar(0);

    for (int s = 0; s < B; s++)
      if (usable && s == C.component) w = inverse[s][p] / most;
    C.weights[cell * B + p] = w;
  }
}

/* Row `cell` of the component's matrix on the diagonals */
template <int B>
HEPTANE_HD void grid_component_row(const GridComponent &C, std::size_t cell)
{
  for (int d = 0; d < C.ndiag; d++) {
    Scalar sum = 0;

    for (int p = 0; p < B; p++) sum += C.weights[cell * B + p] * grid_component_entry<B>(C, d, cell, p, C.component);
    C.reduced[static_cast<std::size_t>(d) * C.cells + cell] = sum;
  }
}

/* Entry t beside them */
HEPTANE_HD void grid_component_beside(const GridComponent &C, int t)
{
  Scalar sum = 0;

  for (int q = C.lists.ptr[t]; q < C.lists.ptr[t + 1]; q++) sum += C.weights[C.lists.row[C.lists.source[q]]] * C.beside[C.lists.source[q]];
  C.reduced_beside[t] = sum;
}

/* The right-hand side of the component's system */
template <int B>
HEPTANE_HD void grid_component_restrict(const GridComponent &C, const Scalar *r, Scalar *of_component, std::size_t cell)
{
  Scalar sum = 0;

  for (int p = 0; p < B; p++) sum += C.weights[cell * B + p] * r[cell * B + p];
  of_component[cell] = sum;
}

/* left = r - A x, x of the component alone, at a cell: without entries beside the diagonals */
template <int B>
HEPTANE_HD void grid_component_residual(const GridComponent &C, const Scalar *r, const Scalar *x, Scalar *left, std::size_t cell)
{
  Scalar sum[B];

  for (int p = 0; p < B; p++) sum[p] = r[cell * B + p];
  for (int d = 0; d < C.ndiag; d++) {
    const std::ptrdiff_t to = static_cast<std::ptrdiff_t>(cell) + C.offset[d];

    if (to < 0 || to >= static_cast<std::ptrdiff_t>(C.cells)) continue;
    for (int p = 0; p < B; p++) sum[p] -= grid_component_entry<B>(C, d, cell, p, C.component) * x[to];
  }
  for (int p = 0; p < B; p++) left[cell * B + p] = sum[p];
}

/* ... and of row number k of those with such entries */
HEPTANE_HD void grid_component_linked(const GridComponent &C, int B, const Scalar *x, Scalar *left, int k)
{
  Scalar sum = 0;

  for (int e = C.lists.linked_ptr[k]; e < C.lists.linked_ptr[k + 1]; e++)
    if (C.lists.col[e] % B == C.component) sum += C.beside[e] * x[C.lists.col[e] / B];
  left[C.lists.linked_row[k]] -= sum;
}

} // namespace heptane

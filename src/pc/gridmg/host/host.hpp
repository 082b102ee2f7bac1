/*
   The host executor of the structured multigrid.
*/
#pragma once

#include "../rows/cycle_rows.hpp"
#include "../rows/system.hpp"
#include <algorithm>

namespace heptane
{

/* The diagonals of A in the order of the axes of the grid */
GridMeans grid_means_host(const GridMatrix &A, int B, std::size_t cells);
/* Coefficients, remainder entries and factors of all levels; with the values of the remainder entries */
template <class Real>
void grid_setup_host(const GridMatrix &A, const Scalar *remainder_values, const GridSystem<Real> &S, GridReport *report);
/* Parts of the set-up: the finest level from the matrix; level l + 1 from level l; factors of the lines of the first
   `count` levels. Faults are added to the report. */
template <class Real>
void grid_load_host(const GridMatrix &A, const Scalar *remainder_values, const GridSystem<Real> &S, GridReport *report);
template <class Real>
void grid_coarsen_host(const GridSystem<Real> &S, int l);
template <class Real>
void grid_factor_host(const GridSystem<Real> &S, int count, GridReport *report);
/* The inverses of lines that have one on these levels, before lines are factored */
template <class Real>
void grid_invert_dense_host(const GridSystem<Real> &S, int count, GridReport *report);
/* The right-hand side of a cycle from r, and y from its result */
template <class Real>
void grid_import_host(const GridSystem<Real> &S, const Scalar *r);
template <class Real>
void grid_export_host(const GridSystem<Real> &S, Scalar *y);
/* y = one cycle from zero for the right-hand side r */
template <class Real>
void grid_cycle_host(const GridSystem<Real> &S, const Scalar *r, Scalar *y);

/* f(place) for the layers of a colour from first on, step 1 or -1 */
template <class Real, class F>
inline void for_grid_layers(const GridLevel<Real> &L, int colour, int first, int step, F f)
{
  for (int k = first; k >= 0 && k < L.K; k += step)
    for (std::size_t column = 0; column < L.columns; column++) f(k, column, L.at(k, colour, column));
}

/* Adds a fault of a cell to the report */
inline void grid_record_fault_host(GridReport *report, unsigned faults, unsigned long long cell)
{
  for (int fault = 0; fault < grid_faults; fault++)
    if (faults & (1u << fault)) {
      report->count[fault]++;
      report->first[fault] = std::min(report->first[fault], cell);
    }
}

/* Solves the lines of a colour into x, layer by layer: rhs(k, column, z) computes the result of grid_line_rhs(), and
   returns false if there is no such column */
template <int B, class Real, class F>
void grid_solve_lines_host(const GridLevel<Real> &L, int colour, F rhs)
{
  const std::size_t layer = 2 * L.columns; /* to the next cell of a line */
  Real              z[B], before[B];

  for_grid_layers(L, colour, 0, 1, [&](int k, std::size_t column, std::size_t c) {
    if (!rhs(k, column, z)) return;
    for (int p = 0; p < B; p++) before[p] = k ? L.x[p * L.cells + c - layer] : Real(0);
    grid_line_step<B>(L, grid_below, c, before, z);
    for (int p = 0; p < B; p++) L.x[p * L.cells + c] = z[p];
  });
  for_grid_layers(L, colour, L.K - 2, -1, [&](int, std::size_t, std::size_t c) {
    for (int p = 0; p < B; p++) {
      before[p] = L.x[p * L.cells + c + layer];
      z[p]      = L.x[p * L.cells + c];
    }
    grid_line_step<B>(L, grid_above, c, before, z);
    for (int p = 0; p < B; p++) L.x[p * L.cells + c] = z[p];
  });
}

/* Steps from, ..., to - 1 of a cycle */
template <class Real>
void grid_steps_host(const GridSystem<Real> &S, std::size_t from, std::size_t to);

} // namespace heptane

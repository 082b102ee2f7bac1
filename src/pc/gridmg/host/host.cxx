/*
   The host executor of the structured multigrid: loops around the arithmetic of rows/setup_rows.hpp and
   rows/cycle_rows.hpp.
*/
#include "host.hpp"
#include "../rows/coarse_rows.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

namespace
{

/* f(k, colour, column) for every place of a level */
template <class Real, class F>
void for_each_cell(const GridLevel<Real> &L, F f)
{
  for (int k = 0; k < L.K; k++)
    for (int colour = 0; colour < 2; colour++)
      for (std::size_t column = 0; column < L.columns; column++) f(k, colour, column);
}

template <int B, class Real>
void load(const GridMatrix &A, const GridLevel<Real> &L, GridReport *report)
{
  for_each_cell(L, [&](int k, int colour, std::size_t column) {
    const unsigned faults = grid_load_cell<B>(A, L, k, colour, column);

    if (!faults) return;
    const GridColumn C(L, colour, column);
    grid_record_fault_host(report, faults, A.cell(k, C.j, C.i));
  });
}

/* Blocks and remainder entries of C, the next coarser level of F */
template <int B, class Real>
void coarsen(const GridLevel<Real> &F, const GridRemainder<Real> &remainder, const GridLevel<Real> &C, const GridRemainder<Real> &coarse)
{
  for_each_cell(C, [&](int k, int colour, std::size_t column) { grid_coarse_cell<B>(F, C, k, colour, column); });
  for (int t = 0; t < coarse.blocks.count; t++) grid_remainder_sum(coarse.blocks, remainder.value, 1, true, C.coef, t);
  for (int t = 0; t < coarse.values.count; t++) grid_remainder_sum(coarse.values, remainder.value, 1, false, coarse.value, t);
}

template <class Real>
void add_row_sums(const GridLevel<Real> &L, int B, const GridRemainder<Real> &remainder, Real sign)
{
  for (int r = 0; r < remainder.rows; r++)
    for (int s = 0; s < B; s++) grid_remainder_add_row_sum(L, B, remainder, r, s, sign * grid_remainder_row_sum(L, remainder, r, s));
}

/* Layer by layer, so that every array is read in its order */
template <int B, class Real>
void factor(const GridLevel<Real> &L, GridReport *report)
{
  std::vector<GridLine<B>> lines(2 * L.columns);
  GridLineCell<B>          cell;

  for_each_cell(L, [&](int k, int colour, std::size_t column) {
    const std::size_t c = L.at(k, colour, column);

    cell.load(L, c);
    if (!lines[colour * L.columns + column].factor(L, c, cell)) grid_record_fault_host(report, 1u << grid_singular, c);
  });
}

/* Lines of a colour that have an inverse; overwrites x */
template <int B, class Real>
void solve_dense(const GridNeighbours<Real> &N, const GridDense<Real> &D, const GridStep &s)
{
  const GridLevel<Real> &L = N.L;
  std::vector<Real>      r(static_cast<std::size_t>(D.n));
  GridDenseRow<Real>     row;

  for (int line = D.first(s.colour); line < D.last(s.colour); line++) {
    const std::size_t column = static_cast<std::size_t>(D.column[line]) - s.colour * L.columns;
    const GridColumn  C(L, s.colour, column);

    for (int i = 0; i < D.n; i++)
      r[static_cast<std::size_t>(i)] =
        grid_dense_right_side<B>(L.half, N, s.zero, i / B, s.colour, column, C, i % B, L.b[i % B * L.cells + L.at(i / B, s.colour, column)]);
    for (int i = 0; i < D.n; i++) {
      row.load(D.row(line, i), D.n, true, {});
      grid_dense_store<B>(L, false, s.colour, column, i, row.product(r.data()));
    }
  }
}

/* All columns of a colour: forward along the lines in x, back again, layer by layer */
template <int B, class Real>
void solve(const GridLevel<Real> &L, const GridLevel<Real> *coarse, const GridDense<Real> &D, const GridStep &s)
{
  const GridNeighbours<Real> N = {L, s.correct ? coarse : nullptr};
  std::vector<GridColumn>    columns;

  for (std::size_t column = 0; column < L.columns; column++) columns.emplace_back(L, s.colour, column);
  if (s.change)
    for_grid_layers(L, s.colour, 0, 1, [&](int, std::size_t, std::size_t c) {
      for (int p = 0; p < B; p++) L.d[p * L.cells + c] = -L.x[p * L.cells + c];
    });
  grid_solve_lines_host<B>(L, s.colour, [&](int k, std::size_t column, Real(&z)[B]) {
    if (columns[column].exists) grid_line_rhs<B>(N, s.zero, k, s.colour, column, columns[column], z);
    return columns[column].exists;
  });
  solve_dense<B>(N, D, s);
  if (s.change)
    for_grid_layers(L, s.colour, 0, 1, [&](int, std::size_t, std::size_t c) {
      for (int p = 0; p < B; p++) L.d[p * L.cells + c] += L.x[p * L.cells + c];
    });
}

template <int B, class Real>
void run(const GridSystem<Real> &S, const GridStep &s)
{
  const bool                 last = s.level + 1 == static_cast<int>(S.levels.size());
  const GridLevel<Real>     &L = S.levels[s.level], *coarse = last ? nullptr : &S.levels[s.level + 1];
  const GridRemainder<Real> &K = S.remainder[s.level];

  switch (s.op) {
  case GridOp::enter:
    for (int r = 0; r < K.rows; r++) grid_remainder_enter(L, K, r);
    break;
  case GridOp::solve:
    solve<B>(L, coarse, S.Dense(static_cast<std::size_t>(s.level)), s);
    break;
  case GridOp::balance:
    for (int r = s.colour ? K.reds : 0; r < (s.colour ? K.rows : K.reds); r++) grid_remainder_balance(L, K, r, K.row[r], grid_remainder_product(L, K, r));
    break;
  case GridOp::restrict: {
    const GridSums &to = S.remainder[s.level + 1].right_side;

    for_each_cell(*coarse, [&](int k, int colour, std::size_t column) { grid_restrict<B>(L.half, L, *coarse, s.change ? L.d : nullptr, k, colour, column); });
    for (int t = 0; t < to.count; t++) coarse->b[to.place[t]] += grid_remainder_residual(L, K, to, t);
    break;
  }
  case GridOp::prolong:
    for_each_cell(L, [&](int k, int colour, std::size_t column) { grid_prolong<B>(L, *coarse, k, colour, column); });
  }
}

} // namespace

GridMeans grid_means_host(const GridMatrix &A, int B, std::size_t cells)
{
  Scalar sum[7] = {};

  with_unknowns(B, [&](auto b) {
    for (std::size_t c = 0; c < cells; c++) grid_means<b()>(A, c, sum);
  });
  return grid_means_of(sum, cells);
}

template <class Real>
void grid_load_host(const GridMatrix &A, const Scalar *remainder_values, const GridSystem<Real> &S, GridReport *report)
{
  with_unknowns(S.B, [&](auto b) { load<b()>(A, S.levels[0], report); });
  for (int e = 0; e < S.remainder[0].entries; e++) grid_remainder_sum(S.remainder[0].values, remainder_values, A.scale, false, S.remainder[0].value, e);
  add_row_sums(S.levels[0], S.B, S.remainder[0], Real(1));
}

template <class Real>
void grid_coarsen_host(const GridSystem<Real> &S, int l)
{
  with_unknowns(S.B, [&](auto b) { coarsen<b()>(S.levels[l], S.remainder[l], S.levels[l + 1], S.remainder[l + 1]); });
}

template <class Real>
void grid_factor_host(const GridSystem<Real> &S, int count, GridReport *report)
{
  for (int l = 0; l < count; l++) add_row_sums(S.levels[l], S.B, S.remainder[l], Real(-1));
  grid_invert_dense_host(S, count, report);
  with_unknowns(S.B, [&](auto b) {
    for (int l = 0; l < count; l++) factor<b()>(S.levels[l], report);
  });
}

template <class Real>
void grid_setup_host(const GridMatrix &A, const Scalar *remainder_values, const GridSystem<Real> &S, GridReport *report)
{
  const int count = static_cast<int>(S.levels.size());

  *report = GridReport();
  grid_load_host(A, remainder_values, S, report);
  for (int l = 0; l + 1 < count; l++) grid_coarsen_host(S, l);
  grid_factor_host(S, count, report);
}

template <class Real>
void grid_import_host(const GridSystem<Real> &S, const Scalar *r)
{
  const GridLevel<Real> &L = S.levels[0];

  with_unknowns(S.B, [&](auto b) { for_each_cell(L, [&](int k, int colour, std::size_t column) { grid_import<b()>(L, S.natural, r, k, colour, column); }); });
}

template <class Real>
void grid_export_host(const GridSystem<Real> &S, Scalar *y)
{
  const GridLevel<Real> &L = S.levels[0];

  with_unknowns(
    S.B, [&](auto b) { for_each_cell(L, [&](int k, int colour, std::size_t column) { grid_export<b()>(L, S.natural, S.scale, y, k, colour, column); }); });
}

template <class Real>
void grid_cycle_host(const GridSystem<Real> &S, const Scalar *r, Scalar *y)
{
  grid_import_host(S, r);
  grid_steps_host(S, 0, S.plan.steps.size());
  grid_export_host(S, y);
}

template <class Real>
void grid_steps_host(const GridSystem<Real> &S, std::size_t from, std::size_t to)
{
  with_unknowns(S.B, [&](auto b) {
    for (std::size_t k = from; k < to; k++) run<b()>(S, S.plan.steps[k]);
  });
}

template void grid_import_host<float>(const GridSystem<float> &, const Scalar *);
template void grid_import_host<double>(const GridSystem<double> &, const Scalar *);
template void grid_export_host<float>(const GridSystem<float> &, Scalar *);
template void grid_export_host<double>(const GridSystem<double> &, Scalar *);
template void grid_steps_host<float>(const GridSystem<float> &, std::size_t, std::size_t);
template void grid_steps_host<double>(const GridSystem<double> &, std::size_t, std::size_t);
template void grid_load_host<float>(const GridMatrix &, const Scalar *, const GridSystem<float> &, GridReport *);
template void grid_coarsen_host<float>(const GridSystem<float> &, int);
template void grid_factor_host<float>(const GridSystem<float> &, int, GridReport *);
template void grid_setup_host<float>(const GridMatrix &, const Scalar *, const GridSystem<float> &, GridReport *);
template void grid_load_host<double>(const GridMatrix &, const Scalar *, const GridSystem<double> &, GridReport *);
template void grid_coarsen_host<double>(const GridSystem<double> &, int);
template void grid_factor_host<double>(const GridSystem<double> &, int, GridReport *);
template void grid_setup_host<double>(const GridMatrix &, const Scalar *, const GridSystem<double> &, GridReport *);
template void grid_cycle_host<float>(const GridSystem<float> &, const Scalar *, Scalar *);
template void grid_cycle_host<double>(const GridSystem<double> &, const Scalar *, Scalar *);

} // namespace heptane

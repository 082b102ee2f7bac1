/*
   The host executor of lines and of the elimination of red columns: loops around lines_rows.hpp and redblack_rows.hpp.
*/
#include "lines_host.hpp"
#include "../gridmg/gridmg_host.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

void note(GridReport *report, unsigned faults, unsigned long long cell)
{
  for (int fault = 0; fault < grid_faults; fault++)
    if (faults & (1u << fault)) {
      report->count[fault]++;
      report->first[fault] = std::min(report->first[fault], cell);
    }
}

/* Lines of a colour, layer by layer, so that every array is read in its order. exists(column); cell(k, column): its number in the matrix */
template <int B, class Real, class Exists, class Cell>
void factor(const GridLevel<Real> &L, int colour, Exists exists, Cell cell, GridReport *report)
{
  std::vector<LinesFactor<B>> lines(L.columns);
  LinesCell<B>                values;

  for_grid_layers(L, colour, 0, 1, [&](int k, std::size_t column, std::size_t c) {
    if (!exists(column)) return;
    values.load(L, c);
    if (!lines[column].next(L, c, values)) note(report, 1u << grid_singular, cell(k, column));
  });
}

/* f(k, q, column) for the cells that are left */
template <class F>
void for_remaining(const RedBlack &R, F f)
{
  std::vector<RemainingColumn> columns;

  for (unsigned q = 0; q < R.of().lines; q++) columns.emplace_back(R, q);
  for (int k = 0; k < R.of().K; k++)
    for (unsigned q = 0; q < R.of().lines; q++) f(k, q, columns[q]);
}

template <int B, class Real>
void setup(const GridMatrix &A, const LinesSystem<Real> &S, GridReport *report)
{
  const GridLevel<Real> &L    = S.L;
  const auto             cell = [&](int colour, int k, std::size_t column) {
    int j = 0, i = 0;

    (void)S.places.locate(L, colour, column, j, i);
    return A.cell(k, j, i);
  };

  for (int colour = 0; colour < 2; colour++) {
    int j, i;

    for_grid_layers(L, colour, 0, 1, [&](int k, std::size_t column, std::size_t c) {
      if (!S.places.locate(L, colour, column, j, i)) return;
      const std::size_t at = A.cell(k, j, i);

      note(report, lines_load_cell<B>(A, L, c, at, LinesNeighbours(S.places.of, k, j, i), false, true), at);
    });
    factor<B>(
      L, colour, [&](std::size_t column) { return S.places.locate(L, colour, column, j, i); },
      [&](int k, std::size_t column) { return cell(colour, k, column); }, report);
  }
}

/* Lines of a colour solved into x, layer by layer: start(k, column, c, z) gives P^-1 of the right-hand side, and false where there is no such column */
template <int B, class Real, class F>
void solve(const GridLevel<Real> &L, Scalar *x, int colour, F start)
{
  const std::size_t layer = 2 * L.columns; /* to the next cell of a line */
  Scalar            z[B], before[B];

  for_grid_layers(L, colour, 0, 1, [&](int k, std::size_t column, std::size_t c) {
    if (!start(k, column, c, z)) return;
    for (int p = 0; p < B; p++) before[p] = k ? x[p * L.cells + c - layer] : Scalar(0);
    lines_step<B>(L, grid_below, c, before, z);
    for (int p = 0; p < B; p++) x[p * L.cells + c] = z[p];
  });
  for_grid_layers(L, colour, L.K - 2, -1, [&](int, std::size_t, std::size_t c) {
    for (int p = 0; p < B; p++) {
      before[p] = x[p * L.cells + c + layer];
      z[p]      = x[p * L.cells + c];
    }
    lines_step<B>(L, grid_above, c, before, z);
    for (int p = 0; p < B; p++) x[p * L.cells + c] = z[p];
  });
}

template <int B, class Real>
void apply(const LinesSystem<Real> &S, const Scalar *r, Scalar *z)
{
  const GridLevel<Real> &L     = S.L;
  const std::size_t      along = S.places.along(), component = S.places.component(), none = ~std::size_t(0);

  for (int colour = 0; colour < 2; colour++) {
    std::vector<std::size_t> first(L.columns, none);
    int                      j, i;
    const auto               at = [&](int k, std::size_t column, int p) { return first[column] + static_cast<std::size_t>(k) * along + p * component; };

    for (std::size_t column = 0; column < L.columns; column++)
      if (S.places.locate(L, colour, column, j, i)) first[column] = S.places.first(L, colour, column);
    solve<B>(L, S.line.x, colour, [&](int k, std::size_t column, std::size_t c, Scalar(&start)[B]) {
      Scalar b[B];

      if (first[column] == none) return false;
      for (int p = 0; p < B; p++) b[p] = r[at(k, column, p)];
      lines_start<B>(L, c, b, start);
      return true;
    });
    for_grid_layers(L, colour, 0, 1, [&](int k, std::size_t column, std::size_t c) {
      if (first[column] == none) return;
      for (int p = 0; p < B; p++) z[at(k, column, p)] = S.scale * S.line.x[p * L.cells + c];
    });
  }
}

template <int B>
void setup(const GridMatrix &A, const RedBlack &R, GridReport *report)
{
  const GridLevel<Scalar> &E    = R.exact;
  const auto               cell = [&](int colour, int k, std::size_t column) {
    const GridColumn C(E, colour, column);

    return A.cell(k, C.j, C.i);
  };

  for (int colour = 0; colour < 2; colour++)
    for_grid_layers(E, colour, 0, 1, [&](int k, std::size_t column, std::size_t) {
      const unsigned faults = redblack_load_cell<B>(A, R, k, colour, column);

      if (faults) note(report, faults, cell(colour, k, column));
    });
  factor<B>(
    E, 0, [&](std::size_t column) { return GridColumn(E, 0, column).exists && !R.keeps(0, column); },
    [&](int k, std::size_t column) { return cell(0, k, column); }, report);
}

template <int B>
void red(const RedBlack &R, const Scalar *r, const Scalar *u, Scalar *z)
{
  const GridLevel<Scalar> &E    = R.exact;
  const FusedGather<false> from = {u, nullptr, 0};
  std::vector<GridColumn>  columns;
  std::vector<RedAcross>   across;
  const auto               solved = [&](std::size_t column) { return columns[column].exists && !R.keeps(0, column); };

  for (std::size_t column = 0; column < E.columns; column++) {
    columns.emplace_back(E, 0, column);
    across.emplace_back(R, columns.back());
  }
  solve<B>(E, E.x, 0, [&](int k, std::size_t column, std::size_t c, Scalar(&start)[B]) {
    const GridColumn &C    = columns[column];
    Scalar            b[B] = {};

    if (!solved(column)) return false;
    for (int p = 0; r && p < B; p++) b[p] = r[R.places.natural.cell(k, C.j, C.i) * B + p];
    if (u) redblack_couple<B>(R, from, k, c, across[column], b);
    lines_start<B>(E, c, b, start);
    return true;
  });
  if (!z) return;
  for_grid_layers(E, 0, 0, 1, [&](int k, std::size_t column, std::size_t c) {
    if (!solved(column)) return;
    for (int p = 0; p < B; p++) z[R.places.natural.cell(k, columns[column].j, columns[column].i) * B + p] = E.x[p * E.cells + c];
  });
}

} // namespace

template <class Real>
void lines_setup_host(const GridMatrix &A, const LinesSystem<Real> &S, GridReport *report)
{
  *report = GridReport();
  with_unknowns(S.places.B, [&](auto b) { setup<b()>(A, S, report); });
}

template <class Real>
void lines_apply_host(const LinesSystem<Real> &S, const Scalar *r, Scalar *z)
{
  with_unknowns(S.places.B, [&](auto b) { apply<b()>(S, r, z); });
}

void redblack_setup_host(const GridMatrix &A, const Scalar *beside, const RedBlack &R, const std::int64_t *source, int entries, Scalar *values,
                         GridReport *report)
{
  *report = GridReport();
  with_unknowns(R.B, [&](auto b) { setup<b()>(A, R, report); });
  for (int e = 0; e < entries; e++) {
    values[e] = redblack_entry(A.values, beside, source[e]);
    if (!(std::fabs(values[e]) <= grid_largest<Scalar>)) report->count[grid_not_finite]++;
  }
}

void redblack_red_host(const RedBlack &R, const Scalar *r, const Scalar *u, Scalar *z)
{
  with_unknowns(R.B, [&](auto b) { red<b()>(R, r, u, z); });
}

void redblack_product_host(const RedBlack &R, const Scalar *u, Scalar *y)
{
  const FusedGather<false> from = {u, nullptr, 0};

  with_unknowns(R.B, [&](auto b) {
    for_remaining(R, [&](int k, unsigned q, const RemainingColumn &C) {
      Scalar of_cell[b()];

      redblack_cell<b()>(R, from, k, q, C, of_cell);
      for (int p = 0; p < b(); p++) y[R.of().at(p, k, q)] = of_cell[p];
    });
  });
}

void redblack_enter_host(const RedBlack &R, const Scalar *r, Scalar *g)
{
  with_unknowns(R.B, [&](auto b) { for_remaining(R, [&](int k, unsigned q, const RemainingColumn &C) { redblack_enter<b()>(R, r, k, q, C, g); }); });
}

void redblack_copy_host(const RedBlack &R, bool leave, Scalar *whole, Scalar *left)
{
  with_unknowns(R.B,
                [&](auto b) { for_remaining(R, [&](int k, unsigned q, const RemainingColumn &C) { redblack_copy<b()>(R, leave, whole, left, k, q, C); }); });
}

template void lines_setup_host<float>(const GridMatrix &, const LinesSystem<float> &, GridReport *);
template void lines_setup_host<double>(const GridMatrix &, const LinesSystem<double> &, GridReport *);
template void lines_apply_host<float>(const LinesSystem<float> &, const Scalar *, Scalar *);
template void lines_apply_host<double>(const LinesSystem<double> &, const Scalar *, Scalar *);

} // namespace heptane

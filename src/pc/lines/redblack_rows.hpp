/*
   The elimination of red columns: the Schur complement of the columns that are left, row by row, for host and device. Knows no PETSc objects.

   S = A_bb - A_br A_rr^-1 A_rb. Red lines are factored and solved in the precision of the solver: what is left is exact. Columns with entries beside the block diagonals (wells) are left whatever their
   colour, so that A_rr couples cells along lines alone; what couples red columns that are kept, and the entries beside the diagonals, are a list of entries.
*/
#pragma once

#include "../../pass/gather.hpp"
#include "../../pass/remainder_rows.hpp"
#include "lines_rows.hpp"

namespace heptane
{

struct RedBlack {
  int B = 1;
  GridLevel<Scalar>
                exact; /* of red columns the factors of lines and what couples them with black ones, of black ones the blocks of the matrix; zero in columns that are kept. x: of red columns */
  LinesPlaces   places;                /* remaining */
  RemainderRows beside;                /* of the remaining unknowns */
  const int    *kept_number = nullptr; /* [exact.columns] of red columns: -1 eliminated; null: all are */

  HEPTANE_HD const RemainingColumns &of() const { return places.of; }
  HEPTANE_HD bool                    keeps(int colour, std::size_t column) const { return colour == 0 && kept_number && kept_number[column] >= 0; }
};

/* A cell of `exact`: the faults that it has */
template <int B>
HEPTANE_HD unsigned redblack_load_cell(const GridMatrix &A, const RedBlack &R, int k, int colour, std::size_t column)
{
  const GridColumn C(R.exact, colour, column);

  if (!C.exists) return 0; /* zeros from the beginning */
  return lines_load_cell<B>(A, R.exact, R.exact.at(k, colour, column), A.cell(k, C.j, C.i), LinesNeighbours(R.of(), k, C.j, C.i), true,
                            !R.keeps(colour, column));
}

/* The black columns across from a red one, as remaining ones; where there is none it is one that exists: its coefficient is zero, and loads need not wait for each other */
struct RedAcross {
  unsigned q[4];

  HEPTANE_HD RedAcross(const RedBlack &R, const GridColumn &C)
  {
    const int       H           = R.exact.H;
    const long long neighbour[] = {C.west, C.east, C.south, C.north};

    HEPTANE_UNROLL
    for (int side = 0; side < 4; side++) {
      const int j = C.j + (side == 2 ? -1 : side == 3 ? 1 : 0);

      q[side] = neighbour[side] < 0 ? 0 : R.of().of_black(j, static_cast<int>(neighbour[side] - static_cast<long long>(j) * H));
    }
  }
};

/* r -= couplings of the red cell at place c of layer k with the remaining unknowns u */
template <int B, class U>
HEPTANE_HD void redblack_couple(const RedBlack &R, const U &u, int k, std::size_t c, const RedAcross &across, Scalar (&r)[B])
{
  HEPTANE_UNROLL
  for (int side = 0; side < 4; side++) {
    Scalar x[B];

    HEPTANE_UNROLL
    for (int s = 0; s < B; s++) x[s] = u[R.of().at(s, k, across.q[side])];
    HEPTANE_UNROLL
    for (int p = 0; p < B; p++) {
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) r[p] -= R.exact.template entry<B>(grid_west + side, p, s)[c] * x[s];
    }
  }
}

/* A column that is left: where it is, found once for all of its layers */
struct RemainingColumn {
  int         j, i;
  bool        black;
  std::size_t column,
    other[4]; /* places of one layer: of a black column, and of the red ones beside it; where there is none one that exists, since its coefficient is zero */

  HEPTANE_HD RemainingColumn(const RedBlack &R, unsigned q)
  {
    R.of().locate(q, j, i);
    black  = q < R.of().black;
    column = static_cast<std::size_t>(j) * R.exact.H + (i >> 1);
    if (!black) return;
    const GridColumn C(R.exact, 1, column);
    const long long  neighbour[] = {C.west, C.east, C.south, C.north};

    HEPTANE_UNROLL
    for (int side = 0; side < 4; side++) other[side] = neighbour[side] >= 0 ? static_cast<std::size_t>(neighbour[side]) : column;
  }
};

/* y += sign (couplings of the black cell of layer k with x of red columns) */
template <int B>
HEPTANE_HD void redblack_reds(const RedBlack &R, int k, const RemainingColumn &C, Scalar sign, Scalar (&y)[B])
{
  const GridLevel<Scalar> &E = R.exact;
  const std::size_t        c = E.at(k, 1, C.column), layer = E.at(k, 0, 0);

  HEPTANE_UNROLL
  for (int side = 0; side < 4; side++) {
    Scalar x[B];

    HEPTANE_UNROLL
    for (int s = 0; s < B; s++) x[s] = sign * E.x[s * E.cells + layer + C.other[side]];
    HEPTANE_UNROLL
    for (int p = 0; p < B; p++) {
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) y[p] += E.template entry<B>(grid_west + side, p, s)[c] * x[s];
    }
  }
}

/* y of the cell (k, q) of S u, if x of red columns is -A_rr^-1 A_rb u */
template <int B, class U>
HEPTANE_HD void redblack_cell(const RedBlack &R, const U &u, int k, unsigned q, const RemainingColumn &C, Scalar (&y)[B])
{
  const GridLevel<Scalar> &E = R.exact;
  const RemainingColumns  &N = R.of();

  HEPTANE_UNROLL
  for (int p = 0; p < B; p++) y[p] = 0;
  if (C.black) {
    const std::size_t c       = E.at(k, 1, C.column);
    const int         layer[] = {k > 0 ? k - 1 : k, k + 1 < E.K ? k + 1 : k, k}; /* beyond the ends couplings are zero */

    HEPTANE_UNROLL
    for (int at = 0; at < 3; at++) {
      const int slot = at == 2 ? grid_pivot : at;
      Scalar    x[B];

      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) x[s] = u[N.at(s, layer[at], q)];
      HEPTANE_UNROLL
      for (int p = 0; p < B; p++) {
        HEPTANE_UNROLL
        for (int s = 0; s < B; s++) y[p] += E.template entry<B>(slot, p, s)[c] * x[s];
      }
    }
    redblack_reds<B>(R, k, C, Scalar(1), y);
  }
  if (R.beside.mask)
    for (int p = 0; p < B; p++) y[p] += remainder_row(R.beside, u, static_cast<int>(N.at(p, k, q)));
}

/* The right-hand side of the cell (k, q) that is left of r, if x of red columns is A_rr^-1 r */
template <int B>
HEPTANE_HD void redblack_enter(const RedBlack &R, const Scalar *r, int k, unsigned q, const RemainingColumn &C, Scalar *g)
{
  const std::size_t cell = R.places.natural.cell(k, C.j, C.i);
  Scalar            y[B];

  HEPTANE_UNROLL
  for (int p = 0; p < B; p++) y[p] = r[cell * B + p];
  if (C.black) redblack_reds<B>(R, k, C, Scalar(-1), y);
  HEPTANE_UNROLL
  for (int p = 0; p < B; p++) g[R.of().at(p, k, q)] = y[p];
}

/* Between the vectors of the whole matrix and those of the remaining unknowns: at the cell (k, q) */
template <int B>
HEPTANE_HD void redblack_copy(const RedBlack &R, bool leave, Scalar *whole, Scalar *left, int k, unsigned q, const RemainingColumn &C)
{
  const std::size_t cell = R.places.natural.cell(k, C.j, C.i);

  for (int p = 0; p < B; p++) {
    if (leave) whole[cell * B + p] = left[R.of().at(p, k, q)];
    else left[R.of().at(p, k, q)] = whole[cell * B + p];
  }
}

/* Value e of the list of entries: number `source` of the block diagonals, or of what lies beside them (-1 - source) */
HEPTANE_HD Scalar redblack_entry(const Scalar *values, const Scalar *beside, std::int64_t source)
{
  return source >= 0 ? values[source] : beside[-1 - source];
}

} // namespace heptane

/*
   Lines of a grid as a preconditioner has them: where their cells are, what is loaded of the matrix, and their factors. For host and device; knows no PETSc objects. B: unknowns of a cell.

   The lines are those of all columns of a grid, ordered as GridLevel has them, or those of RemainingColumns, one after the other: these lie in a level with one row of columns, of which the first
   half has one colour. Nothing couples them there, so colours mean nothing.
*/
#pragma once

#include "../gridmg/gridmg_setup_rows.hpp"
#include "../gridmg/gridmg_cycle_rows.hpp"

namespace heptane
{

/* The columns that are left where red ones are eliminated: all black ones, along i, then along j, and red ones that are kept. Unknown (component p, layer k, column q) has number at(p, k, q). */
struct RemainingColumns {
  int        K = 0, J = 0, I = 0;   /* of the grid */
  unsigned   black = 0, lines = 0;  /* black columns, all that are left */
  const int *kept_column = nullptr; /* [lines - black] places of the red ones that are kept, see GridColumn; where the lines are */

  /* Black column of place h in row j */
  HEPTANE_HD unsigned of_black(int j, int h) const { return static_cast<unsigned>(j >> 1) * I + (j & 1 ? I / 2 : 0) + h; }
  HEPTANE_HD std::size_t at(int p, int k, unsigned q) const { return (static_cast<std::size_t>(p) * K + k) * lines + q; }
  HEPTANE_HD void        locate(unsigned q, int &j, int &i) const
  {
    if (q < black) {
      const unsigned two = q / static_cast<unsigned>(I), rest = q - two * I, even = static_cast<unsigned>(I / 2);
      const bool     odd = rest >= even;

      j = 2 * static_cast<int>(two) + odd;
      i = 2 * static_cast<int>(odd ? rest - even : rest) + !odd;
    } else {
      const int H = (I + 1) / 2, column = kept_column[q - black];

      j = column / H;
      i = 2 * (column - j * H) + (j & 1);
    }
  }
};

/* Where the cells of lines are in the matrix, and in the vectors that a preconditioner is applied to */
struct LinesPlaces {
  bool             remaining = false; /* the lines are those of `of`, and so are the vectors */
  RemainingColumns of;                /* else the extents alone */
  GridNatural      natural;
  int              B = 1;

  /* Whether there is such a column, and where */
  template <class Real>
  HEPTANE_HD bool locate(const GridLevel<Real> &L, int colour, std::size_t column, int &j, int &i) const
  {
    if (remaining) {
      const unsigned q = static_cast<unsigned>(colour * L.H) + static_cast<unsigned>(column);

      if (q >= of.lines) return false;
      of.locate(q, j, i);
      return true;
    }
    const GridColumn C(L, colour, column);

    j = C.j;
    i = C.i;
    return C.exists;
  }
  /* In the vectors: component 0 of the first cell of a column that exists, to the next cell of a line, to the next component */
  template <class Real>
  HEPTANE_HD std::size_t first(const GridLevel<Real> &L, int colour, std::size_t column) const
  {
    if (remaining) return static_cast<std::size_t>(colour) * L.H + column;
    const GridColumn C(L, colour, column);

    return natural.cell(0, C.j, C.i) * B;
  }
  HEPTANE_HD std::size_t along() const { return remaining ? of.lines : natural.stride[0] * B; }
  HEPTANE_HD std::size_t component() const { return remaining ? static_cast<std::size_t>(of.K) * of.lines : 1; }
};

/* The level that the lines lie in, without memory */
template <class Real>
GridLevel<Real> lines_level(const LinesPlaces &at)
{
  return grid_level_of<Real>(at.of.K, at.remaining ? 1 : at.of.J, at.remaining ? static_cast<int>(at.of.lines) : at.of.I);
}

/* Whether a cell has neighbours, in the order of slots */
struct LinesNeighbours {
  bool has[grid_pivot];

  HEPTANE_HD LinesNeighbours(const RemainingColumns &of, int k, int j, int i)
  {
    has[grid_below] = k > 0;
    has[grid_above] = k + 1 < of.K;
    has[grid_west]  = i > 0;
    has[grid_east]  = i + 1 < of.I;
    has[grid_south] = j > 0;
    has[grid_north] = j + 1 < of.J;
  }
};

/* A cell from the matrix: its blocks along the line, and across. take: false where zeros are stored. The faults that it has, a bit each. Loads of an entry are under way together. */
template <int B, class Real>
HEPTANE_HD unsigned lines_load_cell(const GridMatrix &A, const GridLevel<Real> &L, std::size_t to, std::size_t cell, const LinesNeighbours &N, bool across,
                                    bool take)
{
  unsigned fault = 0;

  for (int p = 0; p < B; p++) {
    Scalar size = 0;

    for (int s = 0; s < B; s++) {
      Scalar value[grid_slots];

      HEPTANE_UNROLL
      for (int slot = 0; slot < grid_slots; slot++) value[slot] = A.scale * A.at<B>(slot < grid_pivot ? grid_diagonal_of(slot) : 0, cell, p, s);
      HEPTANE_UNROLL
      for (int slot = 0; slot < grid_slots; slot++) {
        const bool within = slot == grid_pivot || N.has[slot == grid_pivot ? 0 : slot];

        size += std::fabs(value[slot]);
        if (!within && value[slot] != 0) fault |= 1u << grid_not_neighbours;
        if (slot < grid_west || slot == grid_pivot || across) L.template entry<B>(slot, p, s)[to] = within && take ? static_cast<Real>(value[slot]) : Real(0);
      }
    }
    if (size == 0) fault |= 1u << grid_zero_row;
    if (!(size <= static_cast<Scalar>(grid_largest<Real>))) fault |= 1u << grid_not_finite;
  }
  return fault;
}

/* A cell of a line before it is factored; its blocks are where the factors will be, that of the cell itself in grid_pivot */
template <int B>
struct LinesCell {
  Scalar below[B][B], above[B][B], diagonal[B][B];

  template <class Real>
  HEPTANE_HD void load(const GridLevel<Real> &L, std::size_t c)
  {
    HEPTANE_UNROLL
    for (int p = 0; p < B; p++) {
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) {
        below[p][s]    = L.template entry<B>(grid_below, p, s)[c];
        above[p][s]    = L.template entry<B>(grid_above, p, s)[c];
        diagonal[p][s] = L.template entry<B>(grid_pivot, p, s)[c];
      }
    }
  }
};

/* The factors of a line, cell after cell: P = D - L (P^-1 U of the cell before) */
template <int B>
struct LinesFactor {
  Scalar upper[B][B] = {}; /* P^-1 U of the cell before */

  /* Stores the inverse pivot and what it makes of the couplings along the line; false where there is none */
  template <class Real>
  HEPTANE_HD bool next(const GridLevel<Real> &L, std::size_t c, LinesCell<B> &cell)
  {
    Scalar inverse[B][B], lower[B][B], size = 0;

    for (int p = 0; p < B; p++)
      for (int s = 0; s < B; s++) {
        size += std::fabs(cell.below[p][s]) + std::fabs(cell.above[p][s]) + std::fabs(cell.diagonal[p][s]);
        lower[p][s] = 0;
      }
    grid_multiply<B>(cell.below, upper, Scalar(-1), cell.diagonal);
    const bool good = grid_invert_pivot<B>(cell.diagonal, size, 16 * dense_epsilon, inverse);
    for (int p = 0; p < B; p++)
      for (int s = 0; s < B; s++) upper[p][s] = 0;
    grid_multiply<B>(inverse, cell.above, Scalar(1), upper);
    grid_multiply<B>(inverse, cell.below, Scalar(1), lower);
    for (int p = 0; p < B; p++)
      for (int s = 0; s < B; s++) {
        L.template entry<B>(grid_pivot, p, s)[c] = static_cast<Real>(inverse[p][s]);
        L.template entry<B>(grid_below, p, s)[c] = static_cast<Real>(lower[p][s]);
        L.template entry<B>(grid_above, p, s)[c] = static_cast<Real>(upper[p][s]);
      }
    return good;
  }
};

/* What a line starts from: P^-1 r. Factors may be stored in single precision; arithmetic is that of the solver, so that the preconditioner is linear to its rounding. */
template <int B, class Real>
HEPTANE_HD void lines_start(const GridLevel<Real> &L, std::size_t c, const Scalar (&r)[B], Scalar (&z)[B])
{
  HEPTANE_UNROLL
  for (int p = 0; p < B; p++) {
    z[p] = 0;
    HEPTANE_UNROLL
    for (int s = 0; s < B; s++) z[p] += static_cast<Scalar>(L.template entry<B>(grid_pivot, p, s)[c]) * r[s];
  }
}

/* z -= (factor in `slot` at c) z of the cell before, or behind */
template <int B, class Real>
HEPTANE_HD void lines_step(const GridLevel<Real> &L, int slot, std::size_t c, const Scalar (&before)[B], Scalar (&z)[B])
{
  HEPTANE_UNROLL
  for (int p = 0; p < B; p++) {
    HEPTANE_UNROLL
    for (int s = 0; s < B; s++) z[p] -= static_cast<Scalar>(L.template entry<B>(slot, p, s)[c]) * before[s];
  }
}

} // namespace heptane

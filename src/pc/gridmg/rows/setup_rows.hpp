/*
   The arithmetic of the set-up, for host and device: a cell from the matrix, the factors of a line. B: unknowns of a
   cell.
   Instead of diagonal blocks, levels store the sum S of all blocks of a block row (the accumulation part in a
   conservation law), which coarsening only adds. The pivots P of a line follow without subtraction of large numbers:
   s_k = S_k - (blocks across) - L_k P_(k-1)^-1 s_(k-1), P_k = s_k - U_k. For M-matrices all terms have one sign.
*/
#pragma once

#include "../../dense/gauss_jordan.hpp"
#include "../grid/level.hpp"
#include <cmath>

namespace heptane
{

/* The matrix, with diagonals in the order of the cells of GridLevel: the cell itself, then in the order of GridSlot */
struct GridMatrix {
  const Scalar *values = nullptr;
  std::size_t   ld     = 0;
  int           diagonal[7]; /* -1: none */
  std::size_t   stride[3];   /* in cells, along k, j, i */
  Scalar        scale = 1;   /* power of two that multiplies the values, so that the mean of the diagonal is about one */

  HEPTANE_HD std::size_t cell(int k, int j, int i) const { return k * stride[0] + j * stride[1] + i * stride[2]; }
  /* entry (i, s) of the block of a cell */
  template <int B>
  HEPTANE_HD Scalar at(int r, std::size_t cell, int i, int s) const
  {
    return diagonal[r] < 0 ? Scalar(0) : values[static_cast<std::size_t>(diagonal[r] * B + s) * ld + cell * B + i];
  }
};

/* Defects of the matrix: the number of cells, and the first one. grid_fixed_rows is no fault: the matrix may have rows
   of fixed values, see gridmg/fixed.hpp */
enum GridFault { grid_zero_row, grid_not_finite, grid_not_neighbours, grid_singular, grid_fixed_rows, grid_faults };
struct GridReport {
  static constexpr unsigned long long none               = ~0ull;
  unsigned long long                  count[grid_faults] = {0, 0, 0, 0, 0}, first[grid_faults] = {none, none, none, none, none};
};

/* Sums over the couplings of a cell along k, j and i, their numbers, and its diagonal: first columns of blocks, which
   are the columns of the pressure */
template <int B>
HEPTANE_HD void grid_means(const GridMatrix &A, std::size_t cell, Scalar (&sum)[7])
{
  for (int slot = 0; slot < grid_pivot; slot++) {
    Scalar size = 0;

    for (int i = 0; i < B; i++) size += std::fabs(A.at<B>(1 + slot, cell, i, 0));
    sum[slot / 2] += size;
    sum[3 + slot / 2] += size != 0;
  }
  for (int i = 0; i < B; i++) sum[6] += std::fabs(A.at<B>(0, cell, i, i)) / B;
}

template <class Real>
inline constexpr Real grid_largest = std::numeric_limits<Real>::max();

/* The diagonals of the matrix along k, j, i in the order of slots, which have i before j; slot ^ 1: the opposite
   side */
HEPTANE_HD int grid_diagonal_of(int slot)
{
  return slot < grid_west ? 1 + slot : slot < grid_south ? 3 + slot : slot - 1;
}

/* The axis of a side: of extents and strides along k, j, i */
HEPTANE_HD int grid_axis_of(int slot)
{
  return slot < grid_west ? 0 : slot < grid_south ? 2 : 1;
}

/* The size of the coupling of a neighbour at a side to the cell; it is nonzero in most cases */
template <int B>
HEPTANE_HD Scalar grid_facing(const GridMatrix &A, int slot, std::size_t neighbour)
{
  Scalar size = 0;

  for (int p = 0; p < B; p++) size += std::fabs(A.at<B>(grid_diagonal_of(slot ^ 1), neighbour, p, 0));
  return size;
}

/*
   Whether the neighbour of a cell has no couplings while other cells are coupled to it, as a boundary value with an
   identity row. Such a neighbour is solved exactly, and its coupling contributes to the diagonal of the cell only.
   Called if grid_facing() is zero.
*/
template <int B>
HEPTANE_HD bool grid_fixed(const GridMatrix &A, std::size_t neighbour)
{
  Scalar size = 0;

  for (int other = 0; size == 0 && other < grid_pivot; other++)
    for (int p = 0; p < B; p++)
      for (int s = 0; s < B; s++) size += std::fabs(A.at<B>(grid_diagonal_of(other), neighbour, p, s));
  return size == 0;
}

/* Stores entry (i, s) of a cell during the set-up: couplings and the sum of the block row */
template <int B, class Real, class Value>
HEPTANE_HD void grid_store(const GridLevel<Real> &L, int i, int s, std::size_t to, const Value &value, Scalar sum)
{
  const Real across[4] = {static_cast<Real>(value[grid_west]), static_cast<Real>(value[grid_east]), static_cast<Real>(value[grid_south]),
                          static_cast<Real>(value[grid_north])};

  L.template entry<B>(grid_below, i, s)[to] = static_cast<Real>(value[grid_below]);
  L.template entry<B>(grid_above, i, s)[to] = static_cast<Real>(value[grid_above]);
  L.template store_across<B>(i, s, to, across);
  L.template entry<B>(grid_pivot, i, s)[to] = static_cast<Real>(sum);
}

/* All rows of a cell by one thread. If a thread has one row, the threads of the cell combine the couplings of the
   neighbours to the cell, and whether any row is nonzero: see device/load.cuh */
template <int B>
struct GridAllRows {
  HEPTANE_HD int  first() const { return 0; }
  HEPTANE_HD int  end(int b) const { return b; }
  HEPTANE_HD void facing(const GridMatrix &A, const std::size_t (&neighbour)[grid_pivot], Scalar (&size)[grid_pivot]) const
  {
    HEPTANE_UNROLL
    for (int slot = 0; slot < grid_pivot; slot++) size[slot] = grid_facing<B>(A, slot, neighbour[slot]);
  }
  HEPTANE_HD bool any(bool value) const { return value; }
};

/*
   A cell of the finest level from the matrix. Returns its faults, one bit each; grid_fixed_rows: a coupling is omitted,
   or a row of several unknowns has only its diagonal. The loads of an entry are issued together, without a store or a
   test between them. keep(index, value, sum): the same entry in the precision of the matrix, with the diagonal in
   value[grid_pivot].
*/
template <int B, class Real, class Keep, class Rows = GridAllRows<B>>
HEPTANE_HD unsigned grid_load_cell(const GridMatrix &A, const GridLevel<Real> &L, int k, int colour, std::size_t column, Keep keep, const Rows &rows = Rows())
{
  const GridColumn  C(L, colour, column);
  const std::size_t to    = L.at(k, colour, column);
  const bool        has[] = {k > 0, k + 1 < L.K, C.west >= 0, C.east >= 0, C.south >= 0, C.north >= 0};
  const std::size_t cell  = C.exists ? A.cell(k, C.j, C.i) : 0;
  std::size_t       neighbour[grid_pivot];
  Scalar            facing[grid_pivot], value[grid_slots]; /* value: the diagonal is in grid_pivot */
  bool              fixed[grid_pivot] = {}, any = false, alone = false;
  unsigned          fault = 0;
  const auto        load  = [&](int i, int s) {
    HEPTANE_UNROLL
    for (int slot = 0; slot < grid_slots; slot++) value[slot] = A.scale * A.at<B>(slot < grid_pivot ? grid_diagonal_of(slot) : 0, cell, i, s);
  };

  HEPTANE_UNROLL
  for (int slot = 0; slot < grid_pivot; slot++) {
    const std::size_t stride = A.stride[grid_axis_of(slot)];

    neighbour[slot] = !has[slot] || !C.exists ? cell : slot % 2 ? cell + stride : cell - stride;
  }
  rows.facing(A, neighbour, facing);
  load(rows.first(), 0);
  HEPTANE_UNROLL
  for (int slot = 0; slot < grid_pivot; slot++)
    if (has[slot] && C.exists && facing[slot] == 0) fixed[slot] = grid_fixed<B>(A, neighbour[slot]);
  for (int i = rows.first(); i < rows.end(B); i++)
    for (int s = 0; s < B; s++) {
      Scalar sum = 0, size = 0;

      if (i > rows.first() || s > 0) load(i, s);
      if (C.exists) {
        sum  = value[grid_pivot];
        size = std::fabs(sum);
        HEPTANE_UNROLL
        for (int slot = 0; slot < grid_pivot; slot++) {
          const bool coupled = has[slot] && !fixed[slot];

          if (!coupled && value[slot] != 0) fault |= 1u << (has[slot] ? grid_fixed_rows : grid_not_neighbours);
          size += std::fabs(value[slot]);
          if (!coupled) value[slot] = 0;
          sum += value[slot];
        }
        any |= size != 0;
        alone = B != 1 && (s == 0 || alone) && size == (s == i ? std::fabs(value[grid_pivot]) : Scalar(0));
        if (alone && s + 1 == B) fault |= 1u << grid_fixed_rows;
        if (!(size <= static_cast<Scalar>(grid_largest<Real>))) fault |= 1u << grid_not_finite;
        if (std::fabs(sum) <= 8 * dense_epsilon * size) sum = 0; /* rounding */
      } else {
        HEPTANE_UNROLL
        for (int slot = 0; slot < grid_slots; slot++) value[slot] = 0;
      }
      grid_store<B>(L, i, s, to, value, sum);
      keep(to, value, sum);
    }
  any = rows.any(any); /* over all threads of the cell */
  if (C.exists && !any) fault |= 1u << grid_zero_row;
  return fault;
}
template <int B, class Real>
HEPTANE_HD unsigned grid_load_cell(const GridMatrix &A, const GridLevel<Real> &L, int k, int colour, std::size_t column)
{
  return grid_load_cell<B>(A, L, k, colour, column, [](std::size_t, const Scalar(&)[grid_slots], Scalar) {});
}

/* The inverse of the pivot, zero if it is singular: such a cell keeps x = 0, as one cell of a singular system must */
template <int B>
HEPTANE_HD bool grid_invert_pivot(const Scalar (&P)[B][B], Scalar size, Scalar epsilon, Scalar (&inverse)[B][B])
{
  if constexpr (B == 1) {
    const bool good = std::fabs(P[0][0]) > epsilon * size; /* false for NaN */

    inverse[0][0] = good ? 1 / P[0][0] : Scalar(0);
    return good || !(size > 0);
  } else {
    Scalar   a[B][B];
    unsigned order;

    for (int i = 0; i < B; i++)
      for (int s = 0; s < B; s++) a[i][s] = P[i][s];
    const Pivots pivots = gauss_jordan<B, (B <= 5 ? B : 1)>(a, order); /* keeps unrolled code small */
    const bool   good   = pivots.zero < 0 && pivots.nonfinite < 0 && !pivots.nearly_singular(B);
    for (int s = 0; s < B; s++)
      for (int i = 0; i < B; i++) inverse[i][(order >> 4 * s) & 15u] = good ? a[i][s] : Scalar(0);
    return good || !(size > 0);
  }
}

/* c += sign a b */
template <int B>
HEPTANE_HD void grid_multiply(const Scalar (&a)[B][B], const Scalar (&b)[B][B], Scalar sign, Scalar (&c)[B][B])
{
  for (int i = 0; i < B; i++)
    for (int s = 0; s < B; s++) {
      Scalar sum = 0;

      for (int t = 0; t < B; t++) sum += a[i][t] * b[t][s];
      c[i][s] += sign * sum;
    }
}

/* A cell of a line before its factorisation, in storage format: a thread loads it ahead, without dependent
   arithmetic */
template <int B, class Real>
struct GridRawCell {
  Real value[grid_slots][B][B];

  HEPTANE_HD void load(const GridLevel<Real> &L, std::size_t c)
  {
    HEPTANE_UNROLL
    for (int p = 0; p < B; p++) {
      HEPTANE_UNROLL
      for (int q = 0; q < B; q++) {
        Real across[4];

        L.template across<B>(L.half, p, q, c, across);
        HEPTANE_UNROLL
        for (int side = 0; side < 4; side++) value[grid_west + side][p][q] = across[side];
        value[grid_below][p][q] = L.template entry<B>(grid_below, p, q)[c];
        value[grid_above][p][q] = L.template entry<B>(grid_above, p, q)[c];
        value[grid_pivot][p][q] = L.template entry<B>(grid_pivot, p, q)[c];
      }
    }
  }
};

/* ... and unpacked for the factorisation */
template <int B>
struct GridLineCell {
  Scalar below[B][B], above[B][B], s[B][B], size; /* size: sum of magnitudes of all entries of the block row */

  template <class Real>
  HEPTANE_HD void load(const GridLevel<Real> &L, std::size_t c)
  {
    GridRawCell<B, Real> raw;

    raw.load(L, c);
    take(raw);
  }
  template <class Real>
  HEPTANE_HD void take(const GridRawCell<B, Real> &raw)
  {
    size = 0;
    HEPTANE_UNROLL
    for (int p = 0; p < B; p++) {
      HEPTANE_UNROLL
      for (int q = 0; q < B; q++) {
        s[p][q]     = raw.value[grid_pivot][p][q];
        below[p][q] = raw.value[grid_below][p][q];
        above[p][q] = raw.value[grid_above][p][q];
        size += std::fabs(s[p][q]) + std::fabs(below[p][q]) + std::fabs(above[p][q]);
        HEPTANE_UNROLL
        for (int slot = grid_west; slot <= grid_north; slot++) {
          const Scalar value = raw.value[slot][p][q];

          s[p][q] -= value;
          size += std::fabs(value);
        }
      }
    }
  }
};

/* The factors of a line, cell after cell */
template <int B>
struct GridLine {
  Scalar ratio[B][B] = {}; /* P^-1 s of the previous cell */

  /* Stores the inverse pivot and its products with the couplings along the line. Returns false if the pivot is
     singular, unless the cell is empty. */
  template <class Real>
  HEPTANE_HD bool factor(const GridLevel<Real> &L, std::size_t c, GridLineCell<B> &cell)
  {
    Scalar     inverse[B][B];
    const bool good = pivot(cell, inverse);

    put(L, c, cell, inverse);
    return good;
  }
  /* The inverse pivot only */
  HEPTANE_HD bool pivot(GridLineCell<B> &cell, Scalar (&inverse)[B][B])
  {
    Scalar P[B][B];

    grid_multiply<B>(cell.below, ratio, Scalar(-1), cell.s);
    for (int p = 0; p < B; p++)
      for (int q = 0; q < B; q++) {
        P[p][q]     = cell.s[p][q] - cell.above[p][q];
        ratio[p][q] = 0;
      }
    const bool good = grid_invert_pivot<B>(P, cell.size, 16 * dense_epsilon, inverse);
    grid_multiply<B>(inverse, cell.s, Scalar(1), ratio);
    return good;
  }
  /* Stores the factors */
  template <class Real>
  HEPTANE_HD static void put(const GridLevel<Real> &L, std::size_t c, const GridLineCell<B> &cell, const Scalar (&inverse)[B][B])
  {
    for (int p = 0; p < B; p++)
      for (int q = 0; q < B; q++) L.template entry<B>(grid_pivot, p, q)[c] = static_cast<Real>(inverse[p][q]);
    store(L, grid_below, c, inverse, cell.below);
    store(L, grid_above, c, inverse, cell.above);
  }

private:
  template <class Real>
  HEPTANE_HD static void store(const GridLevel<Real> &L, int slot, std::size_t c, const Scalar (&inverse)[B][B], const Scalar (&block)[B][B])
  {
    Scalar product[B][B] = {};

    grid_multiply<B>(inverse, block, Scalar(1), product);
    for (int p = 0; p < B; p++)
      for (int q = 0; q < B; q++) L.template entry<B>(slot, p, q)[c] = static_cast<Real>(product[p][q]);
  }
};

} // namespace heptane

/*
   A level of the multigrid hierarchy as its arithmetic sees it: where cells lie and where their coefficients are. Passed to kernels by value; knows no PETSc objects.

   Columns along the line axis are coloured like a chessboard. Cell (k, j, i), k along the line, i along the faster axis across, has colour (i + j) % 2 and place
   at(k, colour, j * H + i / 2): the columns of one colour, and what a solve reads of those of the other one, lie side by side. A row has H = (I + 1) / 2 places of each colour; where
   it has fewer columns the last place is padding, whose coefficients are zero, and so is its solution.
*/
#pragma once

#include "../../device/scalar.hpp"
#include <cstddef>

namespace heptane
{

/* The blocks of coefficients of a cell */
enum GridSlot {
  grid_below, /* to the neighbour before on the line; after the set-up multiplied by the inverse pivot */
  grid_above, /* to the one behind, in the same way */
  grid_west,  /* to the neighbours across, along i and along j; zero where there is none */
  grid_east,
  grid_south,
  grid_north,
  grid_pivot, /* while levels are made the sum of all blocks of the block row, then the inverse pivot of the line */
  grid_slots
};

template <class Real>
struct GridLevel {
  int         K = 0, J = 0, I = 0, H = 0; /* cells of a line; columns along j, along i; places of one colour along i */
  int         pair_j = 0, pair_i = 0;     /* see GridExtent */
  std::size_t columns = 0;                /* places of one colour in a layer: J * H */
  std::size_t cells   = 0;                /* 2 * columns * K */
  Real       *coef    = nullptr; /* [grid_slots * B * B * cells]: entry (i, s) of a block of the cell at c is coef[((slot * B + i) * B + s) * cells + c] */
  Real       *x = nullptr, *b = nullptr; /* [B * cells] component by component */
  Real       *d = nullptr;               /* change of x, and room for columns that do not fit in registers; may be null */

  HEPTANE_HD std::size_t at(int k, int colour, std::size_t column) const { return (2 * static_cast<std::size_t>(k) + colour) * columns + column; }
  HEPTANE_HD std::size_t of_cell(int k, int j, int i) const { return at(k, (i + j) & 1, static_cast<std::size_t>(j) * H + (i >> 1)); }
  template <int B>
  HEPTANE_HD Real *entry(int slot, int i, int s) const
  {
    return coef + static_cast<std::size_t>((slot * B + i) * B + s) * cells;
  }
};

/* A column of one colour: where it is in the grid, and its neighbours among the columns of the other colour, -1 where there are none */
struct GridColumn {
  int       j, i;
  bool      exists; /* it is not padding */
  long long west, east, south, north;

  template <class Real>
  HEPTANE_HD GridColumn(const GridLevel<Real> &L, int colour, std::size_t column)
  {
    const unsigned row = static_cast<unsigned>(column) / static_cast<unsigned>(L.H); /* columns are fewer than rows, which 32 bits count */
    const int      h = static_cast<int>(static_cast<unsigned>(column) - row * static_cast<unsigned>(L.H)), parity = (colour + static_cast<int>(row)) & 1;

    j      = static_cast<int>(row);
    i      = 2 * h + parity;
    exists = i < L.I;
    west   = exists && i > 0 ? static_cast<long long>(column) - 1 + parity : -1;
    east   = i + 1 < L.I ? static_cast<long long>(column) + parity : -1;
    south  = exists && j > 0 ? static_cast<long long>(column) - L.H : -1;
    north  = exists && j + 1 < L.J ? static_cast<long long>(column) + L.H : -1;
  }
};

} // namespace heptane

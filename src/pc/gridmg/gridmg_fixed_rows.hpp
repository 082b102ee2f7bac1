/*
   Fixed values in CG without red columns, one unknown per cell: cells whose rows have no couplings while others are coupled to them, as rows of boundary values. With them a matrix is not symmetric. The system of
   CG leaves such couplings out; fixed cells are solved before, and what that makes of the residual of the others is taken from it. The arithmetic of a cell, for host and device.
*/
#pragma once

#include "gridmg_setup_rows.hpp"

namespace heptane
{

/* A cell that is coupled to fixed ones: the coupling over the diagonal of the neighbour at each side, zero where the neighbour is none */
struct GridFixedRow {
  std::size_t cell;
  Scalar      factor[grid_pivot];
};
/* A fixed cell: one over its diagonal, and what x grows by there */
struct GridFixedCell {
  std::size_t cell;
  Scalar      inverse, more;
};

/* Where cells lie in the numbering of the matrix: extents and strides along k, j, i */
struct GridFixedPlaces {
  std::size_t extent[3], stride[3];

  HEPTANE_HD std::size_t cells() const { return extent[0] * extent[1] * extent[2]; }
  /* The neighbour at the side of a slot */
  HEPTANE_HD bool has(std::size_t cell, int slot) const
  {
    const int         axis = grid_axis_of(slot);
    const std::size_t at   = cell / stride[axis] % extent[axis];

    return slot % 2 ? at + 1 < extent[axis] : at > 0;
  }
  HEPTANE_HD std::size_t neighbour(std::size_t cell, int slot) const
  {
    const std::size_t step = stride[grid_axis_of(slot)];

    return slot % 2 ? cell + step : cell - step;
  }
};

/* The row of a cell; false: it is coupled to no fixed cell */
HEPTANE_HD bool grid_fixed_row(const GridMatrix &A, const GridFixedPlaces &at, std::size_t cell, GridFixedRow &row)
{
  bool any = false;

  row.cell = cell;
  for (int slot = 0; slot < grid_pivot; slot++) {
    row.factor[slot] = 0;
    if (!at.has(cell, slot)) continue;
    const std::size_t neighbour = at.neighbour(cell, slot);
    const Scalar      coupling  = A.at<1>(grid_diagonal_of(slot), cell, 0, 0);

    if (coupling == Scalar(0) || grid_facing<1>(A, slot, neighbour) != Scalar(0) || !grid_fixed<1>(A, neighbour)) continue;
    row.factor[slot] = coupling / A.at<1>(0, neighbour, 0, 0);
    any              = true;
  }
  return any;
}

/* Whether a cell is fixed: it has no couplings, and others have some to it */
HEPTANE_HD bool grid_fixed_cell(const GridMatrix &A, const GridFixedPlaces &at, std::size_t cell, GridFixedCell &fixed)
{
  if (!grid_fixed<1>(A, cell)) return false;
  bool wanted = false;

  for (int slot = 0; slot < grid_pivot; slot++) wanted |= at.has(cell, slot) && grid_facing<1>(A, slot, at.neighbour(cell, slot)) != Scalar(0);
  fixed = {cell, 1 / A.at<1>(0, cell, 0, 0), 0};
  return wanted;
}

/* What is left of the residual r at a cell that is coupled to fixed ones, when these have been solved */
HEPTANE_HD Scalar grid_left_of(const GridFixedRow &row, const GridFixedPlaces &at, const Scalar *r)
{
  Scalar left = r[row.cell];

  for (int slot = 0; slot < grid_pivot; slot++)
    if (row.factor[slot] != Scalar(0)) left -= row.factor[slot] * r[at.neighbour(row.cell, slot)];
  return left;
}

} // namespace heptane

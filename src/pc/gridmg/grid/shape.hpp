/*
   The structured grid of a matrix of block diagonals: extents from the offsets, or as given. Host only; uses no PETSc
   objects.
*/
#pragma once

#include "../../../pass/offers/block_diagonals.hpp"
#include <string>

namespace heptane
{

/* Cells are numbered along axis 0 first, then 1, then 2 */
struct GridShape {
  int         extent[3] = {1, 1, 1};
  std::size_t stride[3] = {1, 1, 1};
  /* numbers of the block diagonals: the cell itself, then the lower and upper neighbour along each axis; -1: none */
  int diagonal[7] = {-1, -1, -1, -1, -1, -1, -1};

  std::size_t cells() const { return stride[2] * extent[2]; }
};

/* wanted: extents, 0: from the offsets. Returns the reason if there is no such grid, with the remedy; otherwise an
   empty string */
std::string grid_find_shape(const BlockDiagonals &D, const int wanted[3], GridShape *shape);

} // namespace heptane

/*
   The grid of a matrix of block diagonals.
*/
#include "shape.hpp"
#include <cstdlib>
#include <set>

namespace heptane
{

namespace
{

/* At ends of lines of three cells a third of the diagonal is filled, with two cells half of it; the entries of such
   ends may exceed a quarter of the matrix */
const std::string suffix = "stored in the remainder with -mat_bdiagh_min_occupancy 0.4 -mat_bdiagh_max_remainder 0.5";

std::string text(int a)
{
  return std::to_string(a);
}

/* Extents from the distances of neighbours: 1, a line, a plane */
std::string extents_of(const std::set<int> &distances, int cells, int extent[3])
{
  const std::string give = ": give the extents with -pc_gridmg_grid nx,ny,nz";
  int               line = 1, k = 0;

  extent[0] = cells;
  extent[1] = extent[2] = 1;
  if (distances.empty()) return "";
  if (*distances.begin() != 1) return "No block diagonal has offset 1, so the offsets do not show the grid" + give;
  if (distances.size() > 3)
    return "The block diagonals have " + text(static_cast<int>(distances.size())) + " distances from the main one, a grid with three axes has at most 3" +
           give + ", and have other couplings, such as periodic ones, " + suffix + ", or use -pc_type gamg";
  for (int distance : distances) {
    if (distance == 1) continue;
    if (distance % line || cells % distance)
      return "The offset " + text(distance) + " of a block diagonal is not that of a grid of " + text(cells) + " cells" +
             (line > 1 ? " in lines of " + text(line) : "") + give + ", and have other couplings, such as periodic ones, " + suffix + ", or use -pc_type gamg";
    extent[k]     = distance / line;
    extent[k + 1] = cells / distance;
    line          = distance;
    k++;
  }
  return "";
}

} // namespace

std::string grid_find_shape(const BlockDiagonals &D, const int wanted[3], GridShape *shape)
{
  const int     cells = D.rows / D.block;
  std::set<int> distances;

  *shape = GridShape();
  for (int r = 0; r < D.ndiag; r++)
    if (D.offset[r]) distances.insert(std::abs(D.offset[r]));
  if (wanted[0] > 0) {
    for (int a = 0; a < 3; a++) shape->extent[a] = wanted[a] > 0 ? wanted[a] : 1;
  } else {
    const std::string why = extents_of(distances, cells, shape->extent);
    if (!why.empty()) return why;
  }
  for (int a = 1; a < 3; a++) shape->stride[a] = shape->stride[a - 1] * shape->extent[a - 1];
  const std::string grid = text(shape->extent[0]) + " x " + text(shape->extent[1]) + " x " + text(shape->extent[2]);
  if (shape->cells() != static_cast<std::size_t>(cells))
    return "A grid of " + grid + " does not have the " + text(cells) + " cells of the matrix (rows divided by the block size " + text(D.block) +
           "): correct -pc_gridmg_grid, or -mat_bdiagh_block_size";
  for (int r = 0; r < D.ndiag; r++) {
    const int offset = D.offset[r];
    int       found  = offset ? -1 : 0;

    for (int a = 0; a < 3 && found < 0; a++)
      if (shape->extent[a] > 1 && shape->stride[a] == static_cast<std::size_t>(std::abs(offset))) found = 1 + 2 * a + (offset > 0);
    if (found < 0) {
      for (int a = 0; a < 3; a++)
        if (shape->extent[a] > 1 && shape->stride[a] * (shape->extent[a] - 1) == static_cast<std::size_t>(std::abs(offset)))
          return "The block diagonal with offset " + text(offset) + " couples the ends of lines, as in periodic grids, of " + grid + ": have it " + suffix +
                 ", or use -pc_type gamg";
      return "The block diagonal with offset " + text(offset) + " does not couple neighbours in a grid of " + grid +
             ": correct -pc_gridmg_grid, or have it stored in the remainder with a larger -mat_bdiagh_min_occupancy than the part of it that is filled, or use -pc_type gamg";
    }
    shape->diagonal[found] = r;
  }
  if (shape->diagonal[0] < 0 && cells) return "The main diagonal is not stored as a block diagonal: use -pc_type gamg";
  return "";
}

} // namespace heptane

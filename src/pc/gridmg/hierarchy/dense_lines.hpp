/*
   Which lines of which levels have an inverse (see rows/dense.hpp), and the memory of these.
*/
#pragma once

#include "../../../device/buffer.hpp"
#include "../rows/system.hpp"

namespace heptane
{

/*
   How many lines of each level are solved exactly with their entries beside the diagonals. All that have some, from some level to the last one: where every entry couples cells of one line, lines are
   not too long, and the inverses of these levels take little memory. None of other levels. lists: of the links of all levels
*/
std::vector<int> grid_dense_lines(const GridPlan &plan, int B, const std::vector<GridLinksList> &lists);

template <class Real>
class GridDenseLines {
public:
  /*
     The lines of the first levels of S, those with some in the whole grid, which `lines` counts; levels have their shapes, and links their places: the `dense` of S, and
     no residuals of rows with links that these levels would have. lists: of the links of S
  */
  PetscErrorCode Place(Where where, const std::vector<int> &lines, const std::vector<GridLinksList> &lists, GridSystem<Real> *S);

private:
  void AddLevel(const GridLevel<Real> &L, int B, const GridLinksList &links, const std::vector<int> &columns, std::vector<int> *all);

  Buffer<int>    numbers;
  Buffer<Real>   inverses;
  Buffer<Scalar> work;
};

} // namespace heptane

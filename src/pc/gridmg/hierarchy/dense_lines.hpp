/*
   The choice of lines that have an inverse (see rows/dense.hpp), and their memory.
*/
#pragma once

#include "../../../device/buffer.hpp"
#include "../rows/system.hpp"

namespace heptane
{

/*
   For each level the number of lines solved exactly with their remainder entries: all lines with such entries, from
   some level to the last one. Conditions: every entry couples cells of one line, lines are short enough, and the
   inverses of these levels need little memory. None on other levels. lists: of the remainder entries of all levels
*/
std::vector<int> grid_dense_lines(const GridPlan &plan, int B, const std::vector<GridRemainderList> &lists);

template <class Real>
class GridDenseLines {
public:
  /*
     Sets up the lines of the first levels of S that have some in the whole grid, as counted by `lines`. Levels have
     their shapes, and remainder entries their places: `dense` of S is set, and residuals of remainder rows of these
     levels are removed. lists: of the remainder entries of S
  */
  PetscErrorCode Place(Where where, const std::vector<int> &lines, const std::vector<GridRemainderList> &lists, GridSystem<Real> *S);

private:
  void AddLevel(const GridLevel<Real> &L, int B, const GridRemainderList &remainder, const std::vector<int> &columns, std::vector<int> *all);

  Buffer<int>    numbers;
  Buffer<Real>   inverses;
  Buffer<Scalar> work;
};

} // namespace heptane

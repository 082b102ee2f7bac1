/*
   Plan of a multigrid cycle on a structured grid: levels and their extents, line axis, coarsened axes, steps of a cycle
   in order. Host only; independent of values, devices, PETSc objects.
*/
#pragma once

#include "shape.hpp"
#include <cmath>
#include <vector>

namespace heptane
{

enum class GridCycle { v, w, f };

/* The options that decide a plan */
struct GridOptions {
  GridCycle cycle     = GridCycle::v;
  int       line_axis = -1; /* 0, 1, 2; -1: by the coefficients */
  /* a lateral axis is not coarsened while its mean coupling is weaker than the strongest lateral one by this factor */
  double threshold = 2.5;
  int    levels    = 0; /* at most this number; 0: until one column is left */
  int    smooths   = 1; /* on each level before and after the correction */
  /* couplings across lines in 16 bits if the cycle is in single precision: see GridTuning::half_levels */
  bool half  = true;
  bool dense = true; /* lines with remainder entries are solved exactly if possible: see rows/dense.hpp */
};

/* Coefficients that the plan depends on: for each axis the sum and the number of its couplings, and the diagonal */
struct GridMeans {
  double sum[3] = {0, 0, 0}, count[3] = {0, 0, 0}, diagonal = 0;

  double mean(int axis) const { return count[axis] > 0 && std::isfinite(sum[axis]) ? sum[axis] / count[axis] : 0; }
};
/* From the sums of grid_means() over all cells */
template <class Scalar>
GridMeans grid_means_of(const Scalar (&sums)[7], std::size_t cells)
{
  GridMeans means;

  for (int a = 0; a < 3; a++) {
    means.sum[a]   = sums[a];
    means.count[a] = sums[3 + a];
  }
  means.diagonal = cells ? sums[6] / static_cast<double>(cells) : 0;
  return means;
}

/* A level: lines of K cells, in J times I columns */
struct GridExtent {
  int  K, J, I;
  bool pair_j, pair_i; /* columns are joined in pairs along these axes to make the next level; neither: the last */
};

enum class GridOp {
  enter,    /* stores right-hand sides of remainder rows; x = 0 in the columns of their remainder */
  solve,    /* the columns of one colour */
  balance,  /* right-hand sides of the remainder rows of one colour less the product of their remainder with x */
  restrict, /* the residual becomes the next level's right-hand side */
  prolong   /* x += the next level's x */
};

struct GridStep {
  GridOp op;
  int    level, colour;   /* red 0, black 1 */
  bool   zero    = false; /* solve: x of the other colour is zero */
  bool   correct = false; /* solve: x of the other colour is read with the next level's x added */
  bool   change  = false; /* solve: the change of x is stored; restrict: it is read instead of x */
};

struct GridPlan {
  int                     axis[3] = {2, 1, 0}; /* of the grid: along the lines, the slower and the faster one across */
  std::vector<GridExtent> levels;
  std::vector<GridStep>   steps;
  bool                    changes = false; /* a step stores a change */
};

/* remainder: for each level whether it has remainder entries */
void     grid_plan_steps(const GridOptions &options, const std::vector<bool> &remainder, GridPlan *plan);
GridPlan grid_plan_levels(const GridShape &shape, const GridOptions &options, const GridMeans &means);

} // namespace heptane

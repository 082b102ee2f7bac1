/*
   What the executors of the multigrid work on: levels, links and steps, all on the host or with arrays on the device.
*/
#pragma once

#include "../../device/with_block.hpp"
#include "gridmg_cycle_rows.hpp"
#include "gridmg_links.hpp"
#include "gridmg_plan.hpp"
#include "gridmg_setup_rows.hpp"
#include "gridmg_tuning.hpp"
#include <vector>

namespace heptane
{

template <class Real>
struct GridSystem {
  int                          B = 1;
  std::vector<GridLevel<Real>> levels;
  std::vector<GridLinks<Real>> links; /* [levels] */
  GridNatural                  natural;
  Scalar                       scale = 1; /* the matrix of the levels is that of the solver times this */
  GridPlan                     plan;
};

/* Calls f with the number of unknowns of a cell known to the compiler */
template <class F>
void with_unknowns(int B, F &&f)
{
  with_block_of(GridTuning::Unknowns(), B, [&](auto b) {
    if constexpr (b() > 0) f(b);
  });
}

} // namespace heptane

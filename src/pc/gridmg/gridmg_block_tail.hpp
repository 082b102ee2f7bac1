/*
   What the last levels of a cycle with several unknowns per cell take where they run in one launch: see gridmg_block_tail.cuh.
*/
#pragma once

#include "gridmg_links.hpp"
#include "gridmg_plan.hpp"

namespace heptane
{

template <class Real>
struct GridBlockTail {
  const GridLevel<Real> *level = nullptr; /* of all levels */
  const GridLinks<Real> *links = nullptr;
  const GridStep        *step  = nullptr; /* those to be done, of levels whose couplings are whole */
  int                    steps = 0, blocks = 0;
};

} // namespace heptane

/*
   Runs the stages of a divided cycle, or a part of them. The caller runs the steps on the slab and on undivided levels:
   on the host, or as launches.
*/
#pragma once

#include "peers.hpp"
#include <vector>

namespace heptane
{

inline GridArray grid_stage_array(const GridStage &s)
{
  return s.array == GridStage::b ? GridArray::b : s.array == GridStage::d ? GridArray::d : GridArray::x;
}

/* steps(from, to): runs steps of the slab; coarse(): runs the undivided levels, between the gather of their
   right-hand side and the copy of their solution. Both return an error code. */
template <class Real, class Steps, class CoarseSolve>
PetscErrorCode grid_run_stages(const std::vector<GridStage> &stages, GridPeers<Real> *others, GridStream stream, Steps &&steps, CoarseSolve &&coarse)
{
  PetscFunctionBegin;
  for (const GridStage &s : stages) {
    if (s.kind == GridStage::steps) PetscCall(steps(s.from, s.to));
    else if (s.kind == GridStage::exchange) PetscCall(others->ExchangeOverlap(s.level, grid_stage_array(s), GridDivision::sent, stream));
    else {
      PetscCall(others->GatherCoarse(GridArray::b, stream));
      PetscCall(coarse());
      PetscCall(others->ScatterCoarse(stream));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

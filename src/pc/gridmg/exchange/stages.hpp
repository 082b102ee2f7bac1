/*
   Goes along the stages of a divided cycle, or of a part of it. Steps on the slab and on the levels behind are the caller's: on the host, or as launches.
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

/* steps(from, to): of the slab; behind(): those behind, between the right-hand side from all slabs and the solution to them. Both return an error code. */
template <class Real, class Steps, class Behind>
PetscErrorCode grid_along_stages(const std::vector<GridStage> &stages, GridPeers<Real> *others, GridStream stream, Steps &&steps, Behind &&behind)
{
  PetscFunctionBegin;
  for (const GridStage &s : stages) {
    if (s.kind == GridStage::steps) PetscCall(steps(s.from, s.to));
    else if (s.kind == GridStage::exchange) PetscCall(others->Beside(s.level, grid_stage_array(s), GridDivision::sent, stream));
    else {
      PetscCall(others->ToAll(GridArray::b, stream));
      PetscCall(behind());
      PetscCall(others->Up(stream));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

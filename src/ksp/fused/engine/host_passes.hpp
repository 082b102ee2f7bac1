/*
   Runs passes on the host.
*/
#pragma once

#include "passes.hpp"

namespace heptane
{

class HostPasses {
public:
  HostPasses(FusedHostScalars &S, FusedCounts &of) : scalars(S), counts(of) {}
  void SumBy(const ProcessSums &way) { by = &way; }

  template <class Pass>
  PetscErrorCode Run(const Pass &pass)
  {
    Scalar sums[4] = {};

    PetscFunctionBegin;
    if (!pass.always && Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
    if (pass.Advance(scalars) && Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
    counts.launches += pass.Launches();
    counts.reductions += pass.Sums() > 0;
    [[maybe_unused]] const auto metrics = pass.Metrics(false, scalars);
    PetscCall(pass.Host(scalars, sums));
    if (pass.Sums()) PetscCall(scalars.Keep(pass.Sums(), pass.FirstSum(), sums, *by));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  bool Stopped() const { return scalars.Host().stop != FusedStop::no; }

  FusedHostScalars  &scalars;
  FusedCounts       &counts;
  const ProcessSums *by = nullptr;
};

} // namespace heptane

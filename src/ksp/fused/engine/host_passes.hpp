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
  void SumBy(const ProcessSums &way)
  {
    by        = &way;
    left_sums = LeftSums();
  }

  template <class Pass>
  PetscErrorCode Run(const Pass &pass)
  {
    Scalar sums[4] = {};

    PetscFunctionBegin;
    if (!pass.always && Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
    if (pass.Advance(scalars) && Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
    counts.launches += pass.Launches();
    counts.reductions += pass.Sums() > 0 && !Pass::joins;
    [[maybe_unused]] const auto metrics = pass.Metrics(false, scalars);
    PetscCall(pass.Host(scalars, sums));
    int at, count;

    scalars.Leave(pass.Sums(), pass.FirstSum(), sums);
    if (pass.Sums() && left_sums.Add(pass, &at, &count)) PetscCall(scalars.AddLeft(count, at, *by));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  bool Stopped() const { return scalars.Host().stop != FusedStop::no; }

  FusedHostScalars  &scalars;
  FusedCounts       &counts;
  const ProcessSums *by = nullptr;
  LeftSums           left_sums;
};

} // namespace heptane

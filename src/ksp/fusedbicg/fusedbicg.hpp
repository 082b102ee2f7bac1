/*
   The fused biconjugate gradient method.
*/
#pragma once

#include "../fused/solver.hpp"
#include "steps.hpp"

namespace heptane
{

class FusedBicg final : public FusedMethod {
public:
  FusedTraits      Traits(KSP) const override;
  std::vector<Vec> Vectors(KSP) override;
  PetscErrorCode   Start(FusedEngine &) override;
  void             Started(FusedEngine &e) const override { bicg_start(e.Host<BicgScalars>(), e.HostSums()[bicg_zr], e.HostSums()[bicg_nn]); }
  void             CheckStart(FusedScalars &) const override;
  void             Settle(FusedEngine &e) const override { bicg_after_residual(e.Host<BicgScalars>(), e.HostSums()[bicg_zr], e.HostSums()[bicg_nn]); }
  PetscErrorCode   Iteration(FusedEngine &, const FusedPc &) override;
  PetscErrorCode   Complete(FusedEngine &, const FusedPc &) override;
  void             Continue(FusedScalars &S) const override { bicg_continue(static_cast<BicgScalars &>(S)); }
  FusedSide        Fold(KSP, const FusedPc &, PetscBool, std::string *why) const override
  {
    *why = "the method multiplies with the transpose too";
    return FusedSide::none;
  }
};

/* The creator of KSPFUSEDBICG */
PetscErrorCode KSPCreate_FusedBICG(KSP ksp);

} // namespace heptane

/*
   The fused stabilised biconjugate gradient method.
*/
#pragma once

#include "../fused/solver.hpp"
#include "mixed.hpp"

namespace heptane
{

class FusedBcgs final : public FusedMethod, public FusedRepeatedMethod, public FusedPersistentMethod, public FusedSingleMethod {
public:
  ~FusedBcgs() override;
  FusedTraits      Traits(KSP) const override;
  std::vector<Vec> Vectors(KSP) override;
  PetscErrorCode   Start(FusedEngine &) override;
  void             Started(FusedEngine &e) const override { bcgs_start(e.Host<BcgsScalars>(), e.HostSums()[bcgs_rr]); }
  void             Settle(FusedEngine &e) const override { bcgs_after_update(e.Host<BcgsScalars>(), e.HostSums()[bcgs_rr]); }
  PetscErrorCode   Iteration(FusedEngine &, const FusedPc &) override;
  PetscErrorCode   Repeat(FusedEngine &, const FusedPc &, const FusedRepeat &) override;
  PetscErrorCode   Complete(FusedEngine &, const FusedPc &) override { return PETSC_SUCCESS; } /* x is complete after every iteration */
  PetscErrorCode   Finish(FusedEngine &) override;
  void             Continue(FusedScalars &S) const override { bcgs_continue(static_cast<BcgsScalars &>(S)); }
  PetscErrorCode   Singular(FusedEngine &) override;
  bool             Persistent(FusedEngine &, const FusedPc &, FusedPersistent *) const override;
  FusedSide        Fold(KSP ksp, const FusedPc &, PetscBool, std::string *) const override
  {
    return ksp->pc_side == PC_RIGHT ? FusedSide::right : FusedSide::left; /* the vectors do not change */
  }

  /* mixed.cxx */
  const char    *WhyNotSingle(KSP ksp) const override { return ksp->pc_side == PC_LEFT ? nullptr : "preconditioning from the right"; }
  FusedSide      SideSingle(KSP ksp, const FusedPc &pc, std::string *why) const override { return Fold(ksp, pc, PETSC_FALSE, why); }
  PetscErrorCode EnterSingle(FusedEngine &, bool *got) override;
  PetscErrorCode AddCorrection(FusedEngine &, const FusedPc &, Scalar *kept) override;
  void           Residual(KSP, const FusedPc &, FusedPc *, Vec *to) const override;
  PetscErrorCode Round(FusedEngine &, const FusedPc &, FusedRounding) override;
  Real           Rounded(FusedEngine &, FusedRounding) const override;
  PetscErrorCode LeaveSingle(FusedEngine &, const FusedPc &) override;
  bool           PersistentSingle(FusedEngine &, const FusedPc &, FusedSinglePersistent *) const override;

  PetscErrorCode Reset() override;
  /* KSPBuildSolution() */
  PetscErrorCode BuildSolution(KSP ksp, Vec v, Vec *V);

private:
  PetscErrorCode IterateSingle(FusedEngine &, const FusedPc &);

  BcgsSingles single; /* in mixed precision */

  Vec  guess     = NULL; /* right preconditioning with a nonzero guess: added at the end */
  Vec  built     = NULL; /* right preconditioning: x for callers that pass no vector, such as -ksp_monitor_solution */
  bool has_guess = false;
  bool s_stored  = false; /* the half step is a vector */
  bool direct    = false; /* right preconditioning by calls: x is the solution, not the vector to which M^-1 is applied */
};

/* The creator of KSPFUSEDBCGS */
PetscErrorCode KSPCreate_FusedBCGS(KSP ksp);

} // namespace heptane

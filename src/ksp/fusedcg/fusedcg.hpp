/*
   The fused conjugate gradient method.
*/
#pragma once

#include "../fused/solver.hpp"
#include "mixed.hpp"
#include "reduced.hpp"
#include "steps.hpp"

namespace heptane
{

class FusedCg final : public FusedMethod,
                      public FusedUnwatchedMethod,
                      public FusedRepeatedMethod,
                      public FusedFoldedMethod,
                      public FusedPersistentMethod,
                      public FusedSingleMethod {
public:
  FusedTraits      Traits(KSP) const override;
  std::vector<Vec> Vectors(KSP) override;
  PetscErrorCode   Start(FusedEngine &) override;
  PetscErrorCode   Ahead(FusedEngine &) override;
  void             Started(FusedEngine &e) const override;
  void             CheckStart(FusedScalars &) const override;
  void             Settle(FusedEngine &e) const override;
  void             Arguments(Stamp &) const override;
  PetscErrorCode   Iteration(FusedEngine &, const FusedPc &) override;
  PetscErrorCode   Repeat(FusedEngine &, const FusedPc &, const FusedRepeat &) override;
  PetscErrorCode   Complete(FusedEngine &, const FusedPc &) override;
  PetscErrorCode   Finish(FusedEngine &) override;
  void             Continue(FusedScalars &) const override;
  PetscErrorCode   Unwatched(FusedEngine &, const FusedPcCache &, FusedPc *) override;
  PetscErrorCode   LeavePersistent(FusedEngine &, const FusedPc &) override;
  bool             Persistent(FusedEngine &, const FusedPc &, FusedPersistent *) const override;
  void             OneSum(FusedPlan *) const override;
  FusedSide        Fold(KSP, const FusedPc &, PetscBool iterate, std::string *why) const override;
  PetscErrorCode   EnterFold(FusedEngine &, const FusedPc &) override;
  PetscErrorCode   LeaveFold(FusedEngine &, const FusedPc &) override;
  /* mixed.cxx */
  const char    *WhyNotSingle(KSP) const override { return nullptr; }
  FusedSide      SideSingle(KSP ksp, const FusedPc &pc, std::string *why) const override { return Fold(ksp, pc, PETSC_FALSE, why); }
  PetscErrorCode EnterSingle(FusedEngine &, bool *got) override;
  PetscErrorCode AddCorrection(FusedEngine &, const FusedPc &, Scalar *kept) override;
  void           Residual(KSP, const FusedPc &, FusedPc *, Vec *to) const override;
  PetscErrorCode Round(FusedEngine &, const FusedPc &, FusedRounding) override;
  Real           Rounded(FusedEngine &, FusedRounding) const override;
  PetscErrorCode LeaveSingle(FusedEngine &, const FusedPc &) override;
  bool           PersistentSingle(FusedEngine &, const FusedPc &, FusedSinglePersistent *) const override;
  void           EnterPersistentSingle(FusedEngine &) override;

private:
  PetscErrorCode DirectionAndProduct(FusedEngine &, const Scalar *z, const char *text, const FusedPc &of_product, Vec W);
  PetscErrorCode IteratePlain(FusedEngine &, const FusedPc &);
  PetscErrorCode IterateCalled(FusedEngine &, const FusedPc &);
  PetscErrorCode IterateRecurred(FusedEngine &, const FusedPc &);
  PetscErrorCode IterateFolded(FusedEngine &, const FusedPc &);
  PetscErrorCode FindOneSum(FusedEngine &);
  PetscErrorCode OneSumProduct(FusedEngine &, const Scalar *z);
  PetscErrorCode IterateOneSum(FusedEngine &, const FusedPc &);
  /* reduced.cxx */
  PetscErrorCode FindReduced(FusedEngine &);
  PetscErrorCode StartReduced(FusedEngine &);
  PetscErrorCode LaunchStart(FusedEngine &);
  PetscErrorCode FinishReduced(FusedEngine &);
  PetscErrorCode IterateReduced(FusedEngine &);
  PetscErrorCode CycleOnHost(FusedEngine &);
  PetscErrorCode IterateSingle(FusedEngine &, const FusedPc &);

  CgDirections direction;            /* of this solve */
  CgSingles    single;               /* in mixed precision */
  Scalar      *one_sum[2] = {};      /* w and s of CgOneSumStep; null: another iteration */
  ReducedCg   *reduced    = nullptr; /* of this solve: the iteration uses the preconditioner's vectors */
  bool         due        = false;   /* z = M r on the host: see CycleOnHost() */
  /*
     if reduced: the first residual is the right-hand side and is not copied; the work vector has no residual yet; the
     initial guess was zero
  */
  bool of_rhs = false, r_due = false, x_was_zero = false;
};

/* The tested norm is the norm of r, not of z */
inline bool cg_tests_r(KSP ksp)
{
  return ksp->normtype == KSP_NORM_UNPRECONDITIONED;
}

/* It needs no z */
inline bool cg_norm_is_of_r(KSPNormType norm)
{
  return norm == KSP_NORM_UNPRECONDITIONED || norm == KSP_NORM_NONE;
}

/* The creator of KSPFUSEDCG */
PetscErrorCode KSPCreate_FusedCG(KSP ksp);

} // namespace heptane

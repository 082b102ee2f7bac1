/*
   The fused Chebyshev iteration.
*/
#pragma once

#include "../fused/solver.hpp"
#include "mixed.hpp"

namespace heptane
{

class FusedChebyshev final : public FusedMethod, public FusedLoopMethod, public FusedUntestedMethod, public FusedSingleMethod {
public:
  enum Work { P, W, Z }; /* PETSc's vectors */
  PetscErrorCode   WhyUnfused(KSP, std::string *) const override;
  FusedTraits      Traits(KSP ksp) const override;
  std::vector<Vec> Vectors(KSP) override;
  void             Begin(FusedEngine &) const override;
  PetscErrorCode   Start(FusedEngine &) override;
  void             Started(FusedEngine &e) const override { e.Host().dp = std::sqrt(e.HostSums()[chebyshev_nn]); }
  PetscInt         Count(KSP ksp, PetscInt it) const override { return it && it < ksp->max_it ? it + 1 : it; }
  void             Settle(FusedEngine &e) const override { chebyshev_after_norm(e.Host<ChebyshevScalars>(), e.HostSums()[chebyshev_nn]); }
  PetscErrorCode   Iteration(FusedEngine &, const FusedPc &) override;
  PetscErrorCode   Complete(FusedEngine &, const FusedPc &) override;
  void             Continue(FusedScalars &S) const override
  {
    if (S.it >= S.last) stop_at(S, FusedStop::limit, S.it);
  }
  PetscInt       Untested(KSP ksp) const override { return ksp->normtype == KSP_NORM_NONE ? ksp->max_it : -1; }
  PetscErrorCode UntestedIteration(FusedEngine &, const FusedPc &, PetscInt it) override;
  FusedSide      Fold(KSP, const FusedPc &, PetscBool, std::string *why) const override
  {
    *why = "Chebyshev multiplies the right-hand side by the preconditioner in every iteration";
    return FusedSide::none;
  }

  /* mixed.cxx */
  const char    *WhyNotSingle(KSP) const override { return nullptr; }
  FusedSide      SideSingle(KSP, const FusedPc &, std::string *why) const override;
  PetscErrorCode EnterSingle(FusedEngine &, bool *got) override;
  PetscErrorCode AddCorrection(FusedEngine &, const FusedPc &, Scalar *kept) override;
  void           Residual(KSP, const FusedPc &, FusedPc *, Vec *to) const override;
  PetscErrorCode Round(FusedEngine &, const FusedPc &, FusedRounding) override;
  Real           Rounded(FusedEngine &, FusedRounding) const override;
  PetscErrorCode LeaveSingle(FusedEngine &, const FusedPc &) override;

  /* KSPSetUp() has chosen the polynomials */
  void SetKind(KSPChebyshevKind chosen) { kind = chosen; }

  /* The vector of an iterate of an untested solve: in turn, so that the last one of a zero guess is the solution */
  static Vec Iterate(KSP ksp, PetscInt k) { return (k + (ksp->guess_zero ? ksp->max_it : 0)) % 2 ? ksp->work[P] : ksp->vec_sol; }

private:
  static bool    NormOfR(KSP ksp) { return ksp->normtype != KSP_NORM_PRECONDITIONED; }
  PetscErrorCode IterateSingle(FusedEngine &, const FusedPc &);
  PetscErrorCode SmoothSingle(FusedEngine &, const FusedPc &, PetscInt it);

  ChebyshevSingles single; /* in mixed precision */
  KSPChebyshevKind kind = KSP_CHEBYSHEV_FIRST;
};

/* The creator of KSPFUSEDCHEBYSHEV */
PetscErrorCode KSPCreate_FusedChebyshev(KSP ksp);

} // namespace heptane

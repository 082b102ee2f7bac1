/*
   Chebyshev iteration with vectors and M^-1 A stored in single precision, and its way there and back: see ksp/fused/mixed.cxx.
*/
#include "fusedchebyshev.hpp"
#include "fusedchebyshev_cost.hpp"

namespace heptane
{

/*
   Without norms, n iterations with a seven-point matrix, b = 1, its own diagonal, bytes per row: 88 n - 8 in double precision. In mixed precision 80 for the residual in double precision, 20 to round it, 60
   for each iteration but the first, and 24 to add what they find: 64 + 60 n. Two iterations are 168 and 184, three 256 and 244; from a guess of zero 104 and 104, 192 and 164. Most smoothers are of two.
*/
const char *FusedChebyshev::WhyNotSingle(KSP ksp) const
{
  return Untested(ksp) >= 0 ? "no norm is computed, and the two iterations that smoothers have as a rule would move no less" : nullptr;
}

FusedSide FusedChebyshev::SideSingle(KSP ksp, const FusedPc &pc, std::string *why) const
{
  if (!NormOfR(ksp) || pc.form != FusedPc::blocks) return FusedSide::left;
  *why = "with point blocks the norm of the residual itself would need the blocks";
  return FusedSide::none;
}

PetscErrorCode FusedChebyshev::EnterSingle(FusedEngine &e, bool *got)
{
  Single *v[5];

  PetscFunctionBegin;
  PetscCall(e.singles.Get(5, (std::size_t)e.Rows(), e.OnDevice(), v, got));
  if (*got) single = {v[0], v[1], v[2], v[3], v[4]};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M^-1, where a norm wants r of z */
static const Scalar *inverse_for_norm(bool norm_of_r, const FusedPc &pc)
{
  return norm_of_r && pc.form == FusedPc::point ? pc.inverse : nullptr;
}

/*
   One iteration, n rows, M bytes per row of the copy:
                                                              bytes per row             launches  reductions
     w = M^-1 A d                                             8 + M                     1
     z -= w,  (z, z) or (r, r),
     y += d,  d = (omega - 1) d + omega scale z               28, with (r, r) 32        1         1
   36 + M, where double precision moves 72 + M with Jacobi. For a seven-point matrix M is 24, and 56 in double precision.
*/
PetscErrorCode FusedChebyshev::IterateSingle(FusedEngine &e, const FusedPc &pc)
{
  const char            *matrix = pc.form == FusedPc::none ? "A" : pc.form == FusedPc::point ? "(D A)" : "(B A)";
  FusedProductOf<Single> product;

  PetscFunctionBegin;
  product.q      = single.d;
  product.y      = single.w;
  product.square = e.Sums() + chebyshev_nn;
  product.pc     = pc;
  PetscCall(e.Product(product, {"w", "d, in single precision", "", matrix}));
  PetscCall(e.Run(ChebyshevSingleStep(single, NormOfR(e.ksp) && pc.form == FusedPc::point), FusedPc(), false, ", in single precision"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedChebyshev::Land(FusedEngine &e, const FusedPc &, Scalar *kept)
{
  PetscFunctionBegin;
  PetscCall(e.Run(LandStep(single.y, e.Array(e.ksp->vec_sol), kept), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Start() has left that of the guess there */
void FusedChebyshev::Residual(KSP ksp, const FusedPc &pc, FusedPc *applied, Vec *to) const
{
  *applied = pc;
  *to      = ksp->work[Z];
}

PetscErrorCode FusedChebyshev::Round(FusedEngine &e, const FusedPc &pc, FusedRounding how)
{
  const ChebyshevScalars &S = e.Host<ChebyshevScalars>();
  const auto   as   = how == FusedRounding::begin ? ChebyshevRound::starts : how == FusedRounding::keep ? ChebyshevRound::keeps : ChebyshevRound::restarts;
  const Scalar step = as == ChebyshevRound::keeps ? S.omega * S.scale : S.scale;

  PetscFunctionBegin;
  PetscCall(e.Run(ChebyshevRound(e.Array(e.ksp->work[Z]), inverse_for_norm(NormOfR(e.ksp), pc), single, step, as), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Real FusedChebyshev::Rounded(FusedEngine &e, FusedRounding how) const
{
  const Scalar     *sums = e.HostSums();
  ChebyshevScalars &S    = e.Host<ChebyshevScalars>();

  if (how == FusedRounding::restart) chebyshev_restart(S);
  S.dp = std::sqrt(sums[0]);
  return sums[1];
}

PetscErrorCode FusedChebyshev::LeaveSingle(FusedEngine &e, const FusedPc &pc)
{
  KSP               ksp = e.ksp;
  ChebyshevScalars &S   = e.Host<ChebyshevScalars>();

  PetscFunctionBegin;
  chebyshev_restart(S);
  PetscCall(
    e.Run(ChebyshevFirst(e.Array(ksp->vec_sol), e.Array(ksp->work[Z]), inverse_for_norm(NormOfR(ksp), pc), e.Array(ksp->work[P]), S.scale), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

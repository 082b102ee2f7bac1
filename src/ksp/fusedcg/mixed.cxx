/*
   CG with vectors and S A S stored in single precision, and the conversion there and back: see
   ksp/fused/mixed/mixed.cxx.
*/
#include "fusedcg.hpp"
#include "cost.hpp"
#include "rounded.hpp"
#include <algorithm>

namespace heptane
{

PetscErrorCode FusedCg::EnterSingle(FusedEngine &e, bool *got)
{
  constexpr int fixed = 4;
  Single       *v[fixed + CgDirections::most];

  PetscFunctionBegin;
  PetscCall(e.singles.Get(fixed + CgDirections::most, (std::size_t)e.Rows(), e.OnDevice(), v, got));
  if (!*got) PetscFunctionReturn(PETSC_SUCCESS);
  single.r      = v[0];
  single.w      = v[1];
  single.y      = v[2];
  single.weight = v[3];
  std::copy(v + fixed, v + fixed + CgDirections::most, single.p.p);
  e.Host<CgScalars>().others = CgDirections::most - 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r is weighted in these norms */
static bool weighs(KSP ksp, const FusedPc &pc)
{
  return pc.form != FusedPc::none && ksp->normtype != KSP_NORM_NATURAL;
}

/*
   One iteration, n rows, M bytes per row of the copy:
                                                              bytes per row             launches  reductions
     p = r + b p,  y += a p of three iterations               17.3                      1
     w = S A S p,  (p, w)                                     8 + M                     1         1
     r -= a w,  (r, r),  its norm in CG's terms               12, with a norm 16        1         1
   41.3 + M with Jacobi; double precision moves 82.7 + M. For a symmetric seven-point matrix M is 12, and 24 in double
   precision.
*/
PetscErrorCode FusedCg::IterateSingle(FusedEngine &e, const FusedPc &pc)
{
  const KSPNormType      norm = e.ksp->normtype;
  FusedProductOf<Single> product;

  PetscFunctionBegin;
  PetscCall(e.Run(CgDirection<Single>(single.r, single.p, single.y), FusedPc(), false, "p = r + b p, in single precision"));
  product.q        = single.p.p[0];
  product.y        = single.w;
  product.sums     = sum_yu;
  product.at       = cg_pw;
  product.backward = true;
  product.pc       = pc;
  std::copy(single.p.p + 1, single.p.p + CgDirections::most, product.other_q);
  PetscCall(e.Product(product, {"w", "p", "(p, w), in single precision", pc.form == FusedPc::none ? "A" : "S A S"}));
  PetscCall(e.Run(CgFoldedResidual<Single>(weighs(e.ksp, pc) ? single.weight : nullptr, single.w, single.r, norm == KSP_NORM_UNPRECONDITIONED), FusedPc(),
                  false, ", in single precision"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedCg::AddCorrection(FusedEngine &e, const FusedPc &pc, Scalar *kept)
{
  CgScalars &S = e.Host<CgScalars>();

  PetscFunctionBegin;
  PetscCall(e.Run(CgAddCorrection(pc.inverse, single, e.Array(e.ksp->vec_sol), kept), FusedPc(), true));
  x_is_complete(S);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FusedCg::Residual(KSP ksp, const FusedPc &, FusedPc *, Vec *to) const
{
  *to = ksp->work[0];
}

PetscErrorCode FusedCg::Round(FusedEngine &e, const FusedPc &pc, FusedRounding how)
{
  PetscFunctionBegin;
  PetscCall(e.Run(CgRound(pc.inverse, e.Array(e.ksp->work[0]), single, cg_tests_r(e.ksp), how == FusedRounding::begin), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Real FusedCg::Rounded(FusedEngine &e, FusedRounding how) const
{
  const Scalar *sums = e.HostSums();
  CgScalars    &S    = e.Host<CgScalars>();

  cg_after_rounding(S, sums[cg_zr], sums[cg_nn], how == FusedRounding::keep);
  return sums[cg_zr];
}

bool FusedCg::PersistentSingle(FusedEngine &e, const FusedPc &pc, FusedSinglePersistent *P) const
{
  P->method = "cg";
  P->y      = single.y;
  P->r      = single.r;
  P->p      = single.p.p[0];
  P->weight = weighs(e.ksp, pc) ? single.weight : nullptr;
  std::copy(single.p.p + 1, single.p.p + 3, P->exchange);
  return true;
}

void FusedCg::EnterPersistentSingle(FusedEngine &e)
{
  e.Host<CgScalars>().others = 0;
}

/* One vector of p, which does not exist yet */
PetscErrorCode FusedCg::LeaveSingle(FusedEngine &e, const FusedPc &pc)
{
  KSP        ksp = e.ksp;
  Scalar    *r = e.Array(ksp->work[0]), *z = pc.form == FusedPc::none ? r : e.Array(ksp->work[1]);
  CgScalars &S = e.Host<CgScalars>();

  PetscFunctionBegin;
  x_is_complete(S);
  S.others  = 0;
  S.input   = 0;
  S.b       = 0;
  S.betaold = 0;
  S.dpi     = 0;
  if (z != r) PetscCall(e.Run(ApplyPcStep(pc, r, z), FusedPc(), true));
  PetscCall(e.Run(DotsStep(z, r, cg_tests_r(ksp) ? r : z), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

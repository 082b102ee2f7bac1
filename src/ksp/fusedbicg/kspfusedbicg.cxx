/*
   KSPFUSEDBICG: the biconjugate gradient method in four passes per iteration, and its place in PETSc.
*/
#include "fusedbicg.hpp"
#include "cost.hpp"

PETSC_EXTERN PetscErrorCode KSPCreate_BiCG(KSP);

namespace heptane
{

/* PETSc's order of the work vectors */
enum { RL, ZL, PL, RR, ZR, PR };

FusedTraits FusedBicg::Traits(KSP) const
{
  FusedTraits t;

  t.transposed = true;
  t.no_beta    = KSP_DIVERGED_BREAKDOWN_BICG;
  return t;
}

std::vector<Vec> FusedBicg::Vectors(KSP ksp)
{
  std::vector<Vec> v = {ksp->vec_sol};

  v.insert(v.end(), ksp->work, ksp->work + 6);
  return v;
}

PetscErrorCode FusedBicg::Start(FusedEngine &e)
{
  KSP  ksp  = e.ksp;
  Vec *work = ksp->work;

  PetscFunctionBegin;
  if (!ksp->guess_zero) {
    PetscCall(KSP_MatMult(ksp, e.Amat, ksp->vec_sol, work[RR])); /* r = b - A x */
    PetscCall(VecAYPX(work[RR], -1.0, ksp->vec_rhs));
  } else PetscCall(VecCopy(ksp->vec_rhs, work[RR]));
  PetscCall(VecCopy(work[RR], work[RL]));
  PetscCall(KSP_PCApply(ksp, work[RR], work[ZR]));
  PetscCall(KSP_PCApplyHermitianTranspose(ksp, work[RL], work[ZL]));
  PetscCall(e.Acquire());
  PetscCall(e.Run(DotsStep(e.Array(work[ZR]), e.Array(work[RL]), e.Array(work[ksp->normtype == KSP_NORM_UNPRECONDITIONED ? RR : ZR]))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FusedBicg::CheckStart(FusedScalars &scalars) const
{
  BicgScalars &S = static_cast<BicgScalars &>(scalars);

  if (!is_finite(S.beta)) {
    S.bad = S.beta;
    stop_at(S, FusedStop::product, 0);
  } else if (S.beta == Scalar(0)) stop_at(S, FusedStop::no_beta, 0);
}

/*
   One iteration, n rows, M bytes per row of the matrix, PC = none / Jacobi / blocks of size b:
                                                                  bytes per row    launches  reductions
     pr = zr + b pr,  pl = zl + b pl,  x += a pr                  64             1
     wl = A^T pl                                                  16 + M         1
     wr = A pr,  (wr, pl)                                         24 + M         1         1
     rr -= a wr,  rl -= a wl,  zr = M^-1 rr,  zl = M^-T rl,
     (zr, rl),  (zr, zr) or (rr, rr)                              48 / 72 /      1         1
                                                                  64 + 16 b
   176 + 2 M with Jacobi. No synchronization. z is stored over w.
*/
PetscErrorCode FusedBicg::Iteration(FusedEngine &e, const FusedPc &pc)
{
  KSP        ksp  = e.ksp;
  Vec       *work = ksp->work;
  const bool none = pc.form == FusedPc::none, of_r = ksp->normtype == KSP_NORM_UNPRECONDITIONED;
  Scalar    *rl = e.Array(work[RL]), *zl = e.Array(work[ZL]), *pl = e.Array(work[PL]);
  Scalar    *rr = e.Array(work[RR]), *zr = e.Array(work[ZR]), *pr = e.Array(work[PR]), *x = e.Array(ksp->vec_sol);

  PetscFunctionBegin;
  if (e.Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(e.Run(BicgDirection(none ? rr : zr, none ? rl : zl, pr, pl, x)));
  PetscCall(e.ProductTranspose(work[PL], work[ZL], "wl = A^T pl"));

  FusedProduct product;
  product.q    = pr;
  product.w    = pl;
  product.y    = zr;
  product.sums = sum_wy;
  product.at   = bicg_wp;
  PetscCall(e.Product(product, work[PR], work[ZR], NULL, {"wr", "pr", "(wr, pl)"}));

  if (pc.form != FusedPc::called) PetscCall(e.Run(BicgResidual(pc, rr, rl, zr, zl, of_r), pc));
  else if (!e.Stopped()) {
    PetscCall(e.Run(BicgUpdate(zr, zl, rr, rl)));
    PetscCall(e.ApplyPC(pc, work[RR], work[ZR], "zr = M rr"));
    PetscCall(e.ApplyPCTranspose(work[RL], work[ZL], "zl = M^T rl"));
    PetscCall(e.Run(DotsStep(zr, rl, of_r ? rr : zr), FusedPc(), false, bicg_sums_text(e.Host(), of_r)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedBicg::Complete(FusedEngine &e, const FusedPc &)
{
  PetscFunctionBegin;
  BicgScalars &S = e.Host<BicgScalars>();

  if (S.pending != Scalar(0)) {
    PetscCall(e.Run(BicgComplete(e.Array(e.ksp->work[PR]), e.Array(e.ksp->vec_sol)), FusedPc(), true));
    PetscCall(e.Clear(&S.pending, sizeof(S.pending)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPCreate_FusedBICG(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPCreate_BiCG(ksp));
  PetscCall(FusedInstall(ksp, std::make_unique<FusedBicg>()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

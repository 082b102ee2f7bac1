/*
   KSPFUSEDCG: the conjugate gradient method in three passes per iteration, and its place in PETSc.
*/
#include "fusedcg.hpp"
#include "../fused/placement.hpp"
#include "cost.hpp"
#include <algorithm>

PETSC_EXTERN PetscErrorCode KSPCreate_CG(KSP);

namespace heptane
{

FusedTraits FusedCg::Traits(KSP) const
{
  FusedTraits t;

  t.pc_apart = true;
  t.no_beta  = KSP_CONVERGED_ATOL;
  return t;
}

std::vector<Vec> FusedCg::Vectors(KSP ksp)
{
  return {ksp->vec_sol, ksp->work[0], ksp->work[1], ksp->work[2]};
}

/* Everything up to the loop is PETSc's; the scalars come from one pass */
PetscErrorCode FusedCg::Start(FusedEngine &e)
{
  KSP ksp = e.ksp;
  Vec R = ksp->work[0], Z = ksp->work[1];

  PetscFunctionBegin;
  PetscCall(FindOneSum(e));
  PetscCall(FindReduced(e));
  if (!ksp->guess_zero) {
    PetscCall(KSP_MatMult(ksp, e.Amat, ksp->vec_sol, R)); /* r = b - A x */
    PetscCall(VecAYPX(R, -1.0, ksp->vec_rhs));
  } else if (!of_rhs) PetscCall(VecCopy(ksp->vec_rhs, R));
  /* possibly only on some processes: the norm makes it known to all */
  if (!of_rhs) PetscCall(VecFlag(R, ksp->reason == KSP_DIVERGED_PC_FAILED));
  if (!reduced || !cg_norm_is_of_r(ksp->normtype)) PetscCall(KSP_PCApply(ksp, R, Z)); /* z = M^-1 r */
  PetscCall(e.Acquire());
  direction = {{e.Array(ksp->work[2])}};
  if (reduced) PetscCall(StartReduced(e));
  else PetscCall(e.Run(DotsStep(e.Array(Z), e.Array(R), cg_tests_r(ksp) ? e.Array(R) : e.Array(Z))));
  if (one_sum[0]) PetscCall(OneSumProduct(e, e.Array(Z)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FusedCg::Started(FusedEngine &e) const
{
  const Scalar *sums = e.HostSums();
  CgScalars    &S    = e.Host<CgScalars>();

  cg_start(S, sums[cg_zr], sums[cg_nn]);
  if (reduced && !cg_tests_first(S)) S.beta = sums[cg_reduced_start];
}

void FusedCg::Settle(FusedEngine &e) const
{
  const Scalar *sums = e.HostSums();
  CgScalars    &S    = e.Host<CgScalars>();

  if (reduced) cg_reduced_settle(S, sums);
  else cg_after_residual(S, sums[cg_zr], sums[cg_nn]);
}

/* If z is computed after the test, its conditions are tested when it is known */
void FusedCg::Continue(FusedScalars &S) const
{
  if (!reduced || !cg_tests_first(S)) cg_continue(static_cast<CgScalars &>(S));
  else if (S.it >= S.last) stop_at(S, FusedStop::limit, S.it);
}

void FusedCg::CheckStart(FusedScalars &scalars) const
{
  CgScalars &S = static_cast<CgScalars &>(scalars);

  if (reduced && cg_tests_first(S)) return;
  if (!is_finite(S.beta)) {
    S.bad = S.beta;
    stop_at(S, FusedStop::product, 0);
  } else if (S.beta == Scalar(0)) stop_at(S, FusedStop::no_beta, 1);
}

void FusedCg::Arguments(Stamp &stamp) const
{
  for (const Scalar *p : direction.p) stamp << p;
  stamp << (reduced != nullptr) << one_sum[0] << one_sum[1];
  if (reduced) stamp << reduced->Signature();
}

/*
   Up to this number of rows per process, NCCL sends p from one vector, and no kernel packs the halo: 6 to 9 % at 131 072 and
   500 000 rows (H200, 2026-11-28), for 5.3 bytes more per row
*/
constexpr PetscInt one_place_rows = 1000000;

/*
   With Jacobi and nonzero entries, r is not stored. If products read p from any vector, x is updated once in several
   iterations
*/
PetscErrorCode FusedCg::Unwatched(FusedEngine &e, const FusedPcCache &pcs, FusedPc *pc)
{
  const FusedExchange *const exchange = e.Operator() ? e.Operator()->Exchange() : nullptr;
  bool                       got;

  PetscFunctionBegin;
  if (reduced || one_sum[0]) PetscFunctionReturn(PETSC_SUCCESS);
  pc->z_alone = pc->form == FusedPc::point && pcs.Divisible();
  if (!e.FusedProducts() || (exchange && exchange->ByNccl() && e.Rows() <= one_place_rows)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(e.scratch.Get(CgDirections::most - 1, (std::size_t)e.Rows(), e.OnDevice(), direction.p + 1, &got));
  if (got) e.Host<CgScalars>().others = CgDirections::most - 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The norm needs S once more if the matrix is S A S */
static bool weighs(KSP ksp)
{
  return ksp->normtype == KSP_NORM_PRECONDITIONED || ksp->normtype == KSP_NORM_UNPRECONDITIONED;
}

/*
   An iteration has one of five forms. Bytes are per row of n, M of the matrix. No form synchronizes: the host checks
   once in several iterations. PETSc's loop with Jacobi moves 168 + M in 12 launches and synchronizes 3 times.
                                                              bytes                    launches  reductions
     p = z + b p,  x += a p (a, p of iterations before)       40, unwatched 34.7       1
     w = A p,  (p, w)                                         16 + M                   1         1
   Unwatched with fused products, three vectors hold p in turn and x is updated every third time; see Unwatched().
*/
PetscErrorCode FusedCg::DirectionAndProduct(FusedEngine &e, const Scalar *z, const char *text, const FusedPc &of_product, Vec W)
{
  FusedProduct product;

  PetscFunctionBegin;
  PetscCall(e.Run(CgDirection<Scalar>(z, direction, e.Array(e.ksp->vec_sol)), FusedPc(), false, text));
  product.q        = direction.p[0];
  product.y        = e.Array(W);
  product.sums     = sum_yu;
  product.at       = cg_pw;
  product.backward = true;
  product.pc       = of_product;
  std::copy(direction.p + 1, direction.p + CgDirections::most, product.other_q);
  PetscCall(e.Product(product, e.ksp->work[2], W, NULL, {"w", "p", "(p, w)", "S A S"}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   No preconditioner, or one that is row arithmetic (blocks of size b)
     r -= a w,  z = M^-1 r,  (z, r),  (z, z) or (r, r)        24, Jacobi 40,           1         1
                                                              blocks 32 + 8 b
   w is stored in place of z.
*/
PetscErrorCode FusedCg::IteratePlain(FusedEngine &e, const FusedPc &pc)
{
  Scalar *r = e.Array(e.ksp->work[0]), *z = e.Array(e.ksp->work[1]);

  PetscFunctionBegin;
  PetscCall(DirectionAndProduct(e, pc.form == FusedPc::none ? r : z, "p = z + b p", FusedPc(), e.ksp->work[1]));
  PetscCall(e.Run(CgResidual(pc, r, z, cg_tests_r(e.ksp)), pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A preconditioner that is called */
PetscErrorCode FusedCg::IterateCalled(FusedEngine &e, const FusedPc &pc)
{
  Vec        R = e.ksp->work[0], Z = e.ksp->work[1];
  const bool of_r = cg_tests_r(e.ksp);
  Scalar    *r = e.Array(R), *z = e.Array(Z);

  PetscFunctionBegin;
  PetscCall(DirectionAndProduct(e, z, "p = z + b p", FusedPc(), Z));
  PetscCall(e.Run(CgUpdate(z, r)));
  PetscCall(e.ApplyPC(pc, R, Z, "z = M r"));
  PetscCall(e.Run(DotsStep(z, r, of_r ? r : z), FusedPc(), false, cg_sums_text(e.Host(), of_r)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Jacobi, if nothing outside the iteration reads r: z is recurred
     z -= a M^-1 w,  r = M z in registers, the same sums      32                       1         1
   w is stored in place of r. 82.7 + M in all.
*/
PetscErrorCode FusedCg::IterateRecurred(FusedEngine &e, const FusedPc &pc)
{
  Scalar *r = e.Array(e.ksp->work[0]), *z = e.Array(e.ksp->work[1]);

  PetscFunctionBegin;
  PetscCall(DirectionAndProduct(e, z, "p = z + b p", FusedPc(), e.ksp->work[0]));
  PetscCall(e.Run(CgScaledResidual(pc, r, z, cg_tests_r(e.ksp))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The matrix is the copy S A S
     r -= a w,  (r, r),  its norm in CG's terms               24, with a norm 32       1         1
*/
PetscErrorCode FusedCg::IterateFolded(FusedEngine &e, const FusedPc &pc)
{
  Scalar *r = e.Array(e.ksp->work[0]), *z = e.Array(e.ksp->work[1]);

  PetscFunctionBegin;
  PetscCall(DirectionAndProduct(e, r, "p = r + b p", pc, e.ksp->work[1]));
  PetscCall(e.Run(CgFoldedResidual<Scalar>(weighs(e.ksp) ? pc.inverse : nullptr, z, r, cg_tests_r(e.ksp))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedCg::Iteration(FusedEngine &e, const FusedPc &pc)
{
  PetscFunctionBegin;
  if (one_sum[0]) PetscCall(IterateOneSum(e, pc));
  else if (reduced) PetscCall(IterateReduced(e));
  else if (pc.single) PetscCall(IterateSingle(e, pc));
  else if (is_folded(pc)) PetscCall(IterateFolded(e, pc));
  else if (pc.z_alone) PetscCall(IterateRecurred(e, pc));
  else if (pc.form == FusedPc::called) PetscCall(IterateCalled(e, pc));
  else PetscCall(IteratePlain(e, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedCg::Repeat(FusedEngine &e, const FusedPc &, const FusedRepeat &repeat)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (reduced) PetscCall(e.Device().Repeat(CgReducedTest(), repeat));
  else PetscCall(e.Device().Repeat(CgDirection<Scalar>(nullptr, direction, nullptr), repeat));
#else
  (void)e, (void)repeat;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedCg::Complete(FusedEngine &e, const FusedPc &pc)
{
  PetscFunctionBegin;
  if (reduced) {
    PetscCall(FinishReduced(e));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (pc.z_alone) PetscCall(e.Run(CgUnscale(pc, e.Array(e.ksp->work[1]), e.Array(e.ksp->work[0])), FusedPc(), true));
  CgScalars &S = e.Host<CgScalars>();

  if (x_is_incomplete(S)) {
    PetscCall(e.Run(CgComplete(direction, e.Array(e.ksp->vec_sol)), FusedPc(), true));
    PetscCall(e.Clear(S.pending, sizeof(S.pending)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

FusedSide FusedCg::Fold(KSP, const FusedPc &pc, PetscBool iterate, std::string *why) const
{
  if (one_sum[0]) *why = "one sum per iteration";
  else if (pc.form == FusedPc::blocks) *why = "point blocks: CG would need their Cholesky factors";
  else if (iterate) *why = "a monitor or convergence test reads the iterate, which is scaled";
  else return FusedSide::both;
  return FusedSide::none;
}

PetscErrorCode FusedCg::EnterFold(FusedEngine &e, const FusedPc &pc)
{
  const CgScalars &S    = e.Host<CgScalars>();
  const int        last = direction_of(S) == 0 ? S.others : direction_of(S) - 1;

  PetscFunctionBegin;
  PetscCall(Complete(e, pc));
  PetscCall(e.Run(CgFold(pc.inverse, e.Array(e.ksp->vec_sol), e.Array(e.ksp->work[0]), direction.p[last], S.b != Scalar(0), false), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedCg::LeaveFold(FusedEngine &e, const FusedPc &pc)
{
  PetscFunctionBegin;
  PetscCall(e.Run(CgFold(pc.inverse, e.Array(e.ksp->vec_sol), e.Array(e.ksp->work[0]), nullptr, false, true), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool FusedCg::Persistent(FusedEngine &e, const FusedPc &pc, FusedPersistent *P) const
{
  FusedContext *ctx = nullptr;

  if (FusedGet(e.ksp, &ctx)) return false;
  P->method      = ctx->last.one_sum ? "cg_one_sum" : "cg";
  P->x           = e.Array(e.ksp->vec_sol);
  P->r           = e.Array(e.ksp->work[0]);
  P->exchange[0] = e.Array(e.ksp->work[1]);
  P->p           = e.Array(e.ksp->work[2]);
  P->pc          = pc;
  return true;
}

/* The kernel keeps z only in registers */
PetscErrorCode FusedCg::LeavePersistent(FusedEngine &e, const FusedPc &pc)
{
  PetscFunctionBegin;
  if (pc.form == FusedPc::point) PetscCall(e.Run(ApplyPcStep(pc, e.Array(e.ksp->work[0]), e.Array(e.ksp->work[1])), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetRadius(KSP ksp, PetscReal radius)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  PetscCall((*(PetscErrorCode(*)(KSP, PetscReal))ctx->cg.set_radius)(ksp, radius));
  ctx->cg.radius = radius;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetObjectiveTarget(KSP ksp, PetscReal target)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  PetscCall((*(PetscErrorCode(*)(KSP, PetscReal))ctx->cg.set_objective)(ksp, target));
  ctx->cg.objective = target;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's copies the first work vector, in which a solve leaves the residual */
static PetscErrorCode KSPBuildResidual_FusedCG(KSP ksp, Vec t, Vec v, Vec *V)
{
  FusedContext *ctx;
  PetscBool     copied = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  if (ctx->last.fused) PetscCall(ctx->placement->CopyWork(ksp, v, &copied));
  if (copied) *V = v;
  else if (ctx->last.delegated) PetscCall(KSPBuildResidualDefault(ksp, t, v, V));
  else PetscCall((*ctx->stock.buildresidual)(ksp, t, v, V));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1/2 (x, A x) - (x, b) = -1/2 (x, b + r) */
static PetscErrorCode GetObjective(KSP ksp, PetscReal *obj)
{
  FusedContext *ctx;
  PetscScalar   xb, xr;
  Vec           r;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  if (!ctx->last.fused && !ctx->last.delegated) {
    PetscCall((*(PetscErrorCode(*)(KSP, PetscReal *))ctx->cg.get_objective)(ksp, obj));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecDot(ksp->vec_sol, ksp->vec_rhs, &xb));
  PetscCall(VecDuplicate(ksp->vec_rhs, &r));
  PetscCall(KSPBuildResidual(ksp, NULL, r, &r));
  PetscCall(VecDot(ksp->vec_sol, r, &xr));
  PetscCall(VecDestroy(&r));
  *obj = (PetscReal)(-0.5 * (xb + xr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UseSingleReduction(KSP ksp, PetscBool flg)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  PetscCall((*(PetscErrorCode(*)(KSP, PetscBool))ctx->cg.set_single_reduction)(ksp, flg));
  ctx->stock.solve = ksp->ops->solve; /* it has put its own there */
  ksp->ops->solve  = FusedSolve;
  if (std::exchange(ctx->cg.single_reduction, flg) != flg) ksp->setupstage = KSP_SETUP_NEW;            /* other work vectors; up to 3.25 PETSc does not */
  if (!flg) PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPCGGetObjFcn_C", GetObjective)); /* and this */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPCreate_FusedCG(KSP ksp)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(KSPCreate_CG(ksp));
  PetscCall(FusedInstall(ksp, std::make_unique<FusedCg>()));
  ksp->ops->buildresidual = KSPBuildResidual_FusedCG;
  PetscCall(FusedGet(ksp, &ctx));
  PetscCall(PetscObjectQueryFunction((PetscObject)ksp, "KSPCGUseSingleReduction_C", &ctx->cg.set_single_reduction));
  PetscCall(PetscObjectQueryFunction((PetscObject)ksp, "KSPCGSetRadius_C", &ctx->cg.set_radius));
  PetscCall(PetscObjectQueryFunction((PetscObject)ksp, "KSPCGSetObjectiveTarget_C", &ctx->cg.set_objective));
  PetscCall(PetscObjectQueryFunction((PetscObject)ksp, "KSPCGGetObjFcn_C", &ctx->cg.get_objective));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPCGUseSingleReduction_C", UseSingleReduction));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPCGSetRadius_C", SetRadius));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPCGSetObjectiveTarget_C", SetObjectiveTarget));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPCGGetObjFcn_C", GetObjective));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   KSPFUSEDBCGS: the stabilised biconjugate gradient method in three passes per iteration, and its place in PETSc.
*/
#include "fusedbcgs.hpp"
#include "../fused/placement.hpp"
#include "cost.hpp"

PETSC_EXTERN PetscErrorCode KSPCreate_BCGS(KSP);

namespace heptane
{

/* PETSc's order of the work vectors */
enum { R, RP, V, T, S, P };

FusedBcgs::~FusedBcgs()
{
  PetscCallAbort(PETSC_COMM_SELF, Reset());
}

FusedTraits FusedBcgs::Traits(KSP ksp) const
{
  FusedTraits t;

  t.pc_in_products    = ksp->pc_side == PC_LEFT;
  t.pc_apart          = true;
  t.stock_keeps_guess = true;
  return t;
}

std::vector<Vec> FusedBcgs::Vectors(KSP ksp)
{
  std::vector<Vec> v = {ksp->vec_sol};

  v.insert(v.end(), ksp->work, ksp->work + 6);
  return v;
}

/* Everything up to the loop is PETSc's; the scalars come from one pass */
PetscErrorCode FusedBcgs::Start(FusedEngine &e)
{
  KSP           ksp  = e.ksp;
  Vec          *work = ksp->work;
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  direct = ksp->pc_side == PC_RIGHT && !ctx->caches.pcs.WhyOther().empty(); /* it is called from the first iteration on */
  PetscCall(KSPInitialResidual(ksp, ksp->vec_sol, work[V], work[T], work[R], ksp->vec_rhs));
  has_guess = ksp->pc_side == PC_RIGHT && !ksp->guess_zero;
  if (has_guess) {
    if (!guess) PetscCall(VecDuplicate(ksp->vec_sol, &guess));
    PetscCall(VecCopy(ksp->vec_sol, guess));
    PetscCall(VecSet(ksp->vec_sol, 0.0));
  }
  PetscCall(e.Acquire());
  PetscCall(e.Run(BcgsStart(e.Array(work[R]), e.Array(work[RP]), e.Array(work[P]))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M^-1 is applied to the vectors of the products */
static bool applied_right(KSP ksp, const FusedPc &pc)
{
  return ksp->pc_side == PC_RIGHT && pc.form != FusedPc::none && !is_folded(pc);
}

/*
   One iteration with left preconditioning, n rows, M bytes per row of the matrix, PC = none or the matrix's own
   diagonal or blocks / Jacobi / blocks of size b:
                                                                       bytes per row                 launches  reductions
     v = M^-1 A p,  (v, r0)                                            24 + M  + 0 / 8 / 8 b       1         1
     t = M^-1 A s, s = r - alpha v,  (t, s), (t, t), (t, r0), (s, r0)  32 + M  + 0 / 8 / 8 b       1         1
     s = r - alpha v,  x += alpha p + omega s,  r = s - omega t,
     p = r + beta (p - omega v),  (r, r)                               64                          1         1
   120 + 2 M and no synchronization; PETSc's loop moves 328 + 2 M in 21 launches with 4 synchronizations. The third sum
   is only the norm: alpha, omega and beta need two reduction points.
   Right preconditioning multiplies A by the vectors M^-1 p and M^-1 s: two launches more. Folded into the matrix, M^-1
   costs nothing on either side. PETSc applies a called M^-1 to x at the end; here M^-1 p and M^-1 s are added to x,
   32 bytes per row, so that r is b - A x even if rounding makes M^-1 nonlinear (single precision).
*/
PetscErrorCode FusedBcgs::Iteration(FusedEngine &e, const FusedPc &pc)
{
  KSP          ksp   = e.ksp;
  Vec         *work  = ksp->work;
  const bool   right = applied_right(ksp, pc), call = pc.form == FusedPc::called, takes = direct && right && call;
  const bool   formed = e.FormsInput() && !right && !call; /* s is formed as the product reads it */
  Scalar      *r = e.Array(work[R]), *r0 = e.Array(work[RP]), *v = e.Array(work[V]), *t = e.Array(work[T]), *s = e.Array(work[S]), *p = e.Array(work[P]);
  const char  *folded = ksp->pc_side == PC_RIGHT ? (pc.form == FusedPc::point ? "(A D)" : "(A B)") : (pc.form == FusedPc::point ? "(D A)" : "(B A)");
  const char  *sums   = "(t, s) (t, t) (t, r0) (s, r0)";
  FusedProduct first, second;

  PetscFunctionBegin;
  if (pc.single) PetscFunctionReturn(IterateSingle(e, pc));
  s_stored     = !formed && !right;
  first.q      = p;
  first.w      = r0;
  first.y      = v;
  first.square = e.Sums() + bcgs_rr;
  first.sums   = sum_wy;
  first.at     = bcgs_vr0;
  if (!right) {
    first.pc = pc;
    PetscCall(e.Product(first, work[P], work[V], work[T], {"v", "p", "(v, r0)", folded}));
  } else {
    first.q = t; /* M^-1 p */
    PetscCall(e.ApplyPC(pc, work[P], work[T], "u = M p"));
    PetscCall(e.Product(first, work[T], work[V], NULL, {"v", "u", "(v, r0)"}));
  }
  if (takes) PetscCall(e.Run(BcgsHalfRight(r, v, t, e.Array(ksp->vec_sol))));
  else if (!formed) PetscCall(e.Run(BcgsHalf<Scalar>(r, v, right ? t : s)));
  second.w        = r0;
  second.y        = t;
  second.sums     = all_sums;
  second.at       = bcgs_second;
  second.backward = true;
  if (formed) {
    second.q       = r;
    second.v       = v;
    second.alpha   = &e.Scalars<BcgsScalars>()->rho;
    second.divisor = e.Sums() + bcgs_vr0;
    second.square  = first.square;
    second.pc      = pc;
    PetscCall(e.Product(second, NULL, work[T], NULL, {"t", "(r - alpha v)", sums, folded}));
  } else if (!right) {
    second.q  = s;
    second.pc = pc;
    PetscCall(e.Product(second, work[S], work[T], work[R], {"t", "s", sums, folded})); /* s stands in for r from here */
  } else {
    PetscCall(e.ApplyPC(pc, work[T], work[S], "u = M s")); /* stored over s */
    second.alpha = &e.Scalars<BcgsScalars>()->alpha;
    second.q     = s;
    second.sum_q = r;
    second.sum_v = v;
    PetscCall(e.Product(second, work[S], work[T], NULL, {"t", "u", sums}));
  }

  if (takes) PetscCall(e.Run(BcgsUpdateRight(v, t, s, r, p, e.Array(ksp->vec_sol))));
  else PetscCall(e.Run(BcgsUpdate<Scalar>(v, t, s_stored ? s : nullptr, r, p, e.Array(ksp->vec_sol), !formed)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedBcgs::Repeat(FusedEngine &e, const FusedPc &, const FusedRepeat &repeat)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  PetscCall(e.Device().Repeat(BcgsAgain(), repeat));
#else
  (void)e, (void)repeat;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedBcgs::Finish(FusedEngine &e)
{
  KSP ksp = e.ksp;

  PetscFunctionBegin;
  if (!direct) PetscCall(KSPUnwindPreconditioner(ksp, ksp->vec_sol, ksp->work[T]));
  if (has_guess) PetscCall(VecAXPY(ksp->vec_sol, 1.0, guess));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* t is 0: alpha p may be the solution, which it is if s is 0 */
PetscErrorCode FusedBcgs::Singular(FusedEngine &e)
{
  KSP         ksp   = e.ksp;
  Vec        *work  = ksp->work;
  const auto  alpha = e.Host<BcgsScalars>().alpha;
  PetscScalar ss;

  PetscFunctionBegin;
  PetscCall(e.Release());
  if (!s_stored) PetscCall(VecWAXPY(work[S], -alpha, work[V], work[R]));
  PetscCall(VecDot(work[S], work[S], &ss));
  if (direct) { /* it is part of x already */
    PetscCall(KSP_PCApply(ksp, work[P], work[T]));
    PetscCall(VecAXPY(ksp->vec_sol, -alpha, work[T]));
  }
  if (ss != (PetscScalar)0.0) {
    PetscCheck(!ksp->errorifnotconverged, PetscObjectComm((PetscObject)ksp), PETSC_ERR_NOT_CONVERGED,
               "KSPSolve has failed due to singular preconditioned operator");
    ksp->reason = KSP_DIVERGED_BREAKDOWN;
    PetscCall(PetscInfo(ksp, "Failed due to singular preconditioned operator\n"));
  } else {
    PetscCall(VecAXPY(ksp->vec_sol, alpha, work[direct ? T : P]));
    ksp->its++;
    ksp->rnorm  = 0.0;
    ksp->reason = KSP_CONVERGED_RTOL;
    PetscCall(KSPLogResidualHistory(ksp, e.Host().dp));
    PetscCall(FusedShown(ksp, [&] { return KSPMonitor(ksp, ksp->its, 0.0); }));
  }
  PetscCall(e.Acquire());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedBcgs::BuildSolution(KSP ksp, Vec v, Vec *V)
{
  PetscFunctionBegin;
  if (!v && !built) PetscCall(VecDuplicate(ksp->vec_sol, &built));
  if (!v) v = built;
  if (direct) PetscCall(VecCopy(ksp->vec_sol, v));
  else PetscCall(KSP_PCApply(ksp, ksp->vec_sol, v));
  if (has_guess) PetscCall(VecAXPY(v, 1.0, guess));
  *V = v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedBcgs::Reset()
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&guess));
  PetscCall(VecDestroy(&built));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool FusedBcgs::Persistent(FusedEngine &e, const FusedPc &pc, FusedPersistent *persistent) const
{
  Vec *work = e.ksp->work;

  if (e.ksp->pc_side == PC_RIGHT && pc.form != FusedPc::none) return false;
  persistent->method      = "bcgs";
  persistent->x           = e.Array(e.ksp->vec_sol);
  persistent->r           = e.Array(work[R]);
  persistent->p           = e.Array(work[P]);
  persistent->r0          = e.Array(work[RP]);
  persistent->exchange[0] = e.Array(work[V]);
  persistent->exchange[1] = e.Array(work[T]);
  persistent->pc          = pc;
  return true;
}

static PetscErrorCode KSPBuildSolution_FusedBCGS(KSP ksp, Vec v, Vec *V)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  if (ctx->last.delegated && v) PetscCall(VecCopy(ksp->vec_sol, v));
  if (ctx->last.delegated) *V = v ? v : ksp->vec_sol; /* the iterate itself, also with the preconditioner on the right */
  else if (ctx->last.fused && ksp->pc_side == PC_RIGHT) PetscCall(static_cast<FusedBcgs *>(ctx->method.get())->BuildSolution(ksp, v, V));
  else PetscCall((*ctx->stock.buildsolution)(ksp, v, V));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPCreate_FusedBCGS(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPCreate_BCGS(ksp));
  PetscCall(FusedInstall(ksp, std::make_unique<FusedBcgs>()));
  ksp->ops->buildsolution = KSPBuildSolution_FusedBCGS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

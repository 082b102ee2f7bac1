/*
   Settings are read from the solver itself, not from options, so that settings of the program are carried over too.
*/
#include "leader.hpp"
#include "../../pass/offers/pc_carry.hpp"
#include "../fused/placement.hpp"
#include "../../private/ksp.hpp"
#include "../../private/pc.hpp"
#include <heptane.h>

namespace heptane
{

namespace
{

constexpr PetscInt most_norms = 1000000; /* of a solve whose history is recorded */

/* Only the null space of constants can be carried over */
PetscErrorCode NullSpace(Mat A, MatNullSpace *space, std::string *why)
{
  PetscInt number = 0;

  PetscFunctionBegin;
  PetscCall(MatGetNullSpace(A, space));
  if (*space) PetscCall(MatNullSpaceGetVecs(*space, NULL, &number, NULL));
  if (number || (*space && (*space)->remove)) *why = "the null space has vectors, or a function of the program";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* from: the solver's; to: the leader's, or null */
PetscErrorCode CarryJacobi(PC from, PC to)
{
  PCJacobiType type;
  PetscBool    use_abs, fix;
  PetscReal    scale;

  PetscFunctionBegin;
  PetscCall(PCJacobiGetType(from, &type));
  PetscCall(PCJacobiGetUseAbs(from, &use_abs));
  PetscCall(PCJacobiGetFixDiagonal(from, &fix));
  PetscCall(PCJacobiSetType(to, type));
  PetscCall(PCJacobiSetUseAbs(to, use_abs));
  PetscCall(PCJacobiSetFixDiagonal(to, fix));
  if (type == PC_JACOBI_ROWL1) {
    PetscCall(PCJacobiGetRowl1Scale(from, &scale));
    PetscCall(PCJacobiSetRowl1Scale(to, scale));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CarryPC(PC from, PC to, std::string *why)
{
  PetscBool plain, jacobi;
  PetscErrorCode (*carry)(PC, PC, std::string *);

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)from, &plain, PCNONE, PCPBJACOBI, ""));
  PetscCall(PetscObjectTypeCompare((PetscObject)from, PCJACOBI, &jacobi));
  PetscCall(PetscObjectQueryFunction((PetscObject)from, pc_carry_name, &carry));
  if (!plain && !jacobi && !carry) *why = std::string("the preconditioner ") + (((PetscObject)from)->type_name ? ((PetscObject)from)->type_name : "");
  if (to) {
    PetscCall(PCSetType(to, ((PetscObject)from)->type_name));
    PetscCall(PCSetReusePreconditioner(to, from->reusepreconditioner));
  }
  if (to && jacobi) PetscCall(CarryJacobi(from, to));
  if (carry) PetscCall((*carry)(from, to, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves that need PETSc's own loop, or a value of all processes */
PetscErrorCode WhyNotSolver(KSP ksp, FusedContext *ctx, std::string *why)
{
  PetscBool chebyshev;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, &chebyshev, KSPFUSEDCHEBYSHEV, KSPCHEBYSHEV, ""));
  if (ctx->settings.mode == KSP_FUSED_TWIN) *why = "PETSc's own loop is asked for";
  else if (chebyshev) *why = "Chebyshev iteration has its bounds of the spectrum from all processes";
  else if (ctx->cg.radius != 0 || ctx->cg.objective != 0) *why = "a trust region or an objective target";
  else if (ksp->calc_sings || ksp->calc_ritz) *why = "eigenvalues or singular values are computed";
  else if (ksp->transpose_solve) *why = "transposed solve";
  else if (ksp->guess_knoll) *why = "the initial guess is the preconditioned right-hand side";
  else if (ksp->err_hist) *why = "errors are logged";
  else if (GroupsWatched(ksp) & groups_wants_norms && ksp->max_it > most_norms) *why = "norms are wanted of more iterations than there is room for";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not a test of the program */
PetscErrorCode CarryTest(KSP ksp, KSP to)
{
  void *test;

  PetscFunctionBegin;
  if (ksp->converged == KSPConvergedSkip) PetscCall(KSPSetConvergenceTest(to, KSPConvergedSkip, NULL, NULL));
  if (ksp->converged != KSPConvergedDefault) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPConvergedDefaultCreate(&test));
  *static_cast<KSPConvergedDefaultCtx *>(test)      = *static_cast<const KSPConvergedDefaultCtx *>(ksp->cnvP);
  static_cast<KSPConvergedDefaultCtx *>(test)->work = NULL;
  PetscCall(KSPSetConvergenceTest(to, KSPConvergedDefault, test, KSPConvergedDefaultDestroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CarryNullSpace(KSP ksp, KSP to)
{
  Mat          A, inner;
  MatNullSpace space, carried = NULL;
  std::string  why;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(KSPGetOperators(to, &inner, NULL));
  PetscCall(NullSpace(A, &space, &why));
  if (space) PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)inner), PETSC_TRUE, 0, NULL, &carried));
  PetscCall(MatSetNullSpace(inner, carried));
  PetscCall(MatNullSpaceDestroy(&carried));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

unsigned GroupsWatched(KSP ksp)
{
  const bool tests = ksp->converged != KSPConvergedDefault && ksp->converged != KSPConvergedSkip;

  return (ksp->numbermonitors ? groups_monitors : 0u) | (FusedIterateWatched(ksp) ? groups_reads_iterate : 0u) | (tests ? groups_tests : 0u) |
         (ksp->res_hist && ksp->res_hist_max > ksp->res_hist_len ? groups_wants_norms : 0u);
}

PetscErrorCode GroupsWhyNot(KSP ksp, FusedContext *ctx, bool vectors, std::string *why)
{
  Mat          A, P;
  MatNullSpace space;
  PetscBool    x = PETSC_TRUE, b = PETSC_TRUE, grid;

  PetscFunctionBegin;
  why->clear();
  PetscCall(WhyNotSolver(ksp, ctx, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCGetOperators(ksp->pc, &A, &P));
  if (A != P) *why = "the preconditioner is made of another matrix";
  else PetscCall(GroupedMat::WhyNot(A, why));
  if (why->empty()) PetscCall(NullSpace(A, &space, why));
  if (why->empty()) PetscCall(CarryPC(ksp->pc, NULL, why));
  if (why->empty() && ctx->method->Traits(ksp).transposed) {
    PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCGRIDMG, &grid));
    if (grid) *why = "gridmg refuses the transpose of most matrices"; /* an error of all processes, not only of leaders */
  }
  if (!why->empty() || !vectors) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FusedOwnsArray(ksp->vec_sol, &x));
  PetscCall(FusedOwnsArray(ksp->vec_rhs, &b));
  if (!x || !b) *why = "vectors that are not one array";
  else if (ctx->method->Untested(ksp) >= 0) *why = "iterations without tests";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupsCarry(KSP ksp, FusedContext *ctx, KSP to)
{
  FusedContext *of_leader;
  std::string   why;

  PetscFunctionBegin;
  PetscCall(KSPSetType(to, ((PetscObject)ksp)->type_name));
  PetscCall(KSPSetTolerances(to, ksp->rtol, ksp->abstol, ksp->divtol, ksp->max_it));
  PetscCall(KSPSetMinimumIterations(to, ksp->min_it));
  PetscCall(KSPSetNormType(to, ksp->normtype));
  PetscCall(KSPSetPCSide(to, ksp->pc_side));
  PetscCall(KSPSetCheckNormIteration(to, ksp->chknorm));
  PetscCall(KSPSetLagNorm(to, ksp->lagnorm));
  PetscCall(KSPSetConvergedNegativeCurvature(to, ksp->converged_neg_curve));
  PetscCall(KSPSetInitialGuessNonzero(to, (PetscBool)!ksp->guess_zero));
  PetscCall(CarryTest(ksp, to));
  PetscCall(CarryNullSpace(ksp, to));
  PetscCall(FusedGet(to, &of_leader));
  of_leader->delegate.reset(); /* leaders form no groups */
  of_leader->settings = ctx->settings;
  of_leader->placement->CopySettings(*ctx->placement);
  if (of_leader->cg.single_reduction != ctx->cg.single_reduction) PetscCall(KSPCGUseSingleReduction(to, ctx->cg.single_reduction));
  PetscCall(CarryPC(ksp->pc, to->pc, &why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

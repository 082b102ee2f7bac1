/*
   The precision of the cycle where the options leave it open. A cycle in single precision is not linear: what it makes of a sum differs from the sum of what it makes of the parts, by rounding. A method whose
   residual is updated by products of the matrix with exactly what is added to x does not notice. Others update it by vectors that the preconditioner has been applied to, or apply it to the sum
   of all corrections at the end: their residual is then wrong by the rounding of the largest one, whatever their norm says.
*/
#include "pcgridmg_context.hpp"
#include <petsc/private/kspimpl.h>
#include <heptane.h>

namespace heptane
{

namespace
{

/* The other methods are given single precision where they stop at this relative residual or above it: ... */
constexpr PetscReal single_rtol = 1e-5;
/* Methods whose residual is that of x with every preconditioner */
const char *const tolerant[] = {KSPCG, KSPFUSEDCG, KSPFCG, KSPFGMRES, KSPGCR, KSPRICHARDSON};
/* Those that are linear in the right-hand side where their iterations are counted, as they are inside other solvers */
const char *const linear[] = {KSPRICHARDSON, KSPCHEBYSHEV, KSPFUSEDCHEBYSHEV, KSPPREONLY};

template <std::size_t N>
PetscErrorCode IsOneOf(KSP ksp, const char *const (&types)[N], bool *is)
{
  PetscFunctionBegin;
  *is = false;
  for (const char *type : types) {
    PetscBool same;

    PetscCall(PetscObjectTypeCompare((PetscObject)ksp, type, &same));
    *is = *is || same;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why the solver may be part of another one, or have a fixed number of iterations; empty: it is not, and has not */
PetscErrorCode TakenForLinear(KSP ksp, bool is_linear, std::string *why)
{
  PetscInt lock;

  PetscFunctionBegin;
  PetscCall(VecLockGet(ksp->vec_rhs, &lock)); /* of a right-hand side that a preconditioner is applied to */
  if (ksp->nestlevel > 0 || lock > 0 || (is_linear && ((PetscObject)ksp)->tablevel > 0)) *why = " inside another solver";
  else if (ksp->normtype == KSP_NORM_NONE) *why = " without norms";
  if (!why->empty()) *why += " may be taken for linear";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why the residual that the solve stops at may be small beside the largest one times the rounding of single precision; empty: it is not */
std::string stops_late(KSP ksp)
{
  char text[64];

  (void)PetscSNPrintf(text, sizeof(text), " at rtol %g", (double)ksp->rtol);
  if (ksp->converged != KSPConvergedDefault) return " with another convergence test";
  if (ksp->rtol < single_rtol) return text;
  if (!ksp->guess_zero && !((const KSPConvergedDefaultCtx *)ksp->cnvP)->initialrtol) return " from an initial guess, which may be far away,";
  return "";
}

/* The precision that a solve needs, and why; ksp: none, a program applies the preconditioner, or another one does */
PetscErrorCode Wish(const GridMG *c, KSP ksp, bool *single, std::string *why)
{
  bool        is_tolerant, is_linear;
  std::string inner, late;
  char        text[64];

  PetscFunctionBegin;
  *single = PetscDefined(USE_REAL_SINGLE);
  if (*single) *why = "PETSc is built in single precision";
  else if (c->component >= 0) *why = "-pc_gridmg_component rounds in two stages";
  else if (!ksp) *why = "it is applied without a solver, and may be taken for linear";
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsOneOf(ksp, tolerant, &is_tolerant));
  PetscCall(IsOneOf(ksp, linear, &is_linear));
  if (!is_tolerant || is_linear) PetscCall(TakenForLinear(ksp, is_linear, &inner));
  if (!is_tolerant) late = stops_late(ksp);
  *single = inner.empty() && late.empty();
  PetscCall(PetscSNPrintf(text, sizeof(text), " stops at rtol %g", (double)ksp->rtol));
  *why = ((PetscObject)ksp)->type_name;
  if (!inner.empty()) *why += inner;
  else if (!late.empty()) *why += late + " takes the preconditioner for linear";
  else *why += is_tolerant ? " does not take the preconditioner for linear" : text;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The hierarchy again, in the other precision */
PetscErrorCode SetUpAgain(PC pc, KSP ksp)
{
  GridMG        *c = grid_mg(pc);
  PCFailedReason failed;

  PetscFunctionBegin;
  c->hierarchy.reset();
  PetscCall(c->first.Reset());
  c->planned_for.Clear();
  c->divided.reset();
  c->divided_for.Clear();
  pc->setupcalled = PETSC_FALSE;
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &failed));
  if (ksp) ksp->reason = failed ? KSP_DIVERGED_PC_FAILED : KSP_CONVERGED_ITERATING; /* as KSPSetUp() leaves it */
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void grid_mg_forget_precision(GridMG *c)
{
  c->single = (PetscBool)(c->precision == GridPrecision::single || (c->precision == GridPrecision::automatic && c->component < 0));
  c->why_precision.clear();
  c->chosen_for.clear();
}

PetscErrorCode grid_mg_choose_precision(PC pc, KSP ksp)
{
  GridMG           *c    = grid_mg(pc);
  const std::string type = ksp ? ((PetscObject)ksp)->type_name : "";
  std::string       why;
  bool              single;

  PetscFunctionBegin;
  if (c->precision != GridPrecision::automatic || pc->presolvedone > (ksp ? 1 : 0)) PetscFunctionReturn(PETSC_SUCCESS); /* a solve has chosen it that is under way */
  PetscCall(Wish(c, ksp, &single, &why));
  if (single && !c->single && c->chosen_for == type) PetscFunctionReturn(PETSC_SUCCESS); /* tolerances of nonlinear solvers go up and down */
  const bool again = single != (bool)c->single;
  c->single        = (PetscBool)single;
  c->chosen_for    = type;
  c->why_precision = why;
  if (again) PetscCall(SetUpAgain(pc, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

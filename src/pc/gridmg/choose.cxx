/*
   The side on which the cycle runs, and its precision if options leave it open. A cycle in single precision is linear
   only up to rounding. This has no effect if the residual is updated by the product of the matrix with the exact
   increment of x. If it is updated by preconditioned vectors, or x is the preconditioner applied to a sum, it deviates
   from the residual of x by single-precision rounding, relative to the largest residual of the solve.
   tests/ksp/precision.c has all methods.
*/
#include "../../pass/offers/placement.hpp"
#include "../../sys/device.hpp"
#include "../../sys/vectors.hpp"
#include "context.hpp"
#include "../../private/ksp.hpp"
#include <heptane.h>
#include <algorithm>

namespace heptane
{

namespace
{

/* Methods whose residual equals the residual of x with every preconditioner */
const char *const exact[] = {KSPCG,    KSPFUSEDCG, KSPNASH,   KSPSTCG,   KSPGLTR,       KSPFCG, KSPPIPEFCG, KSPBICG,       KSPMINRES,    KSPFUSEDBICG,
                             KSPFBCGS, KSPFBCGSR,  KSPQMRCGS, KSPFGMRES, KSPPIPEFGMRES, KSPGCR, KSPPIPEGCR, KSPRICHARDSON, KSPCHEBYSHEV, KSPFUSEDCHEBYSHEV};
/* Methods that are linear in the right-hand side for a fixed number of iterations, as it may be inside other solvers */
const char *const linear[] = {KSPRICHARDSON, KSPCHEBYSHEV, KSPFUSEDCHEBYSHEV, KSPPREONLY};
/* Methods whose residual is as accurate as in double precision down to this part of the first one. At 1e-4 it is up to
   10 times as large on systems of log-normal permeability. */
constexpr PetscReal loose_rtol = 1e-3;
const char *const   loose[]    = {KSPGMRES, KSPLGMRES, KSPDGMRES, KSPBCGS, KSPFUSEDBCGS};
/* ... for right preconditioning, with which residuals grow before they fall: on channels of 1e4 times the permeability
   1e-3 ends with 1e-2 */
constexpr PetscReal loose_rtol_right = 1e-2;
const char *const   growing[]        = {KSPBCGS, KSPFUSEDBCGS};

template <std::size_t N>
bool is_one_of(KSP ksp, const char *const (&types)[N])
{
  return std::find(types, types + N, std::string(((PetscObject)ksp)->type_name)) != types + N;
}

/* Whether the solver is part of another one, as far as can be detected */
PetscErrorCode IsInner(KSP ksp, bool *inner)
{
  PetscInt lock;

  PetscFunctionBegin;
  PetscCall(VecLockGet(ksp->vec_rhs, &lock)); /* locked if a preconditioner is applied to it */
  *inner = ksp->nestlevel > 0 || lock > 0 || (is_one_of(ksp, linear) && ((PetscObject)ksp)->tablevel > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* KSPFUSEDBCGS with right preconditioning multiplies by the increment of x, unless PETSc's loop replaces it */
PetscErrorCode IsDirect(KSP ksp, bool *direct)
{
  PetscErrorCode (*ask)(KSP, PetscBool *);
  PetscBool fused, runs = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPFUSEDBCGS, &fused));
  PetscCall(PetscObjectQueryFunction((PetscObject)ksp, fused_runs_name, &ask));
  if (fused && ask && ksp->pc_side == PC_RIGHT) PetscCall((*ask)(ksp, &runs));
  *direct = runs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The reason why the final residual may be small relative to the largest one; empty: it is not */
std::string stops_late(KSP ksp)
{
  const bool right = ksp->pc_side == PC_RIGHT && is_one_of(ksp, growing);
  char       text[64];

  (void)PetscSNPrintf(text, sizeof(text), " at rtol %g", (double)ksp->rtol);
  if (ksp->converged != KSPConvergedDefault) return " with another convergence test";
  if (ksp->rtol < (right ? loose_rtol_right : loose_rtol)) return text;
  if (!ksp->guess_zero && !((const KSPConvergedDefaultCtx *)ksp->cnvP)->initialrtol) return " from an initial guess, which may be far from the solution,";
  return "";
}

/* The precision that a solve needs, and why */
PetscErrorCode OfSolver(KSP ksp, bool *single, std::string *why)
{
  const std::string type   = ((PetscObject)ksp)->type_name;
  const bool        steady = is_one_of(ksp, linear), early = is_one_of(ksp, loose);
  std::string       late;
  bool              inner = false, direct = false;

  PetscFunctionBegin;
  PetscCall(IsDirect(ksp, &direct));
  const bool whole = direct || is_one_of(ksp, exact);
  PetscCall(IsInner(ksp, &inner));
  if (early) late = stops_late(ksp);
  *single = false;
  if (inner && (steady || !whole)) *why = type + " inside another solver may have to be linear";
  else if (ksp->normtype == KSP_NORM_NONE && (steady || !whole)) *why = type + " without norms may have to be linear";
  else if (!whole && (!early || !late.empty())) *why = type + late + " requires a linear preconditioner";
  else *single = true;
  if (!*single) PetscFunctionReturn(PETSC_SUCCESS);
  char text[64];

  PetscCall(PetscSNPrintf(text, sizeof(text), " stops at rtol %g", (double)ksp->rtol));
  *why = type + (whole ? " does not require a linear preconditioner" : text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void grid_mg_forget_precision(GridMG *c)
{
  c->single = (PetscBool)(c->precision != GridPrecision::twofold);
  c->chosen_for.clear();
  c->why_precision.clear();
}

/*
   Decides the side: systems of few rows with vectors on the host run faster there; changed: the hierarchy is on the
   other side. Reports once if each iteration copies vectors.
*/
static PetscErrorCode ChooseSide(PC pc, Vec x, bool *changed)
{
  GridMG     *c = grid_mg(pc);
  PetscBool   usable, on_device = PETSC_FALSE, by_matrix = PETSC_FALSE;
  PetscInt    rows;
  PetscMPIInt size;

  PetscFunctionBegin;
  *changed = false;
  PetscCall(DeviceUsable(&usable));
  PetscCall(MatBoundToCPU(pc->pmat, &by_matrix));
  if (!usable || by_matrix) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecRunsOnDevice(x, &on_device));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)pc), &size));
  PetscCall(MatGetSize(pc->pmat, &rows, NULL));
  const bool on_host = !on_device && rows / size < PlacementTuning::rows;

  *changed   = on_host != c->on_host;
  c->on_host = on_host;
  if (!on_device && !on_host && !c->crosses) {
    PetscCall(PetscInfo(pc,
                        "Cycles run on the device and the vectors of the solver are on the host, so that each iteration copies them: use -dm_vec_type cuda, "
                        "-vec_type cuda, or -ksp_type fusedcg or another solver of heptane\n"));
    c->crosses = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Double precision is kept for a type of solver: tolerances of nonlinear solvers vary */
static PetscErrorCode ChoosePrecision(PC pc, KSP ksp, bool *changed)
{
  GridMG           *c      = grid_mg(pc);
  const std::string type   = ksp ? ((PetscObject)ksp)->type_name : "";
  std::string       why    = "an application without a solver may have to be linear";
  bool              single = false;

  PetscFunctionBegin;
  *changed = false;
  /* chosen by the current solve */
  if (c->precision != GridPrecision::automatic || pc->presolvedone > (ksp ? 1 : 0)) PetscFunctionReturn(PETSC_SUCCESS);
  if (PetscDefined(USE_REAL_SINGLE)) single = true, why = "PETSc is built in single precision";
  else if (ksp) PetscCall(OfSolver(ksp, &single, &why));
  if (single && !c->single && c->chosen_for == type) PetscFunctionReturn(PETSC_SUCCESS);
  *changed         = single != (bool)c->single;
  c->single        = (PetscBool)single;
  c->chosen_for    = type;
  c->why_precision = why;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode grid_mg_choose(PC pc, KSP ksp, Vec x)
{
  bool side = false, precision;

  PetscFunctionBegin;
  if (x) PetscCall(ChooseSide(pc, x, &side));
  PetscCall(ChoosePrecision(pc, ksp, &precision));
  if (side || precision) PetscCall(grid_mg_set_up_again(pc, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

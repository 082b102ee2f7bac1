/*
   What users set and see of the fused KSP types.
*/
#include "../../sys/number_options.hpp"
#include "placement.hpp"
#include "solver.hpp"
#include <petscviewer.h>
#include <climits>
#include <cstdio>
#include <set>

const char *const KSPFusedModes[]      = {"auto", "twin", "kernels", "graph", "persistent", "KSPFusedMode", "KSP_FUSED_", NULL};
const char *const KSPFusedFolds[]      = {"auto", "no", "yes", "KSPFusedFold", "KSP_FUSED_FOLD_", NULL};
const char *const KSPFusedPrecisions[] = {"double", "mixed", "refine", "auto", "KSPFusedPrecision", "KSP_FUSED_PRECISION_", NULL};

namespace heptane
{

static const char *const waits[] = {"polling", "blocking"};

PetscErrorCode FusedSetFromOptions(KSP ksp, FusedContext *ctx, PetscOptionItems PetscOptionsObject)
{
  PetscInt  wait = ctx->blocking, interval = ctx->interval, blocks = ctx->persistent_blocks;
  PetscInt  after = ctx->fold_after;
  PetscEnum mode = (PetscEnum)ctx->mode, fold = (PetscEnum)ctx->fold, precision = (PetscEnum)ctx->precision;
  PetscReal factor = ctx->precision_factor;
  PetscBool set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Fused solver options");
  PetscCall(PetscOptionsEnum("-ksp_fused_mode", "How the iterations run", "KSPFusedSetMode", KSPFusedModes, mode, &mode, &set));
  if (set) PetscCall(KSPFusedSetMode(ksp, (KSPFusedMode)mode));
  PetscCall(OptionInt(PetscOptionsObject, "-ksp_fused_check_interval", "Iterations between two looks of the host (0: automatic)", "KSPFusedSetCheckInterval", 0,
                      PETSC_INT_MAX, &interval, &set));
  if (set) PetscCall(KSPFusedSetCheckInterval(ksp, interval));
  PetscCall(PetscOptionsEList("-ksp_fused_wait", "How the host waits", "KSPFusedSetBlockingWait", waits, 2, waits[wait], &wait, &set));
  if (set) PetscCall(KSPFusedSetBlockingWait(ksp, (PetscBool)wait));
  PetscCall(OptionInt(PetscOptionsObject, "-ksp_fused_persistent_blocks", "Thread blocks of the persistent kernel (0: automatic)", NULL, 0, INT_MAX, &blocks));
  ctx->persistent_blocks = blocks;
  PetscCall(PetscOptionsEnum("-ksp_fused_fold", "Preconditioner folded into a copy of the matrix", "KSPFusedSetFold", KSPFusedFolds, fold, &fold, &set));
  if (set) PetscCall(KSPFusedSetFold(ksp, (KSPFusedFold)fold));
  PetscCall(OptionInt(PetscOptionsObject, "-ksp_fused_fold_after", "Iterations before auto folds (-1: by cost)", "KSPFusedSetFold", -1, PETSC_INT_MAX, &after));
  ctx->fold_after = after;
  PetscCall(ctx->placement->SetFromOptions(ksp, PetscOptionsObject));
  PetscCall(PetscOptionsEnum("-ksp_fused_precision", "What vectors and the matrix are stored in", "KSPFusedSetPrecision", KSPFusedPrecisions, precision,
                             &precision, &set));
  if (set) PetscCall(KSPFusedSetPrecision(ksp, (KSPFusedPrecision)precision));
  PetscCall(OptionReal(PetscOptionsObject, "-ksp_fused_precision_factor", "Of the norm, before a residual in double precision", "KSPFusedSetPrecisionFactor", 0,
                       1, &factor, &set));
  if (set) PetscCall(KSPFusedSetPrecisionFactor(ksp, factor));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewFold(FusedContext *ctx, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (ctx->folded_from >= 0 && ctx->folded)
    PetscCall(PetscViewerASCIIPrintf(viewer, "folded: %s in a copy of the %smatrix of %.6f GB, from iteration %d on\n",
                                     ctx->fold_side == FusedSide::both ? "half of the preconditioner from either side" : "the preconditioner",
                                     ctx->folded->Upper() ? "upper half of the " : "", 1e-9 * ctx->folded->MemoryBytes(), ctx->folded_from));
  else if (!ctx->fold_remark.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "not folded: %s\n", ctx->fold_remark.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The iterations of updates, all or the last ones */
static std::string updates_text(const std::vector<int> &updates)
{
  constexpr std::size_t most = 12;
  std::string           text = std::to_string(updates.size()) + (updates.size() == 1 ? " update" : " updates");

  for (std::size_t k = updates.size() > most ? updates.size() - most : 0; k < updates.size(); k++)
    text += (k == 0 ? ", after iteration " : k + most == updates.size() ? ", the last after " : ", ") + std::to_string(updates[k]);
  return text;
}

static PetscErrorCode ViewPrecision(FusedContext *ctx, PetscViewer viewer)
{
  const double gigabytes = ctx->single ? 1e-9 * ctx->single->MemoryBytes() : 0;

  PetscFunctionBegin;
  if (ctx->precision == KSP_FUSED_PRECISION_DOUBLE) PetscFunctionReturn(PETSC_SUCCESS);
  if (ctx->mixed)
    PetscCall(PetscViewerASCIIPrintf(viewer, "precision: %s, %.6f GB of the matrix in single precision, residual in double precision: %s\n",
                                     ctx->precision == KSP_FUSED_PRECISION_REFINE ? "refine" : "mixed", gigabytes, updates_text(ctx->updates).c_str()));
  if (ctx->smooth_single)
    PetscCall(PetscViewerASCIIPrintf(viewer, "precision: mixed, %.6f GB of the matrix in single precision, vectors in double precision\n", gigabytes));
  if (!ctx->precision_remark.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "precision: double: %s\n", ctx->precision_remark.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewPlan(FusedContext *ctx, PetscViewer viewer)
{
  int kernels = 0;

  PetscFunctionBegin;
  for (const FusedPlanStep &s : ctx->plan.steps) kernels += s.kernel;
  PetscCall(PetscViewerASCIIPrintf(viewer, "macro-kernels per iteration: %d%s\n", kernels,
                                   ctx->chosen == KSP_FUSED_PERSISTENT ? ", all in one persistent kernel" : ""));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  for (const FusedPlanStep &s : ctx->plan.steps) PetscCall(PetscViewerASCIIPrintf(viewer, "%s%s\n", s.kernel ? "" : "call: ", s.text.c_str()));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the bytes are without: " and what MatMult and PCApply move" */
static std::string unknown_text(const FusedPlan &plan)
{
  std::set<std::string> names(plan.unknown.begin(), plan.unknown.end());
  std::string           text;

  for (const std::string &name : names) text += (text.empty() ? " and what " : " and ") + name;
  return text.empty() ? text : text + (names.size() > 1 ? " move" : " moves");
}

PetscErrorCode FusedView(KSP ksp, FusedContext *ctx, PetscViewer viewer)
{
  PetscBool isascii;
  double    waits_an_iteration;
  char      bytes[32], launches[32], host_waits[32];

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &isascii));
  if (!isascii) PetscFunctionReturn(PETSC_SUCCESS);
  if (!ctx->ran) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "fused: mode %s, not yet solved\n", KSPFusedModes[ctx->mode]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!ctx->fused) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "fused: twin (PETSc's own loop): %s\n", ctx->remark.c_str()));
    if (ctx->precision != KSP_FUSED_PRECISION_DOUBLE) PetscCall(PetscViewerASCIIPrintf(viewer, "  precision: double: PETSc's own loop\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const FusedEngine &e          = *ctx->engine;
  const bool         persistent = ctx->chosen == KSP_FUSED_PERSISTENT;
  waits_an_iteration            = !e.OnDevice() || !ctx->looked ? 0 : e.HostScalars() ? ctx->plan.reductions : 1.0 / ctx->looked;
  if (ctx->looked)
    PetscCall(PetscViewerASCIIPrintf(viewer, "fused: mode %s on the %s, convergence looked at every %d iteration%s, wait %s\n", KSPFusedModes[ctx->chosen],
                                     e.OnDevice() ? "device" : "host", ctx->looked, ctx->looked == 1 ? "" : "s", waits[ctx->blocking]));
  else
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "fused: mode %s on the %s, convergence not tested\n", KSPFusedModes[ctx->chosen], e.OnDevice() ? "device" : "host"));
  if (!ctx->placement->Text().empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s\n", ctx->placement->Text().c_str()));
  if (!ctx->remark.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  not mode %s: %s\n", KSPFusedModes[ctx->mode], ctx->remark.c_str()));
  if (!ctx->sums_remark.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  two sums per iteration, not one: %s\n", ctx->sums_remark.c_str()));
  if (e.Processes() > 1) PetscCall(PetscViewerASCIIPrintf(viewer, "  %d processes: sums by %s, halo by %s\n", e.Processes(), e.SumsBy(), e.HaloBy()));
  if (!e.WhyNotPeers().empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  not from memory to memory: %s\n", e.WhyNotPeers().c_str()));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(ViewPlan(ctx, viewer));
  if (!ctx->pcs.WhyOther().empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "preconditioner not in the kernels: %s\n", ctx->pcs.WhyOther().c_str()));
  /* PetscViewerASCIIPrintf() would print 344 as 344. */
  std::snprintf(bytes, sizeof(bytes), "%g", ctx->bytes_a_row);
  std::snprintf(launches, sizeof(launches), "%g", persistent ? 1.0 / ctx->looked : ctx->plan.launches);
  std::snprintf(host_waits, sizeof(host_waits), "%g", waits_an_iteration);
  PetscCall(PetscViewerASCIIPrintf(viewer, "budget per iteration: %s bytes per row%s, %s launches, %d reductions, %s host waits\n", bytes,
                                   persistent ? " at most" : unknown_text(ctx->plan).c_str(), launches, ctx->plan.reductions, host_waits));
  PetscCall(ViewFold(ctx, viewer));
  PetscCall(ViewPrecision(ctx, viewer));
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "last solve: %" PetscInt64_FMT " iterations, %" PetscInt64_FMT " launches, %" PetscInt64_FMT " reductions, %" PetscInt64_FMT " host waits\n",
    ctx->counts.iterations, ctx->counts.launches, ctx->counts.reductions, ctx->counts.waits));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  (void)ksp;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

using namespace heptane;

/*@
  KSPFusedSetMode - Sets how the iterations of a fused Krylov method run

  Logically Collective

  Input Parameters:
+ ksp  - a `KSP` of type `KSPFUSEDCG`, `KSPFUSEDBCGS`, `KSPFUSEDBICG` or `KSPFUSEDCHEBYSHEV`
- mode - see below

  Options Database Key:
. -ksp_fused_mode (auto|twin|kernels|graph|persistent) - the mode

  Level: intermediate

  Notes:
+ `KSP_FUSED_AUTO`       - by size: persistent if it fits, else graph, else kernels
. `KSP_FUSED_TWIN`       - PETSc's own loop, for reference
. `KSP_FUSED_KERNELS`    - one launch per pass over the vectors
. `KSP_FUSED_GRAPH`      - a batch of iterations is recorded once as a CUDA graph and replayed
- `KSP_FUSED_PERSISTENT` - one kernel that stays on the device for the whole solve, with vectors in registers and shared memory

  Over several processes the persistent kernels are those of `KSPFUSEDCG` and `KSPFUSEDBCGS`, one process per GPU, with rows on every process; see
  `-heptane_comm`. `KSP_FUSED_AUTO` takes them on up to four GPUs.

  A mode that cannot apply (sums by MPI, a preconditioner that is called between the kernels, a monitor that reads the iterate) falls back to kernels;
  `-ksp_view` and `-info` say why.

.seealso: `KSPFUSEDCG`, `KSPFUSEDBCGS`, `KSPFusedSetCheckInterval()`
@*/
PetscErrorCode KSPFusedSetMode(KSP ksp, KSPFusedMode mode)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscCall(FusedGet(ksp, &ctx));
  PetscCheck(mode >= KSP_FUSED_AUTO && mode <= KSP_FUSED_PERSISTENT, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE,
             "Mode %d: auto, twin, kernels, graph or persistent (0 to 4)", (int)mode);
  ctx->mode = mode;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  KSPFusedSetCheckInterval - Sets how many iterations the device runs between two checks of convergence by the host

  Logically Collective

  Input Parameters:
+ ksp      - a `KSP` of a fused type
- interval - iterations, 0 for automatic

  Options Database Key:
. -ksp_fused_check_interval interval - the number

  Level: intermediate

  Note:
  Convergence is tested on the device in every iteration, and the iterate returned is that of the iteration that met the test; iterations queued behind it
  change nothing. Monitors and tests that read the iterate are called in every iteration, whatever the interval.

.seealso: `KSPFUSEDCG`, `KSPFUSEDBCGS`, `KSPFusedSetMode()`
@*/
PetscErrorCode KSPFusedSetCheckInterval(KSP ksp, PetscInt interval)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscCall(FusedGet(ksp, &ctx));
  PetscCheck(interval >= 0, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE,
             "-ksp_fused_check_interval %" PetscInt_FMT ": use 1 or more iterations, or 0 for automatic", interval);
  ctx->interval = interval;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  KSPFusedSetBlockingWait - Sets whether the host thread sleeps while it waits for the device

  Logically Collective

  Input Parameters:
+ ksp      - a `KSP` of a fused type
- blocking - `PETSC_TRUE`: it sleeps; `PETSC_FALSE` (default): it polls, which responds some microseconds earlier

  Options Database Key:
. -ksp_fused_wait (polling|blocking) - how the host waits

  Level: intermediate

.seealso: `KSPFUSEDCG`, `KSPFUSEDBCGS`, `KSPFusedSetMode()`
@*/
PetscErrorCode KSPFusedSetBlockingWait(KSP ksp, PetscBool blocking)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscCall(FusedGet(ksp, &ctx));
  ctx->blocking = blocking;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  KSPFusedSetFold - Sets whether a fused Krylov method multiplies Jacobi or point-block Jacobi into a copy of the matrix, so that an iteration has no preconditioner step

  Logically Collective

  Input Parameters:
+ ksp  - a `KSP` of type `KSPFUSEDCG` or `KSPFUSEDBCGS` (`KSPFUSEDBICG` and `KSPFUSEDCHEBYSHEV` never make such a copy)
- fold - see below

  Options Database Keys:
+ -ksp_fused_fold (auto|no|yes)  - the setting
- -ksp_fused_fold_after its      - iterations of each solve before `auto` makes the copy, -1 (default) by cost

  Level: intermediate

  Notes:
+ `KSP_FUSED_FOLD_AUTO` - after as many iterations of a solve as pay for the copy: the bytes that making it moves over those that an iteration saves; never if memory is short
. `KSP_FUSED_FOLD_NO`   - never
- `KSP_FUSED_FOLD_YES`  - before the first iteration, if it applies: for many solves with one operator, or for long solves

  The copy is made on one process, for matrices of type `MATBDIAGH` or `MATSELLP`. `KSPFUSEDBCGS` scales it from the side of the preconditioner. The diagonal of
  M^-1 A, or its diagonal blocks, are then the identity, and neither they nor the inverses are read. `KSPFUSEDCG` scales by the square root of Jacobi from both
  sides. It makes no copy for point blocks, for diagonals that are not positive, and with monitors that read the iterate. `-ksp_view` says whether the copy was
  used, or why not.

  Norms, counts and the solution are those without the copy, to rounding. The copy takes the memory of the matrix's values without its main diagonal. It is kept
  from solve to solve. If the matrix or the preconditioner changed it is made again, in the same memory if the pattern is unchanged. `KSPReset()` and the first
  solve with `KSP_FUSED_FOLD_NO` free it. The rule of `auto` does not depend on previous solves, so that a repeated solve gives bitwise the same result.

.seealso: `KSPFUSEDCG`, `KSPFUSEDBCGS`, `KSPFusedSetMode()`, `PCJACOBI`, `PCPBJACOBI`
@*/
PetscErrorCode KSPFusedSetFold(KSP ksp, KSPFusedFold fold)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscCall(FusedGet(ksp, &ctx));
  PetscCheck(fold >= KSP_FUSED_FOLD_AUTO && fold <= KSP_FUSED_FOLD_YES, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE,
             "Folding %d: auto, no or yes (0 to 2)", (int)fold);
  ctx->fold = fold;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  KSPFusedSetPrecision - Sets what a fused Krylov method stores the vectors of its recurrences and its copy of the matrix in

  Logically Collective

  Input Parameters:
+ ksp       - a `KSP` of type `KSPFUSEDCG`, `KSPFUSEDBCGS` or `KSPFUSEDCHEBYSHEV` (`KSPFUSEDBICG` has double precision alone)
- precision - see below

  Options Database Keys:
+ -ksp_fused_precision (double|mixed|refine|auto) - the setting
- -ksp_fused_precision_factor factor              - see `KSPFusedSetPrecisionFactor()`

  Level: intermediate

  Notes:
+ `KSP_FUSED_PRECISION_DOUBLE` - double precision (default)
. `KSP_FUSED_PRECISION_MIXED`  - single precision, the residual computed anew in double precision from time to time, with the directions kept
. `KSP_FUSED_PRECISION_REFINE` - the same, with a new Krylov space after each such residual (iterative refinement): more iterations, for comparison
- `KSP_FUSED_PRECISION_AUTO`   - mixed for large problems on a device, on which iterations are bound by the bytes that they move, where it moves less of them (docs/fused.md)

  Vectors and the copy of the matrix, which is scaled by the preconditioner, take half the bytes. Rows of products with `MATBDIAGH` and what is done to vectors may be computed in single precision too;
  scalar products, scalars and the solution are in double precision.
  Convergence is declared on the norm of a residual that was computed with the matrix itself in double precision. Such norms also stand in the history at the
  iterations behind which there was one; the other norms are those of the recurrences.

  With `KSPFUSEDCHEBYSHEV` and `KSP_NORM_NONE`, as in smoothers, vectors stay in double precision, and the mixed settings mean such a copy alone; on one process.

  It applies to matrices of types `MATBDIAGH` and `MATSELLP` with `PCNONE`, `PCJACOBI` or (not `KSPFUSEDCG`) `PCPBJACOBI` from the left, a norm, and no monitor or test that reads the
  iterate; on several processes with GPUs where these write into each other's memory (`-heptane_comm`), without a persistent kernel. Elsewhere, and where single precision brings no progress (matrices whose condition is above some 1e7, numbers out of its range), the solve is or goes on in double
  precision; `-ksp_view` and `-info` say from which iteration on and why. The copy takes half the memory of the matrix at most, the vectors as much as four vectors.

.seealso: `KSPFUSEDCG`, `KSPFUSEDBCGS`, `KSPFUSEDCHEBYSHEV`, `KSPFusedSetPrecisionFactor()`, `KSPFusedSetFold()`
@*/
PetscErrorCode KSPFusedSetPrecision(KSP ksp, KSPFusedPrecision precision)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscCall(FusedGet(ksp, &ctx));
  PetscCheck(precision >= KSP_FUSED_PRECISION_DOUBLE && precision <= KSP_FUSED_PRECISION_AUTO, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE,
             "Precision %d: double, mixed, refine or auto (0 to 3)", (int)precision);
  ctx->precision = precision;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  KSPFusedSetPrecisionFactor - Sets by how much the norm falls before mixed precision computes a residual in double precision

  Logically Collective

  Input Parameters:
+ ksp    - a `KSP` of type `KSPFUSEDCG`, `KSPFUSEDBCGS` or `KSPFUSEDCHEBYSHEV`
- factor - larger than 0 and smaller than 1

  Options Database Key:
. -ksp_fused_precision_factor factor - the factor

  Level: advanced

  Note:
  Each such residual takes as long as some ten iterations. Behind the first one the norm falls by up to a hundred times as much where residuals have agreed so far and the next one would come before 100
  iterations. A factor below the accuracy that single precision has for the matrix, which is some 1e-7 times its condition, costs
  iterations.

.seealso: `KSPFUSEDCG`, `KSPFUSEDBCGS`, `KSPFUSEDCHEBYSHEV`, `KSPFusedSetPrecision()`
@*/
PetscErrorCode KSPFusedSetPrecisionFactor(KSP ksp, PetscReal factor)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscCall(FusedGet(ksp, &ctx));
  PetscCheck(factor > 0 && factor < 1, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE,
             "-ksp_fused_precision_factor %g: use a number between 0 and 1, for instance 0.01", (double)factor);
  ctx->precision_factor = factor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

namespace heptane
{

const char *const KSPFusedModes[]      = {"auto", "twin", "kernels", "graph", "persistent", "KSPFusedMode", "KSP_FUSED_", NULL};
const char *const KSPFusedFolds[]      = {"auto", "no", "yes", "KSPFusedFold", "KSP_FUSED_FOLD_", NULL};
const char *const KSPFusedPrecisions[] = {"double", "mixed", "auto", "KSPFusedPrecision", "KSP_FUSED_PRECISION_", NULL};

static const char *const waits[] = {"polling", "blocking"};

PetscErrorCode FusedSetFromOptions(KSP ksp, FusedContext *ctx, PetscOptionItems PetscOptionsObject)
{
  FusedSettings &s      = ctx->settings;
  PetscInt       wait   = s.blocking;
  PetscReal      factor = s.precision_factor;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Fused solver options");
  PetscCall(PetscOptionsEnum("-ksp_fused_mode", "Execution of the iterations", "KSPFUSEDCG", KSPFusedModes, (PetscEnum)s.mode, (PetscEnum *)&s.mode, NULL));
  PetscCall(OptionInt(PetscOptionsObject, "-ksp_fused_check_interval", "Iterations between two convergence checks of the host; 0: automatic", "KSPFUSEDCG", 0,
                      PETSC_INT_MAX, &s.interval));
  PetscCall(PetscOptionsEList("-ksp_fused_wait", "Wait of the host: polling, or blocking (it sleeps)", "KSPFUSEDCG", waits, 2, waits[wait], &wait, NULL));
  s.blocking = (PetscBool)wait;
  PetscCall(OptionInt(PetscOptionsObject, "-ksp_fused_persistent_blocks", "Thread blocks of the persistent kernel; 0: automatic", "KSPFUSEDCG", 0, INT_MAX,
                      &s.persistent_blocks));
  PetscCall(PetscOptionsEnum("-ksp_fused_fold", "Solve with a copy of the matrix that is scaled by the preconditioner", "KSPFUSEDCG", KSPFusedFolds,
                             (PetscEnum)s.fold, (PetscEnum *)&s.fold, NULL));
  PetscCall(OptionInt(PetscOptionsObject, "-ksp_fused_fold_after", "Iterations before auto makes the scaled copy; -1: by cost", "KSPFUSEDCG", -1, PETSC_INT_MAX,
                      &s.fold_after));
  PetscCall(ctx->placement->SetFromOptions(ksp, PetscOptionsObject));
  PetscCall(PetscOptionsEnum("-ksp_fused_precision", "Precision of the vectors and of the copy of the matrix", "KSPFUSEDCG", KSPFusedPrecisions,
                             (PetscEnum)s.precision, (PetscEnum *)&s.precision, NULL));
  PetscCall(
    OptionReal(PetscOptionsObject, "-ksp_fused_precision_factor", "Reduction of the norm before a residual in double precision", "KSPFUSEDCG", 0, 1, &factor));
  PetscOptionsHeadEnd();
  PetscCheck(factor > 0 && factor < 1, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_OUTOFRANGE,
             "-ksp_fused_precision_factor %g: use a number between 0 and 1, for instance 0.01", (double)factor);
  s.precision_factor = factor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewFold(FusedContext *ctx, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (ctx->last.folded_from >= 0 && ctx->caches.folded)
    PetscCall(PetscViewerASCIIPrintf(viewer, "folded: %s in a copy of the %smatrix of %.6f GB, from iteration %d on\n",
                                     ctx->last.fold_side == FusedSide::both ? "half of the preconditioner from either side" : "the preconditioner",
                                     ctx->caches.folded->Upper() ? "upper half of the " : "", 1e-9 * ctx->caches.folded->MemoryBytes(), ctx->last.folded_from));
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
  const double gigabytes = ctx->caches.single ? 1e-9 * ctx->caches.single->MemoryBytes() : 0;

  PetscFunctionBegin;
  if (ctx->settings.precision == KSP_FUSED_PRECISION_DOUBLE) PetscFunctionReturn(PETSC_SUCCESS);
  if (ctx->last.mixed)
    PetscCall(PetscViewerASCIIPrintf(viewer, "precision: mixed, %.6f GB of the matrix in single precision, residual in double precision: %s\n", gigabytes,
                                     updates_text(ctx->last.updates).c_str()));
  if (ctx->last.smooth_single)
    PetscCall(PetscViewerASCIIPrintf(viewer, "precision: mixed, %.6f GB of the matrix in single precision, vectors in double precision\n", gigabytes));
  if (!ctx->last.precision_remark.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "precision: double: %s\n", ctx->last.precision_remark.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The passes of an iteration, and why not more is in them: at the level ascii_info_detail */
static PetscErrorCode ViewPasses(FusedContext *ctx, PetscViewer viewer)
{
  int kernels = 0, calls = 0;

  PetscFunctionBegin;
  for (const FusedPlanStep &s : ctx->caches.plan.steps) (s.kernel ? kernels : calls)++;
  PetscCall(PetscViewerASCIIPrintf(viewer, "passes per iteration: %d fused%s, %d called\n", kernels,
                                   ctx->last.chosen == KSP_FUSED_PERSISTENT ? " in one persistent kernel" : "", calls));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  for (const FusedPlanStep &s : ctx->caches.plan.steps) PetscCall(PetscViewerASCIIPrintf(viewer, "%s%s\n", s.kernel ? "" : "call: ", s.text.c_str()));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  if (!ctx->caches.pcs.WhyOther().empty())
    PetscCall(PetscViewerASCIIPrintf(viewer, "preconditioner not in the passes: %s\n", ctx->caches.pcs.WhyOther().c_str()));
  if ((ctx->last.folded_from < 0 || !ctx->caches.folded) && !ctx->last.fold_remark.empty())
    PetscCall(PetscViewerASCIIPrintf(viewer, "not folded: %s\n", ctx->last.fold_remark.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The calls whose bytes are not known: "MatMult, PCApply" */
static std::string uncounted_text(const FusedPlan &plan)
{
  std::set<std::string> names(plan.unknown.begin(), plan.unknown.end());
  std::string           text;

  for (const std::string &name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/* Mode, and why it is not the one of the options; processes, and why they do not use the fastest way */
static PetscErrorCode ViewMode(FusedContext *ctx, PetscViewer viewer)
{
  const FusedDriver &e = *ctx->engine;
  char               tested[64];

  PetscFunctionBegin;
  if (ctx->last.check_interval)
    PetscCall(PetscSNPrintf(tested, sizeof(tested), "tested every %d iteration%s", ctx->last.check_interval, ctx->last.check_interval == 1 ? "" : "s"));
  else PetscCall(PetscSNPrintf(tested, sizeof(tested), "not tested"));
  PetscCall(PetscViewerASCIIPrintf(viewer, "fused: mode %s on the %s, convergence %s, host wait %s\n", KSPFusedModes[ctx->last.chosen],
                                   e.OnDevice() ? "device" : "host", tested, waits[ctx->settings.blocking]));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  if (!ctx->placement->Text().empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", ctx->placement->Text().c_str()));
  if (!ctx->last.remark.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "not mode %s: %s\n", KSPFusedModes[ctx->settings.mode], ctx->last.remark.c_str()));
  if (!ctx->last.sums_remark.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "two sums per iteration, not one: %s\n", ctx->last.sums_remark.c_str()));
  if (e.Processes() > 1) PetscCall(PetscViewerASCIIPrintf(viewer, "%d processes: sums by %s, halo by %s\n", e.Processes(), e.SumsBy(), e.HaloBy()));
  if (!e.WhyNotPeers().empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "not from memory to memory: %s\n", e.WhyNotPeers().c_str()));
  if (!e.WhyNotNccl().empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "not by NCCL: %s\n", e.WhyNotNccl().c_str()));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an iteration costs. snprintf(), because PetscViewerASCIIPrintf() would print 344 as 344. */
static PetscErrorCode ViewCost(FusedContext *ctx, PetscViewer viewer)
{
  const FusedDriver &e          = *ctx->engine;
  const bool         persistent = ctx->last.chosen == KSP_FUSED_PERSISTENT;
  const double host_waits = !e.OnDevice() || !ctx->last.check_interval ? 0 : e.HostScalars() ? ctx->caches.plan.reductions : 1.0 / ctx->last.check_interval;
  const std::string calls = persistent ? "" : uncounted_text(ctx->caches.plan);
  std::string       bytes = persistent ? " bytes per row at most" : " bytes per row";
  char              text[160], number[32];

  PetscFunctionBegin;
  std::snprintf(text, sizeof(text), "%g launches, %d reductions, %g host waits", persistent ? 1.0 / ctx->last.check_interval : ctx->caches.plan.launches,
                ctx->caches.plan.reductions, host_waits);
  std::snprintf(number, sizeof(number), "%g", ctx->last.bytes_a_row);
  bytes = ctx->last.bytes_a_row == 0 && !calls.empty() ? "bytes not counted" : number + bytes;
  if (!calls.empty()) bytes += ctx->last.bytes_a_row == 0 ? " (" + calls + ")" : " (" + calls + " not counted)";
  PetscCall(PetscViewerASCIIPrintf(viewer, "per iteration: %s, %s\n", text, bytes.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedView(KSP ksp, FusedContext *ctx, PetscViewer viewer)
{
  PetscBool         isascii;
  PetscViewerFormat format;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &isascii));
  if (!isascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (format == PETSC_VIEWER_ASCII_INFO_DETAIL) PetscCall(PetscViewerASCIIPrintf(viewer, "heptane_version: %s\n", HEPTANE_VERSION));
  if (!ctx->last.ran) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "fused: mode %s, not yet solved\n", KSPFusedModes[ctx->settings.mode]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ctx->last.delegated) {
    PetscCall(ctx->delegate->View(ksp, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!ctx->last.fused) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "fused: twin (PETSc's own loop): %s\n", ctx->last.remark.c_str()));
    if (ctx->settings.precision != KSP_FUSED_PRECISION_DOUBLE) PetscCall(PetscViewerASCIIPrintf(viewer, "  precision: double: PETSc's own loop\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ViewMode(ctx, viewer));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(ViewCost(ctx, viewer));
  PetscCall(ViewFold(ctx, viewer));
  PetscCall(ViewPrecision(ctx, viewer));
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "last solve: %" PetscInt64_FMT " iterations, %" PetscInt64_FMT " launches, %" PetscInt64_FMT " reductions, %" PetscInt64_FMT " host waits\n",
    ctx->last.counts.iterations, ctx->last.counts.launches, ctx->last.counts.reductions, ctx->last.counts.waits));
  if (format == PETSC_VIEWER_ASCII_INFO_DETAIL) PetscCall(ViewPasses(ctx, viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

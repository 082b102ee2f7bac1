/*
   Whether a solve runs in mixed precision, and its data: the scaled copy and the vectors in single precision. All
   processes decide alike: if one of them cannot, all use double precision.
*/
#include "../../../sys/collective.hpp"
#include "../../../sys/events.hpp"
#include "../../../sys/vectors.hpp"
#include "../run_state.hpp"
#include "passes.hpp"
#include "pays.hpp"
#include "update.hpp"
#include <cstring>

namespace heptane
{

namespace
{

constexpr char too_small[] = "too small a matrix for it to pay";

MPI_Comm comm_of(const FusedDriver &e)
{
  return PetscObjectComm((PetscObject)e.ksp);
}

/*
   Collective. Makes the reason of one process, the first that has any, the reason of all; *raised: a process has raised
   it. No effect on one process.
*/
PetscErrorCode Agree(const FusedDriver &e, std::string *why, bool *raised)
{
  PetscMPIInt rank;
  char        text[256];

  PetscFunctionBegin;
  if (e.Processes() == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(comm_of(e), &rank));
  int least[2] = {why->empty() ? e.Processes() : rank, *raised ? 0 : 1};
  PetscCall(CollectiveReduce(comm_of(e), least, 2, MPI_INT, MPI_MIN));
  *raised = !least[1];
  if (least[0] == e.Processes()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(text, why->c_str(), sizeof(text)));
  PetscCallMPI(MPI_Bcast(text, sizeof(text), MPI_CHAR, least[0], comm_of(e)));
  *why = least[0] ? "process " + std::to_string(least[0]) + ": " + text : std::string(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether passes may read the right-hand side on the side of the other vectors */
PetscErrorCode ReadsRhs(const FusedDriver &e, bool *reads)
{
  const PetscScalar *b;
  PetscMemType       mt = PETSC_MEMTYPE_HOST;
  PetscBool          owns;

  PetscFunctionBegin;
  PetscCall(FusedOwnsArray(e.ksp->vec_rhs, &owns));
  if (owns) {
    PetscCall(VecGetArrayReadAndMemType(e.ksp->vec_rhs, &b, &mt));
    PetscCall(VecRestoreArrayReadAndMemType(e.ksp->vec_rhs, &b));
  }
  *reads = owns && (!e.Rows() || PetscMemTypeCUDA(mt) == e.OnDevice());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. Bytes of a product in double precision, of the process that has most to do */
PetscErrorCode LargestMatrix(const FusedDriver &e, double *bytes)
{
  PetscFunctionBegin;
  *bytes = e.Operator() ? e.Operator()->MatrixBytes() : 0;
  if (e.Processes() > 1) PetscCall(CollectiveReduce(comm_of(e), bytes, 1, MPI_DOUBLE, MPI_MAX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. Why this process has to solve in double precision; empty: it need not. side: of the copy */
PetscErrorCode WhyNot(KSP ksp, FusedContext *ctx, const FusedProgress *p, FusedSide *side, std::string *why)
{
  FusedDriver &e       = *ctx->engine;
  bool         reads   = false;
  double       largest = 0;

  PetscFunctionBegin;
  PetscCall(ReadsRhs(e, &reads));
  if (ctx->settings.precision == KSP_FUSED_PRECISION_AUTO) PetscCall(LargestMatrix(e, &largest));
  if (std::is_same_v<Scalar, float>) *why = "PETSc is built in single precision";
  else if (e.OnDevice() && e.HostScalars()) *why = "MPI exchanges between GPUs (see -heptane_comm)";
  else if (!e.Operator()) *why = "the matrix is multiplied by MatMult() (fused: -mat_type bdiagh, sellp)";
  else if (p->pc.form == FusedPc::called) *why = "the preconditioner is called between the passes";
  else if (p->run_state.iterate) *why = "a monitor or convergence test reads the iterate";
  else if (ksp->normtype == KSP_NORM_NONE || e.Host().chknorm > 0)
    *why = "no norm is computed (-ksp_norm_type none), so that residuals in double precision have no schedule";
  else if (!reads) *why = "right-hand side and solution are not both on the host or both on the device";
  else if (ctx->settings.precision == KSP_FUSED_PRECISION_AUTO && ctx->caches.rounding_side) *why = "an earlier solve could not stay in mixed precision";
  else if (ctx->settings.precision == KSP_FUSED_PRECISION_AUTO && !e.OnDevice()) *why = "on the host it does not pay for all methods";
  else if (ctx->settings.precision == KSP_FUSED_PRECISION_AUTO && largest < FusedTuning::mixed_resident_bytes) *why = too_small;
  else if (!ctx->method->can.single) *why = "the method has double precision only";
  else if (const char *refused = ctx->method->can.single->WhyNotSingle(ksp)) *why = refused;
  else *why = "";
  if (why->empty() && p->pc.form != FusedPc::none) *side = ctx->method->can.single->SideSingle(ksp, p->pc, why);
  if (why->empty()) *why = e.Matrix()->WhyNotFold(FusedScalingOf(*side, p->pc), FusedStored::single);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. The copy, rebuilt if it is stale, on all processes alike; why: no process has one */
PetscErrorCode Copy(KSP ksp, FusedContext *ctx, const FusedPc &pc, FusedSide side, bool stale, std::string *why)
{
  FusedDriver &e = *ctx->engine;

  PetscFunctionBegin;
  if (stale) {
    ctx->caches.single_for.Clear(); /* in case of an error below */
    PetscCall(PetscLogEventBegin(KSP_FusedFold, ksp, 0, 0, 0));
    PetscCall(e.Matrix()->Fold(FusedScalingOf(side, pc), FusedStored::single, &ctx->caches.single, &ctx->caches.single_status));
    PetscCall(PetscLogEventEnd(KSP_FusedFold, ksp, 0, 0, 0));
    ctx->caches.single_for = FusedCopyStamp(ctx, pc, side);
  }
  if (ctx->caches.single_status == FusedFoldStatus::no_memory) *why = "no memory is left for the copy";
  else if (ctx->caches.single_status == FusedFoldStatus::not_positive) *why = "the diagonal of the preconditioner is not positive";
  else if (ctx->caches.single_status == FusedFoldStatus::out_of_range)
    *why = "numbers of the matrix or its preconditioner are out of the range of single precision";
  if (!why->empty()) ctx->caches.single.reset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. Allocates the vectors; why: memory is short on some process */
PetscErrorCode Vectors(FusedContext *ctx, std::string *why)
{
  FusedDriver &e    = *ctx->engine;
  bool         fine = true, none = false;

  PetscFunctionBegin;
  PetscCall(ctx->caches.saved_solution.Make((std::size_t)e.Rows(), e.OnDevice(), &fine));
  if (fine) PetscCall(ctx->method->can.single->EnterSingle(e, &fine));
  if (!fine) *why = "no memory is left for the vectors";
  PetscCall(Agree(e, why, &none));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes per row of an iteration with this preconditioner and a matrix of `matrix` bytes */
PetscErrorCode BytesWith(FusedContext *ctx, const FusedPc &pc, double matrix, double *bytes)
{
  FusedDriver &e = *ctx->engine;
  FusedPlan    iteration;

  PetscFunctionBegin;
  PetscCall(e.Record(&iteration, [&] { return ctx->method->Iteration(e, pc); }));
  *bytes = iteration.BytesPerRow(matrix, (double)e.Rows());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same in double precision, with the scaled copy that a long solve would use */
PetscErrorCode BytesInDouble(KSP ksp, FusedContext *ctx, const FusedPc &pc, double *bytes)
{
  const FusedMatrix &op = *ctx->engine->Matrix();
  std::string        why;
  double             folded;

  PetscFunctionBegin;
  PetscCall(BytesWith(ctx, pc, op.MatrixBytes(), bytes));
  if (ctx->settings.fold == KSP_FUSED_FOLD_NO || pc.form == FusedPc::none) PetscFunctionReturn(PETSC_SUCCESS);
  const FusedScaling F = FusedScalingOf(ctx->method->Fold(ksp, pc, PETSC_FALSE, &why), pc);
  if (F.side == FusedSide::none || !op.WhyNotFold(F, FusedStored::scalar).empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BytesWith(ctx, FusedFoldedPc(pc, op.FoldedBytes(F) < op.MatrixBytes()), op.FoldedBytes(F), &folded));
  *bytes = PetscMin(*bytes, folded);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner with the copy in single precision */
FusedPc single_pc(const FusedContext *ctx, const FusedPc &pc)
{
  FusedPc single = FusedFoldedPc(pc, ctx->caches.single->Unit());

  single.single = true;
  return single;
}

/* Collective. The costs of the whole matrix */
PetscErrorCode OfAllProcesses(const FusedDriver &e, MixedCosts *costs)
{
  const double local = (double)e.Rows();
  double       sum[] = {local > 0 ? local * costs->of_double : 0, local > 0 ? local * costs->of_mixed : 0};

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, comm_of(e)));
  costs->of_double       = sum[0] / (double)PetscMax(GlobalSize(e.ksp->vec_sol), 1);
  costs->of_mixed        = sum[1] / (double)PetscMax(GlobalSize(e.ksp->vec_sol), 1);
  costs->resident_double = true; /* assumed: requires a large matrix, or a kernel in single precision */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective. For `auto`, after copy and vectors have been made; all processes decide alike */
PetscErrorCode Pays(KSP ksp, FusedContext *ctx, FusedProgress *p, std::string *why)
{
  FusedDriver   &e  = *ctx->engine;
  const FusedPc &pc = p->pc;
  MixedCosts     costs;

  PetscFunctionBegin;
  if (ctx->settings.precision != KSP_FUSED_PRECISION_AUTO) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LargestMatrix(e, &costs.matrix));
  PetscCall(BytesInDouble(ksp, ctx, pc, &costs.of_double));
  PetscCall(BytesWith(ctx, single_pc(ctx, pc), ctx->caches.single->Operator()->MatrixBytes(), &costs.of_mixed));
  if (e.Processes() > 1) PetscCall(OfAllProcesses(e, &costs));
#if PetscDefined(HAVE_CUDA)
  FusedSinglePersistent P;
  FusedResident         answer;

  const bool persistent = costs.matrix < FusedTuning::mixed_bytes && (ctx->settings.mode == KSP_FUSED_AUTO || ctx->settings.mode == KSP_FUSED_PERSISTENT);

  if (e.Processes() > 1 && persistent && costs.matrix >= FusedTuning::mixed_ranks_bytes)
    PetscCall(FusedHasSingleBcgs(ksp, ctx, p, pc, *ctx->caches.single->Operator(), &costs.resident));
  if (e.Processes() == 1 && persistent) {
    if (ctx->method->can.single->PersistentSingle(e, pc, &P)) PetscCall(ctx->caches.single->Operator()->PersistentFits(P, e.Device().stream, &answer));
    costs.resident = answer.fits;
    if (!costs.resident) PetscCall(FusedHasPersistent(ctx, pc, &costs.resident_double));
  }
#endif
  *why = why_mixed_pays_not(costs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode FusedCopySingle(KSP ksp, FusedContext *ctx, const FusedPc &pc, FusedSide side, std::string *why)
{
  PetscFunctionBegin;
  PetscCall(Copy(ksp, ctx, pc, side, !ctx->caches.single || ctx->caches.single_for != FusedCopyStamp(ctx, pc, side), why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedMixedChoose(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedDriver  &e    = *ctx->engine;
  FusedSide     side = FusedSide::none;
  std::string   why;
  bool          fine = true, stale = false;
  unsigned char kept[fused_scalars_bytes];

  PetscFunctionBegin;
  std::memcpy(kept, &e.Host(), sizeof(kept));
  if (ctx->settings.precision == KSP_FUSED_PRECISION_DOUBLE) {
    ctx->caches.single.reset();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(WhyNot(ksp, ctx, p, &side, &why));
  if (why.empty()) stale = !ctx->caches.single || ctx->caches.single_for != FusedCopyStamp(ctx, p->pc, side);
  PetscCall(Agree(e, &why, &stale));
  if (why.empty()) PetscCall(Copy(ksp, ctx, p->pc, side, stale, &why));
  if (why.empty()) PetscCall(Vectors(ctx, &why));
  if (why.empty()) PetscCall(Pays(ksp, ctx, p, &why));
  if (why.empty()) {
    PetscCall(MixedRound(ctx, p->pc, FusedRounding::begin, &fine));
    if (!fine) why = "the residual is out of the range of single precision";
  }
  ctx->last.precision_remark = why;
  ctx->last.mixed            = why.empty();
  if (!ctx->last.mixed) {
    std::memcpy(static_cast<void *>(&e.Host()), kept, sizeof(kept));
    PetscCall(PetscInfo(ksp, "-ksp_fused_precision %s: in double precision: %s\n", KSPFusedPrecisions[ctx->settings.precision], why.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  p->mixed.on        = true;
  p->mixed.factor    = ctx->settings.precision_factor;
  p->mixed.reference = p->mixed.most = p->mixed.best = e.Host().dp;
  p->unfolded                                        = p->pc;
  p->pc                                              = single_pc(ctx, p->pc);
  e.SetFolded(ctx->caches.single);
  mixed_keep(p->mixed, e.Host().it, e.Host().dp);
  FusedMixedSetTest(ksp, ctx, p, &e.Host());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

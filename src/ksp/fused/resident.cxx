/*
   Whether a solve runs in a persistent kernel: whether the operator has one for it and, on several processes, whether
   all processes have one and all blocks run at the same time.
*/
#include "../../sys/collective.hpp"
#include "run_state.hpp"
#include "../../private/mat.hpp"
#include <algorithm>
#include <cstring>

namespace heptane
{

#if PetscDefined(HAVE_CUDA)
namespace
{

/* Data that processes exchange about their kernels */
struct Share {
  int fits       = 0;
  int blocks     = 0; /* of the kernel */
  int processors = 0; /* multiprocessors that it may use, a block each */
};

/*
   If processes share a GPU: whether all their blocks are sure to be resident at once, one per multiprocessor. They are
   if their number is at most the number of multiprocessors that any of the processes may use, since each block then
   finds a free one. Otherwise blocks could wait for multiprocessors occupied by kernels that wait for these blocks.
   Limits of CUDA's multi-process service do not help: processes may be limited to the same multiprocessors.
*/
bool together(const std::vector<Share> &all)
{
  int blocks = 0, processors = all[0].processors;

  for (const Share &s : all) {
    blocks += s.blocks;
    processors = std::min(processors, s.processors);
  }
  return blocks <= processors;
}

/*
   Whether several processes should use a persistent kernel if possible, with the same answer on all. `auto` uses one on
   up to the measured number of GPUs, if no GPU is shared
*/
PetscErrorCode AskedFor(KSP ksp, const FusedContext *ctx, bool *asked)
{
  const FusedDriver &e      = *ctx->engine;
  const PetscInt     rows   = e.Amat->rmap->N;
  const bool         shares = e.Device().Between().SharesGpu();

  PetscFunctionBegin;
  *asked = ctx->settings.mode == KSP_FUSED_PERSISTENT || (!shares && e.Processes() <= FusedTuning::persistent_processes);
  if (!shares && rows < FusedTuning::one_gpu_rows)
    PetscCall(
      PetscInfo(ksp, "%" PetscInt_FMT " rows on %d GPUs: below %d rows one GPU is expected to be as fast\n", rows, e.Processes(), FusedTuning::one_gpu_rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Collective. The numbers of blocks of all processes, if each has a kernel and these kernels can wait for each other;
   else *fits is false, with a remark if the user requested one
*/
PetscErrorCode Agree(KSP ksp, FusedContext *ctx, const FusedResident &answer, FusedRanks *ranks, PetscBool *fits)
{
  const FusedDriver &e = *ctx->engine;
  std::vector<Share> all(e.Processes());
  const Share        mine = {answer.fits, answer.blocks, e.Device().Reduction().processors};
  const char        *why  = "";

  PetscFunctionBegin;
  PetscCall(CollectiveGather(PetscObjectComm((PetscObject)ksp), &mine, sizeof(mine), all.data()));
  *fits = (PetscBool)std::all_of(all.begin(), all.end(), [](const Share &s) { return s.fits != 0; });
  if (!*fits) why = "not all processes have a persistent kernel for this size, preconditioner and matrix";
  else if (e.Device().Between().SharesGpu() && !together(all))
    why = "processes share a GPU, and not all of their blocks are sure to run at the same time: use fewer (-ksp_fused_persistent_blocks)";
  if (*why) {
    *fits = PETSC_FALSE;
    if (ctx->settings.mode == KSP_FUSED_PERSISTENT && ctx->last.remark.empty()) ctx->last.remark = why;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int r = 0; r < e.Processes(); r++) ranks->grid.blocks[r] = all[r].blocks;
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string too_many_blocks(const FusedResident &answer)
{
  return "at most " + std::to_string(answer.most_blocks) + " of its blocks can be resident at once (-ksp_fused_persistent_blocks)";
}

/*
   Fills in the arguments that the operator has not set. Allocates memory only if the kernel fits; *fits becomes false
   if allocation fails
*/
PetscErrorCode Prepare(FusedContext *ctx, FusedPersistent *P, bool *fits)
{
  FusedDriver &e = *ctx->engine;

  PetscFunctionBegin;
  PetscCall(e.Device().Persistent().Give(P));
  if (P->exchange[1]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(e.scratch.Get(1, (std::size_t)e.Rows(), true, &P->exchange[1], fits)); /* CG: w and z share a vector, and the kernel needs two to exchange */
  if (!*fits) ctx->last.remark = "the device has no memory left for one more vector";
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace
#endif

#if PetscDefined(HAVE_CUDA)
/*
   The arguments with which the operator is queried, for any number of processes; false: the method has no persistent
   kernel
*/
static bool asked_of_operator(FusedContext *ctx, const FusedPc &pc, FusedPersistent *P)
{
  FusedDriver &e = *ctx->engine;

  if (!e.Operator() || !ctx->method->can.persistent || !ctx->method->can.persistent->Persistent(e, pc, P)) return false;
  if (P->pc.form == FusedPc::point && ctx->caches.pcs.MatrixDiagonal()) P->pc.source = FusedPc::matrix_diagonal; /* the matrix passes by anyway */
  P->blocks = (int)ctx->settings.persistent_blocks;
  return true;
}

/* In mixed precision, of several processes. Collective */
static PetscErrorCode SingleFitsRanks(KSP ksp, FusedContext *ctx, FusedProgress *p, const FusedOperator &copy, FusedResident *answer)
{
  FusedDriver             &e = *ctx->engine;
  FusedUpdatingPersistent *V = &p->single;
  PetscBool                fits;

  PetscFunctionBegin;
  V->method     = !std::strcmp(V->method, "cg") ? "cg of ranks" : "bcgs of ranks";
  V->ranks      = &p->ranks;
  p->ranks.grid = e.Device().Between().Grid();
  if (!V->blocks && e.Device().Between().SharesGpu()) V->blocks = e.Device().Reduction().processors / e.Processes(); /* see together() */
  PetscCall(copy.PersistentFits(*V, e.Device().stream, answer));
  PetscCall(Agree(ksp, ctx, *answer, &p->ranks, &fits));
  answer->fits = (bool)fits;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In mixed precision */
static PetscErrorCode SingleFits(KSP ksp, FusedContext *ctx, FusedProgress *p, PetscBool *fits)
{
  FusedDriver  &e = *ctx->engine;
  FusedResident answer;
  bool          asked = true;

  PetscFunctionBegin;
  if (!ctx->method->can.single->PersistentSingle(e, p->pc, &p->single)) PetscFunctionReturn(PETSC_SUCCESS);
  if (e.Processes() > 1) PetscCall(AskedFor(ksp, ctx, &asked));
  if (!asked) PetscFunctionReturn(PETSC_SUCCESS);
  p->single.blocks = (int)ctx->settings.persistent_blocks;
  if (e.Processes() > 1) PetscCall(SingleFitsRanks(ksp, ctx, p, *e.Operator(), &answer));
  else PetscCall(e.Operator()->PersistentFits(p->single, e.Device().stream, &answer));
  if (answer.fits) {
    PetscCall(e.Device().Persistent().Barrier(&p->single.barrier));
    PetscCall(e.Device().ClearOther());
    ctx->method->can.single->EnterPersistentSingle(e);
    if (e.Processes() == 1) PetscCall(FusedMixedUpdates(ksp, ctx, p, &p->mixed.updates));
  } else if (answer.most_blocks && p->single.blocks > answer.most_blocks) ctx->last.remark = too_many_blocks(answer);
  *fits = (PetscBool)answer.fits;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode FusedHasPersistent(FusedContext *ctx, const FusedPc &pc, bool *has)
{
  PetscFunctionBegin;
  *has = false;
#if PetscDefined(HAVE_CUDA)
  FusedDriver &e = *ctx->engine;
  /* several unknowns per cell: the kernel of the scaled copy */
  const bool      folded = ctx->settings.fold != KSP_FUSED_FOLD_NO && pc.form == FusedPc::blocks;
  FusedPersistent P;
  FusedRanks      ranks;
  FusedResident   answer;
  bool            asked = true;

  if (!asked_of_operator(ctx, folded ? FusedFoldedPc(pc, true) : pc, &P)) PetscFunctionReturn(PETSC_SUCCESS);
  if (e.Processes() > 1) PetscCall(AskedFor(e.ksp, ctx, &asked));
  if (!asked) PetscFunctionReturn(PETSC_SUCCESS);
  ranks.grid = e.Device().Between().Grid();
  P.ranks    = e.Processes() > 1 ? &ranks : nullptr;
  PetscCall(e.Operator()->PersistentFits(P, e.Device().stream, &answer));
  *has = answer.fits;
#else
  (void)ctx, (void)pc;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedHasSingleBcgs(KSP ksp, FusedContext *ctx, FusedProgress *p, const FusedPc &pc, const FusedOperator &copy, bool *has)
{
  PetscFunctionBegin;
  *has = false;
#if PetscDefined(HAVE_CUDA)
  const std::string remark = ctx->last.remark; /* this kernel was not requested by the user */
  FusedResident     answer;
  bool              asked;

  if (!ctx->method->can.single->PersistentSingle(*ctx->engine, pc, &p->single) || std::strcmp(p->single.method, "bcgs")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AskedFor(ksp, ctx, &asked));
  if (!asked) PetscFunctionReturn(PETSC_SUCCESS);
  p->single.blocks = (int)ctx->settings.persistent_blocks;
  PetscCall(SingleFitsRanks(ksp, ctx, p, copy, &answer));
  ctx->last.remark = remark;
  *has             = answer.fits;
#else
  (void)ksp, (void)ctx, (void)p, (void)pc, (void)copy;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedPersistentFits(KSP ksp, FusedContext *ctx, FusedProgress *p, PetscBool *fits)
{
  PetscFunctionBegin;
  *fits = PETSC_FALSE;
#if PetscDefined(HAVE_CUDA)
  FusedDriver     &e = *ctx->engine;
  FusedPersistent *P = &p->P;
  FusedResident    answer;
  bool             asked = true;

  if (p->pc.single) PetscCall(SingleFits(ksp, ctx, p, fits));
  if (p->pc.single || !asked_of_operator(ctx, p->pc, P)) PetscFunctionReturn(PETSC_SUCCESS);
  if (e.Processes() > 1) PetscCall(AskedFor(ksp, ctx, &asked));
  if (!asked) PetscFunctionReturn(PETSC_SUCCESS);
  if (!P->blocks && e.Device().Between().SharesGpu()) P->blocks = e.Device().Reduction().processors / e.Processes(); /* see together() */
  p->ranks.grid = e.Device().Between().Grid();
  P->ranks      = e.Processes() > 1 ? &p->ranks : nullptr;
  PetscCall(e.Operator()->PersistentFits(*P, e.Device().stream, &answer));
  if (answer.fits) PetscCall(Prepare(ctx, P, &answer.fits));
  else if (answer.most_blocks && P->blocks > answer.most_blocks) ctx->last.remark = too_many_blocks(answer);
  *fits = (PetscBool)answer.fits;
  if (P->ranks) PetscCall(Agree(ksp, ctx, answer, &p->ranks, fits));
#else
  (void)ksp, (void)ctx, (void)p;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   State of a running fused solve: execution mode, batch size, progress.
*/
#pragma once

#include "../../pass/offers/mixed_updates.hpp"
#include "../../pass/offers/persistent_ranks.hpp"
#include "solver.hpp"
#include <climits>
#include <deque>

namespace heptane
{

/* Execution of a solve */
struct FusedRunState {
  bool iterate  = false; /* a monitor or a test of the program reads the iterate: one iteration at a time */
  int  interval = 1;     /* largest number of iterations between two checks */
  int  depth    = 1;     /* batches in flight at once */
};

/* State of a solve in mixed precision: see mixed/mixed.cxx */
struct FusedMixed : MixedState {
  FusedMixed() : MixedState() {}
  bool        on      = false;
  bool        due     = false; /* the residual is to be recomputed when no batch is in flight */
  bool        chained = false; /* the passes of an update are queued after the iterations, or a kernel has made the update */
  bool        updates = false; /* the persistent kernel makes updates itself */
  std::string failed;          /* why the solve has to continue in double precision; empty: it does not */
};

/* Progress of the loop */
struct FusedProgress {
  FusedPc                 pc, unfolded;
  FusedRunState           run_state;
  FusedMixed              mixed;
  FusedPersistent         P;
  FusedUpdatingPersistent single;    /* used instead of P in mixed precision */
  FusedRanks              ranks;     /* of P, on several processes */
  std::deque<int>         under_way; /* slots of the checks of the batches in flight */
  int                     launched = 0, seen = 0, slot = 0, end = 0, fold_from = INT_MAX;
  bool                    scalars_uploaded = false; /* the host's scalars are uploaded */
  PetscBool               folded           = PETSC_FALSE;
  bool                    numbers          = true; /* false: a norm or scalar product that is not finite has ended the solve */
};

/* mixed/mixed.cxx */
/* Sets the device's convergence test as in KSPConvergedDefault() */
void FusedSetTest(KSP ksp, FusedScalars *S);
/*
   mixed/choose.cxx. Collective, before the first iteration: enables mixed precision if it is requested and possible;
   else records the reason
*/
PetscErrorCode FusedMixedChoose(KSP ksp, FusedContext *ctx, FusedProgress *p);
/* The conditions that end a solve in mixed precision */
MixedTest FusedMixedTest(KSP ksp, const FusedContext *ctx, const FusedProgress *p);
/* In mixed precision: sets the test by which the device stops for an update */
void FusedMixedSetTest(KSP ksp, const FusedContext *ctx, const FusedProgress *p, FusedScalars *S);
/* In mixed precision, after every check and before the iterations are replayed: makes the update if one is due */
PetscErrorCode FusedMixedCheck(KSP ksp, FusedContext *ctx, FusedProgress *p);
#if PetscDefined(HAVE_CUDA)
/*
   mixed/passes.cxx. *fits: the operator has a persistent kernel that makes updates itself; p->single then describes
   that kernel. Otherwise passes make the updates after the kernel.
*/
PetscErrorCode FusedMixedUpdates(KSP ksp, FusedContext *ctx, FusedProgress *p, bool *fits);
/* Before the launch of that kernel: sets the norms that it needs; until: the last iteration at which it may stop */
PetscErrorCode FusedMixedSetTarget(KSP ksp, const FusedContext *ctx, FusedProgress *p, int until);
#endif
/*
   After a persistent kernel, which always stops: queues the passes of the next update without a wait of the host,
   unless the kernel has made the update. After a breakdown these passes leave the solution unchanged.
*/
PetscErrorCode FusedMixedChain(KSP ksp, FusedContext *ctx, FusedProgress *p);
/* Upper bound of the iterations of the next batch: see FusedTuning::mixed_tail */
int FusedMixedBatch(const FusedContext *ctx, const FusedProgress &p, int batch);
/* No batch in flight: continues in double precision, from the solution and the residual of the last update */
PetscErrorCode FusedMixedLeave(KSP ksp, FusedContext *ctx, FusedProgress *p);
/* Completes the solution */
PetscErrorCode FusedMixedEnd(FusedContext *ctx, const FusedProgress &p);
/* run_state.cxx */
/* No batch in flight, after a persistent kernel: chooses the mode in which the solve continues with p->pc */
PetscErrorCode FusedChooseAgain(KSP ksp, FusedContext *ctx, FusedProgress *p);
/*
   No batch in flight, after FusedFoldEnter(): the same if the copy may have a persistent kernel, as copies with several
   unknowns per cell have
*/
PetscErrorCode FusedChooseFolded(KSP ksp, FusedContext *ctx, FusedProgress *p);
/* Chooses the mode, the check interval and the iteration from which the solve uses the folded matrix */
PetscErrorCode FusedChoose(KSP ksp, FusedContext *ctx, FusedProgress *p);
/* resident.cxx */
/* Whether this process has a persistent kernel in double precision: with point blocks, of the scaled copy */
PetscErrorCode FusedHasPersistent(FusedContext *ctx, const FusedPc &pc, bool *has);
/*
   Collective. On several processes: whether all have a persistent kernel in single precision for BiCGStab with this
   copy
*/
PetscErrorCode FusedHasSingleBcgs(KSP ksp, FusedContext *ctx, FusedProgress *p, const FusedPc &pc, const FusedOperator &copy, bool *has);
/*
   Collective. *P: the arguments of the operator's persistent kernel, if all processes have one for this solve and all
   blocks are sure to be resident at once; else records the reason
*/
PetscErrorCode FusedPersistentFits(KSP ksp, FusedContext *ctx, FusedProgress *p, PetscBool *fits);

/*
   Handles a refused launch of a persistent kernel that fits; usually other processes occupy part of the device. No part
   of the kernel has run.
*/
PetscErrorCode FusedLeavePersistent(KSP ksp, FusedContext *ctx, FusedProgress *p);

} // namespace heptane

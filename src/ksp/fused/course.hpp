/*
   What the loop of a fused solve has between its parts: how it is run, and where it is.
*/
#pragma once

#include "../../pass/offers/mixed_updates.hpp"
#include "../../pass/offers/persistent_ranks.hpp"
#include "solver.hpp"
#include <climits>
#include <deque>

namespace heptane
{

/* How a solve is run */
struct FusedCourse {
  bool iterate  = false; /* somebody outside looks at the iterate or decides: one iteration at a time */
  int  interval = 1;     /* iterations between two looks, at most */
  int  depth    = 1;     /* batches under way at once */
};

/* Where a solve in mixed precision is: see mixed/mixed.cxx */
struct FusedMixed : MixedState {
  FusedMixed() : MixedState() {}
  bool        on      = false;
  bool        due     = false; /* the residual is to be computed anew when nothing is under way */
  bool        chained = false; /* the passes of an update have been queued behind the iterations, or a kernel has made it */
  bool        updates = false; /* the persistent kernel makes updates itself */
  std::string failed;          /* why the solve has to go on in double precision; empty: it has not */
};

/* Where the loop is */
struct FusedProgress {
  FusedPc                 pc, unfolded;
  FusedCourse             course;
  FusedMixed              mixed;
  FusedPersistent         P;
  FusedUpdatingPersistent single;    /* in mixed precision instead of P */
  FusedRanks              ranks;     /* P's, where there are several */
  std::deque<int>         under_way; /* the slots of the batches' looks */
  int                     launched = 0, seen = 0, slot = 0, end = 0, fold_from = INT_MAX;
  bool                    told    = false; /* the passes have the host's scalars */
  PetscBool               folded  = PETSC_FALSE;
  bool                    numbers = true; /* no norm or scalar product has ended the solve by not being finite */
};

/* mixed/mixed.cxx */
/* The device's test as KSPConvergedDefault() has it */
void FusedSetTest(KSP ksp, FusedScalars *S);
/* mixed/choose.cxx. Collective, before the first iteration: mixed precision where it is asked for and can be had; else remarks why not */
PetscErrorCode FusedMixedChoose(KSP ksp, FusedContext *ctx, FusedProgress *p);
/* What ends a solve in mixed precision */
MixedTest FusedMixedTest(KSP ksp, const FusedContext *ctx, const FusedProgress *p);
/* In mixed precision, the test by which the device stops for an update */
void FusedMixedSetTest(KSP ksp, const FusedContext *ctx, const FusedProgress *p, FusedScalars *S);
/* Behind every look in mixed precision, before the iterations are replayed: the update where one is due */
PetscErrorCode FusedMixedLook(KSP ksp, FusedContext *ctx, FusedProgress *p);
#if PetscDefined(HAVE_CUDA)
/* mixed/passes.cxx. Whether the operator's persistent kernel, which p->single tells of, makes updates itself: then it tells of that one. Other updates follow the kernel */
PetscErrorCode FusedMixedUpdates(KSP ksp, FusedContext *ctx, FusedProgress *p, bool *fits);
/* Before its launch: what it is to know of the norms; until: the iteration where it stops at the latest */
PetscErrorCode FusedMixedSetOut(KSP ksp, const FusedContext *ctx, FusedProgress *p, int until);
#endif
/* Behind a persistent kernel, which always stops: the passes of the update that follows, unless it has made that itself, so that the host need not wait in between. Behind a breakdown they leave the solution as it was. */
PetscErrorCode FusedMixedChain(KSP ksp, FusedContext *ctx, FusedProgress *p);
/* At most so many iterations of the next batch: see FusedTuning::mixed_tail */
int FusedMixedBatch(const FusedContext *ctx, const FusedProgress &p, int batch);
/* Nothing under way: on in double precision, from the solution and the residual of the last update */
PetscErrorCode FusedMixedLeave(KSP ksp, FusedContext *ctx, FusedProgress *p);
/* The solution is complete */
PetscErrorCode FusedMixedEnd(FusedContext *ctx, const FusedProgress &p);
/* course.cxx */
/* Nothing under way, after a persistent kernel: the mode in which the solve goes on with p->pc */
PetscErrorCode FusedChooseAgain(KSP ksp, FusedContext *ctx, FusedProgress *p);
/* Nothing under way, after FusedFoldEnter(): the same where the copy may have a persistent kernel, as those of several unknowns per cell have */
PetscErrorCode FusedChooseFolded(KSP ksp, FusedContext *ctx, FusedProgress *p);
/* The mode, how often the host looks, and where the iteration goes on folded */
PetscErrorCode FusedChoose(KSP ksp, FusedContext *ctx, FusedProgress *p);
/* resident.cxx */
/* On one process: whether there is a persistent kernel in double precision */
PetscErrorCode FusedHasPersistent(FusedContext *ctx, const FusedPc &pc, bool *has);
/* Collective. On several processes: whether all have a persistent kernel in single precision for BiCGStab with this copy */
PetscErrorCode FusedHasSingleBcgs(KSP ksp, FusedContext *ctx, FusedProgress *p, const FusedPc &pc, const FusedOperator &copy, bool *has);
/* Collective. *P is what the operator's persistent kernel needs, if all processes have one for this solve and all of their blocks are sure to run at the same time; else remarks why not */
PetscErrorCode FusedPersistentFits(KSP ksp, FusedContext *ctx, FusedProgress *p, PetscBool *fits);

/* The device has refused the launch of the persistent kernel, although it fits: other processes have parts of the device, as a rule. Nothing of it has run. */
PetscErrorCode FusedLeavePersistent(KSP ksp, FusedContext *ctx, FusedProgress *p);

} // namespace heptane

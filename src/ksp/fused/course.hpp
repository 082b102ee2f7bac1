/*
   What the loop of a fused solve has between its parts: how it is run, and where it is.
*/
#pragma once

#include "../../pass/persistent_ranks.hpp"
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

/* Where the loop is */
struct FusedProgress {
  FusedPc         pc, unfolded;
  FusedCourse     course;
  FusedPersistent P;
  FusedRanks      ranks;     /* P's, where there are several */
  std::deque<int> under_way; /* the slots of the batches' looks */
  int             launched = 0, seen = 0, slot = 0, end = 0, fold_from = INT_MAX;
  bool            told    = false; /* the passes have the host's scalars */
  PetscBool       folded  = PETSC_FALSE;
  bool            numbers = true; /* no norm or scalar product has ended the solve by not being finite */
};

/* course.cxx */
/* The mode, how often the host looks, and where the iteration goes on folded */
PetscErrorCode FusedChoose(KSP ksp, FusedContext *ctx, FusedProgress *p);
/* resident.cxx */
/* Collective. *P is what the operator's persistent kernel needs, if all processes have one for this solve and all of their blocks are sure to run at the same time; else remarks why not */
PetscErrorCode FusedPersistentFits(KSP ksp, FusedContext *ctx, FusedProgress *p, PetscBool *fits);

/* The device has refused the launch of the persistent kernel, although it fits: other processes have parts of the device, as a rule. Nothing of it has run. */
PetscErrorCode FusedLeavePersistent(KSP ksp, FusedContext *ctx, FusedProgress *p);

} // namespace heptane

/*
   The passes of an update in mixed precision.
*/
#pragma once

#include "../run_state.hpp"

namespace heptane
{

/* Fetches the sums of a pass between iterations; the host's scalars are unchanged */
PetscErrorCode MixedFetchSums(FusedDriver &e);
/*
   Computes the scalars from the host's sums; whether the residual and its rounded form are within the range of single
   precision
*/
bool mixed_rounded(FusedContext *ctx, FusedRounding how);
/* Rounds the residual in double precision for the recurrences, with a synchronization; in_range: see mixed_rounded() */
PetscErrorCode MixedRound(FusedContext *ctx, const FusedPc &unfolded, FusedRounding how, bool *in_range);
/* M^-1 (b - A x) in double precision, with the matrix itself */
PetscErrorCode MixedResidual(KSP ksp, FusedContext *ctx, const FusedPc &unfolded);
/* Completes the solution, and saves a copy first if it was the best one */
PetscErrorCode MixedAddCorrection(FusedContext *ctx, FusedProgress *p);

} // namespace heptane

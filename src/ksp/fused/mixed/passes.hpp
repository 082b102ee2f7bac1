/*
   The passes of an update in mixed precision.
*/
#pragma once

#include "../course.hpp"

namespace heptane
{

/* The sums that a pass between iterations has left; the host's scalars stay as they are */
PetscErrorCode MixedFetchSums(FusedDriver &e);
/* How the recurrences take an update */
FusedRounding mixed_rounding(const FusedContext *ctx);
/*
   Computes the scalars from the host's sums; whether the residual and its rounded form are within the range of single
   precision
*/
bool mixed_rounded(FusedContext *ctx, FusedRounding how);
/* The recurrences' residual from that in double precision, with a wait; in_range: see mixed_rounded() */
PetscErrorCode MixedRound(FusedContext *ctx, const FusedPc &unfolded, FusedRounding how, bool *in_range);
/* M^-1 (b - A x) in double precision, with the matrix itself */
PetscErrorCode MixedResidual(KSP ksp, FusedContext *ctx, const FusedPc &unfolded);
/* Completes the solution, and saves a copy first if it was the best one */
PetscErrorCode MixedLand(FusedContext *ctx, FusedProgress *p);

} // namespace heptane

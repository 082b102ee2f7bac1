/*
   What a solver has that its leader's solver is to have too, and what keeps a solve from being made by a leader.
*/
#pragma once

#include "../fused/solver.hpp"

namespace heptane
{

/* Of this solver as it is now; empty: nothing. vectors: it is about to solve, and has them */
PetscErrorCode GroupsWhyNot(KSP ksp, FusedContext *ctx, bool vectors, std::string *why);
/* Settings of the solver and of its preconditioner; `to` has its operators already */
PetscErrorCode GroupsCarry(KSP ksp, FusedContext *ctx, KSP to);
/* Whether its monitors or its history take the norms of all iterations */
bool GroupsWantNorms(KSP ksp);

} // namespace heptane

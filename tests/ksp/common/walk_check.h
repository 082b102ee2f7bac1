/*
   What must hold behind a solve.
*/
#pragma once

#include "walk_draw.h"
#include "walk_matrix.h"
#include "walk_solve.h"
#include "walk_solver.h"

/* PETSc's own solver on the same system, with the preconditioner of the same values; y: its solution */
PetscErrorCode WalkTwinSolve(const Solve *a, Vec guess, Vec y, KSP *ksp, Outcome *o);

/* Relative distance of x, of any type, from y */
PetscErrorCode Distance(Vec x, Vec y, PetscReal *distance);

/* Both preconditioners give the same */
PetscErrorCode CheckPC(const Solve *a, KSP twin);

/* What the solver says of itself is so: norms, and the reason by them; relative: the norm that tolerances are relative to */
PetscErrorCode CheckClaim(Solve *a, const Outcome *o, Vec x);

/* Against the twin: reason, iterations, and the solution where nothing is tested */
PetscErrorCode CheckTwin(Solve *a, const Outcome *o, const Outcome *t, Vec x, Vec y);

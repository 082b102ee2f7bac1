/*
   What a solver of a walk is set to, drawn: solver, preconditioner, norm, tolerances, options of the fused types.
*/
#pragma once

#include "walk.h"

/* A preconditioner that the solver and matrix may have, with its options */
PetscErrorCode DrawPC(const Walk *w, Settings *s);

/* Norm and side that the solver has */
void DrawNorm(Settings *s);

void DrawTolerances(Settings *s);

/* Options of the fused types; of Chebyshev's and of the variant of CG, which PETSc's types have too */
PetscErrorCode DrawFused(const Walk *w, Settings *s);

/* All of a solver */
PetscErrorCode DrawSolver(const Walk *w, Settings *s);

/*
   A solve with PCGRIDMG of a system some of whose rows are those of fixed values.
*/
#pragma once

#include "looks.h"

static const Grid presolve_grid = {CELLS(9, 8, 12), .bs = 1, .seed = 5, .std = 1, .accumulation = 1e-2, STRENGTHS(1, 2, 6)};

typedef struct {
  Mat A;
  Vec b, x, r;
  KSP ksp;
} Solve;

PetscErrorCode SolveCreate(Grid g, const char type[], PetscScalar diagonal, Solve *s);
PetscErrorCode SolveDestroy(Solve *s);

/* Converged, relative to b, with its true residual */
PetscErrorCode SolveCheck(Solve *s, const char what[]);

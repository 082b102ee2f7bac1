/*
   A solve in some precision against the same in double precision: the true residual of each.
*/
#pragma once

#include "grid.h"

typedef struct {
  Mat         A;
  Vec         b;
  KSPType     type;
  KSPNormType norm;
  PCSide      side;
  PetscReal   rtol;
} Precise;

typedef struct {
  KSPConvergedReason reason;     /* 0: the type has no such side, norm or preconditioner */
  PetscReal          left, norm; /* the true residual, relative to the right-hand side; the method's own norm, relative to the first */
  PetscInt           its;
} PreciseEnd;

/* One solve with options that no other solve has */
PetscErrorCode PreciseSolve(const Precise *c, const char options[], PreciseEnd *e);

/* What converges has a residual within a factor of what the twin's, which has converged, would be right at the tolerance; must: it converges */
PetscErrorCode PreciseCheck(const Precise *c, const PreciseEnd *twin, PetscBool must, const char options[]);

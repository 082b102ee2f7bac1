/*
   A solver and what works on its matrix beside it, in its preconditioner or its monitor.
*/
#pragma once

#include "compare.h"

/* What somebody else does with the matrix while the solver is at work */
typedef enum {
  NOTHING,
  SOLVES,  /* with the same matrix */
  SCALES,  /* gives it other values */
  SETS,    /* the same by MatSetValues() */
  FORMATS, /* gives the format other settings */
} Deed;

static const char *const deeds[] = {"nothing", "solves", "scales", "sets", "formats"};

typedef struct {
  Deed deed;
  KSP  inner;
  Vec  b, x;
} Other;

/* A solver outside, with the matrix and whatever else it works with, of the type or the twin */
typedef struct {
  Mat   A;
  KSP   ksp;
  Other other;
} Nest;

/* shell: its preconditioner is the inner solver */
PetscErrorCode NestCreate(const System *s, const char type[], Deed deed, PetscBool shell, Nest *n);

PetscErrorCode NestDestroy(Nest *n);

/*
   The operations that change the values of a matrix, each as it is done to one under test and to AIJ. Knows nothing of how the values came there.
*/
#pragma once

#include "check.h"

typedef enum {
  SCALE_BOTH,
  SCALE_LEFT,
  SCALE_RIGHT,
  SHIFT,
  SET,
  ADD,
  AXPY_TWIN,
  AXPY_OTHER,
  AXPY_UNKNOWN,
  AYPX,
  COPY_TWIN,
  COPY_OTHER,
  ROWS,
  ROWS_TO_ZERO,
  ROWS_DROPPED,
  STEPS
} Step;
static const char *const steps[] = {
  "MatDiagonalScale",  "MatDiagonalScale left", "MatDiagonalScale right",         "MatShift", "MatDiagonalSet insert", "MatDiagonalSet add",
  "MatAXPY duplicate", "MatAXPY same pattern",  "MatAXPY same pattern, not told", "MatAYPX",  "MatCopy duplicate",     "MatCopy same pattern",
  "MatZeroRows",       "MatZeroRows to zero",   "MatZeroRows, pattern not kept"};

/* One change of M; D: a duplicate of it, E: another matrix with its pattern; b: what MatZeroRows() makes of a right-hand side */
PetscErrorCode Change(Step step, Mat M, Mat D, Mat E, PetscBool diagonal, Vec b);

/* Whether the change reads E */
PetscBool ChangeReadsOther(Step step);

/* Whether each row has its diagonal entry */
PetscErrorCode HasDiagonal(Mat R, PetscBool *all);

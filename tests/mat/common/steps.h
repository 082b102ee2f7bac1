/*
   Steps of random sequences beside those of change.h and set_values.h: ways by which pattern, type or place of a matrix become others. Each is as it is done to a matrix under test
   and to AIJ; a step takes all that it chooses from its number alone.
*/
#pragma once

#include "problem.h"

typedef enum {
  PATTERN_ANEW,
  PATTERN_AGAIN,
  TYPE,
  DUPLICATE,
  DUPLICATE_MERGED,
  FILTER,
  ARRAYS,
  PRODUCT,
  NORMS,
  BIND,
  SCALE,
  ZERO,
  TRANSPOSE,
  OTHER_STEPS
} OtherStep;
static const char *const other_steps[] = {"MatSetPreallocationCOO with another pattern",
                                          "MatSetPreallocationCOO, values set twice",
                                          "MatConvert in place",
                                          "MatDuplicate and MatHeaderReplace",
                                          "MatDuplicate and MatHeaderMerge",
                                          "MatFilter",
                                          "arrays of the blocks",
                                          "products",
                                          "MatNorm",
                                          "MatBindToCPU",
                                          "MatScale",
                                          "MatZeroEntries",
                                          "MatTranspose in place"};

PetscErrorCode GivePatternAnew(const Problem *p, Mat M, PetscInt seed, int times);

/* One step of M; twin: it stays AIJ, on the host */
PetscErrorCode DoOther(const Problem *p, OtherStep step, PetscInt seed, PetscBool twin, Mat *M);

/*
   The ways in which a few values of an assembled matrix are set through MatSetValues() and its relatives, each as it is done to a matrix under test and to AIJ.
*/
#pragma once

#include "problem.h"

typedef enum {
  ONE,
  ONE_RANK,
  BLOCKED,
  LOCAL,
  BLOCKED_LOCAL,
  STENCIL,
  NEGATIVE,
  COLUMNS,
  FLUSHED,
  IGNORED,
  FEW, /* so far nothing but these rows is filled again */
  OTHERS = FEW,
  NEW,
  MANY,
  ARRAY,
  ROW,
  ZEROED,
  SORTED,
  HOWS
} How;
static const char *const hows[] = {"MatSetValues",
                                   "MatSetValues on one process",
                                   "MatSetValuesBlocked",
                                   "MatSetValuesLocal",
                                   "MatSetValuesBlockedLocal",
                                   "MatSetValuesStencil",
                                   "negative indices",
                                   "column by column",
                                   "two assemblies, one a flush",
                                   "others' rows ignored",
                                   "others' rows",
                                   "new nonzeros",
                                   "every row",
                                   "an array written between",
                                   "MatSetValuesRow",
                                   "MatZeroEntries before",
                                   "MAT_SORTED_FULL"};

/* Values of M set in that way, and assembled */
PetscErrorCode SetSome(const Problem *p, How how, InsertMode mode, PetscInt seed, Mat M);

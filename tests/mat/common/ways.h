/*
   A matrix of the type under test whose values were last set in one of the ways after which the newest may lie elsewhere than in the compressed rows on the host, and the
   same matrix as AIJ. Knows nothing of what is done with it.
*/
#pragma once

#include "coo.h"

typedef enum { PLAIN, SET, SET_SCALED, SCALED, MULTIPLIED_SET_ADDED, ZEROED_SET, ARRAY, REPLACED, NEW_PATTERN, WAYS } Way;
static const char *const ways[] = {"MatSetValues",
                                   "COO",
                                   "COO and MatScale",
                                   "MatScale",
                                   "product, COO insert, COO add",
                                   "MatZeroEntries and COO",
                                   "COO and the arrays of the blocks",
                                   "COO and MatHeaderReplace",
                                   "COO with a second pattern"};

PetscErrorCode WithCoordinates(const Problem *p, Mat R, Mat *A, Coo *c);

/* A: values set in that way; R: the same values as AIJ */
PetscErrorCode SetValues(const Problem *p, Way way, Mat *A, Mat *R);

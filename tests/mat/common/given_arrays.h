/*
   The ways in which a program has the value arrays of a matrix: it gave them, it asked for them and did not restore them, or it gives them again. Each as it is done to a matrix under test and to AIJ.
*/
#pragma once

#include <petscmat.h>

typedef enum {
  WITH_ARRAYS, /* MatCreateSeqAIJWithArrays(); on one process */
  SPLIT_ARRAYS,
  SEQ_BLOCKS,
  SEQ_BLOCKS_CONVERTED, /* before the parallel matrix is made */
  GOT,
  GOT_READ,
  GOT_CSR,
  UPDATED,
  GIFTS
} Gift;
static const char *const gifts[] = {
  "MatCreateSeqAIJWithArrays", "MatCreateMPIAIJWithSplitArrays", "MatCreateMPIAIJWithSeqAIJ", "MatCreateMPIAIJWithSeqAIJ, blocks converted before",
  "MatSeqAIJGetArray",         "MatSeqAIJGetArrayRead",          "MatSeqAIJGetCSRAndMemType", "MatUpdateMPIAIJWithArray"};

/* The compressed rows of both blocks, or of the whole matrix, as the program has them; own: they are the program's */
typedef struct {
  PetscInt    *i[2], *j[2];
  PetscScalar *v[2];
  PetscInt     n[2];
  PetscBool    own;
} Arrays;

/* Copies of R's rows, in the first of the two places */
PetscErrorCode ArraysOfRows(Mat R, Arrays *a);

/* A matrix of the type with the entries of R, AIJ, and its arrays */
PetscErrorCode Give(Gift gift, Mat R, MatType type, Mat *M, Arrays *a);

/* The program has written into its arrays: what it does for these values to count */
PetscErrorCode Written(Gift gift, Mat M, Arrays *a);

/* With the matrix; what was got is restored with it */
PetscErrorCode TakeBack(Mat *M, Arrays *a);

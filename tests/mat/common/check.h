/*
   Comparisons of the type under test with AIJ, their count, and the loop over problems. A difference prints one line that names the
   problem and the operation, and the program ends with exit code 1; the line with the number of comparisons shows that not much was left out.
*/
#pragma once

#include "objects.h"

#define CHECK_TOLERANCE (500 * PETSC_MACHINE_EPSILON) /* for sums of a few hundred terms of size 1 */

extern PetscInt check_count, check_failures;
extern char     check_where[256]; /* what a difference prints first */
#define CheckWhere(...) PetscSNPrintf(check_where, sizeof(check_where), __VA_ARGS__)

/* One comparison: good must hold on every rank */
PetscErrorCode CheckThat(PetscBool good, const char what[]);
#define CheckTrue(good, what) CheckThat((PetscBool)(good), what)
PetscErrorCode CheckReal(PetscReal a, PetscReal b, PetscReal tolerance, const char what[]);

/* x to rounding equal to the reference r; their types may differ. One reduction for the largest entry, the largest difference and whether the sizes fit */
PetscErrorCode CheckVec(Vec x, Vec r, PetscReal tolerance, const char what[]);

/* The same sequence of bits; only for results of PETSc's host code, given the same values */
PetscErrorCode CheckSame(Vec x, Vec r, const char what[]);

/* Values that depend on the global index and the seed alone, whatever the type of x */
PetscErrorCode CheckVecFill(Vec x, PetscInt seed);
/* VecDuplicate(), filled */
PetscErrorCode CheckVecLike(Vec like, PetscInt seed, Vec *x);
/* MatCreateVecs(), each of the vectors filled whose seed is not 0 */
PetscErrorCode CheckVecs(Mat A, Vec *right, PetscInt of_right, Vec *left, PetscInt of_left);

/* The four products of A with those of R */
PetscErrorCode CheckProducts(Mat A, Mat R, const char what[]);
/* Every row of A as MatGetRow() gives it: the same columns, values equal to rounding */
PetscErrorCode CheckRows(Mat A, Mat R, PetscReal tolerance, const char what[]);
/* A is R: by its rows on the host and by its products */
PetscErrorCode CheckMat(Mat A, Mat R, const char what[]);
PetscErrorCode CheckSameType(Mat A, Mat B, const char what[]);

/* Ends a test program, with its exit code: prints "name: at least so many comparisons", a number that begins with 1, 2 or 5, or how many failed. The count itself goes to
   standard error. */
int CheckFinish(const char name[]);

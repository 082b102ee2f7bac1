#include "ways.h"
#include "block_arrays.h"
#include "check.h"

PetscErrorCode WithCoordinates(const Problem *p, Mat R, Mat *A, Coo *c)
{
  PetscBool device = CheckOption("-device_values");

  PetscFunctionBeginUser;
  PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, NULL, A));
  PetscCall(CooCreate(p, R, COO_BLOCKS, device, c));
  PetscCall(MatSetPreallocationCOO(*A, c->n, c->i, c->j));
  PetscCall(CooSet(p, c, 1.0, INSERT_VALUES, *A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ways that begin with the problem's coordinates; factor: of the reference */
static PetscErrorCode SetFurther(const Problem *p, Way way, Coo *c, Mat *A, Mat R, PetscReal *factor)
{
  Vec x, y;
  Mat B;
  Coo d;

  PetscFunctionBeginUser;
  *factor = 1;
  if (way == SCALED || way == MULTIPLIED_SET_ADDED) {
    PetscCall(MatCreateVecs(*A, &x, &y));
    PetscCall(VecSet(x, 1.0));
    PetscCall(MatMult(*A, x, y));
    PetscCall(CheckDestroy(&x, &y));
    PetscCall(CheckRows(*A, R, 0, "the host read the first values"));
  }
  if (way == MULTIPLIED_SET_ADDED) {
    PetscCall(CooSet(p, c, 2.0, INSERT_VALUES, *A));
    PetscCall(CooSet(p, c, 0.5, ADD_VALUES, *A));
    *factor = 2.5;
  }
  if (way == ZEROED_SET) {
    PetscCall(MatZeroEntries(*A));
    PetscCall(CooSet(p, c, 4.0, ADD_VALUES, *A));
    *factor = 4;
  }
  if (way == SET_SCALED || way == SCALED) {
    PetscCall(MatScale(*A, -3.0));
    *factor = -3;
  }
  if (way == ARRAY) {
    PetscCall(DoubleArrays(*A));
    *factor = 2;
  }
  if (way == REPLACED) { /* A goes on with what B was, whose newest values the host has not seen */
    PetscCall(WithCoordinates(p, R, &B, &d));
    PetscCall(CooSet(p, &d, 5.0, INSERT_VALUES, B));
    PetscCall(CooDestroy(&d));
    PetscCall(MatHeaderReplace(*A, &B));
    *factor = 5;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diagonal alone at first, then the problem; R: with its sizes */
static PetscErrorCode SetTwoPatterns(const Problem *p, Mat R, const char type[], Mat *A)
{
  Problem   small  = *p;
  PetscBool device = CheckOption("-device_values");
  Coo       c;

  PetscFunctionBeginUser;
  small.pattern = "diagonal";
  PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, type, A));
  for (int k = 0; k < 2; k++) {
    const Problem *q = k ? p : &small;

    PetscCall(CooCreate(q, R, COO_BLOCKS, (PetscBool)(device && !type), &c));
    PetscCall(MatSetPreallocationCOO(*A, c.n, c.i, c.j));
    PetscCall(CooSet(q, &c, 1.0, INSERT_VALUES, *A));
    PetscCall(CooDestroy(&c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetValues(const Problem *p, Way way, Mat *A, Mat *R)
{
  Mat       S;
  Coo       c;
  PetscReal factor;

  PetscFunctionBeginUser;
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, MATAIJ, R));
  if (way == PLAIN) {
    PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, NULL, A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (way == NEW_PATTERN) { /* AIJ too: what it knows of the first pattern, groups of equal rows among it, stays */
    PetscCall(SetTwoPatterns(p, *R, NULL, A));
    PetscCall(SetTwoPatterns(p, *R, MATAIJ, &S));
    PetscCall(MatDestroy(R));
    *R = S;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(WithCoordinates(p, *R, A, &c));
  PetscCall(SetFurther(p, way, &c, A, *R, &factor));
  if (factor != 1) PetscCall(MatScale(*R, factor));
  PetscCall(CooDestroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

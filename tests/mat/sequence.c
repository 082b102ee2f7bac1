static char help[] =
  "Random sequences of operations that change a matrix: values, pattern, type, place. A product, rows or a diagonal after each, against AIJ.\n";

#include "common/change.h"
#include "common/loop.h"
#include "common/set_values.h"
#include "common/steps.h"
#include <petscksp.h>

#define LENGTH    14
#define TOLERANCE (20 * CHECK_TOLERANCE)

/* Where a sequence is */
typedef struct {
  const Problem *p;
  PetscInt       seed, k;
  PetscBool      diagonal; /* every row has its diagonal entry */
  char           text[256];
} At;

/* A number below most that depends on the place in the sequence alone */
static PetscInt Choose(const At *at, PetscInt what, PetscInt most)
{
  return (PetscInt)(ProblemHash(1000 + at->seed, at->k, what) % (unsigned)most);
}

/* Steps of change.h that need no further matrix, on rows that have what they set */
static PetscErrorCode DoChange(const At *at, Mat *M, const char **name)
{
  const Step kinds[] = {SCALE_BOTH, SCALE_LEFT, SCALE_RIGHT, SHIFT, SET, ADD, AXPY_TWIN, AYPX, COPY_TWIN, ROWS, ROWS_TO_ZERO, ROWS_DROPPED};
  const Step step    = kinds[Choose(at, 2, PETSC_STATIC_ARRAY_LENGTH(kinds))];
  Mat        D;
  Vec        b;

  PetscFunctionBeginUser;
  *name = steps[step];
  if (!at->diagonal && (step == SHIFT || step == SET || step == ADD)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSetOption(*M, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatDuplicate(*M, MAT_COPY_VALUES, &D));
  PetscCall(MatScale(D, 0.5));
  PetscCall(CheckVecs(*M, NULL, 0, &b, 23));
  PetscCall(Change(step, *M, D, NULL, at->diagonal, b));
  PetscCall(CheckDestroy(&b, &D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DoStep(const At *at, PetscBool twin, Mat *M, const char **name)
{
  const PetscInt kind = Choose(at, 0, 4), seed = Choose(at, 1, 10000);

  PetscFunctionBeginUser;
  if (kind == 0) PetscCall(DoChange(at, M, name));
  else if (kind == 1) {
    const How kinds[] = {ONE, ONE_RANK, BLOCKED, NEGATIVE, COLUMNS, FLUSHED, OTHERS, MANY, ARRAY, ZEROED};
    const How how     = kinds[Choose(at, 2, PETSC_STATIC_ARRAY_LENGTH(kinds))];

    *name = hows[how];
    PetscCall(SetSome(at->p, how, seed % 2 ? ADD_VALUES : INSERT_VALUES, seed, *M));
    PetscCall(MatSetOption(*M, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
  } else {
    const OtherStep step = (OtherStep)Choose(at, 2, OTHER_STEPS);

    *name = other_steps[step];
    PetscCall(DoOther(at->p, step, seed, twin, M));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product, or something that the host reads, or nothing: what a step has left behind meets the next one */
static PetscErrorCode Look(const At *at, Mat A, Mat R)
{
  const PetscInt kind = Choose(at, 3, 4);
  Vec            x[2], y[2];

  PetscFunctionBeginUser;
  if (kind == 3) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 2; k++) {
    Mat M = k ? R : A;

    PetscCall(CheckVecs(M, &x[k], 41, &y[k], 0));
    if (kind == 0) PetscCall(MatMult(M, x[k], y[k]));
    else if (kind == 1) PetscCall(MatMultTranspose(M, x[k], y[k]));
    else PetscCall(MatGetDiagonal(M, y[k]));
  }
  PetscCall(CheckVec(y[0], y[1], TOLERANCE, at->text));
  PetscCall(CheckDestroy(&x[0], &y[0], &x[1], &y[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations of a solver that has its own products and halo, with the matrix as it is now and that plus 1 on the diagonal: what it keeps of the first must not be in the second */
static PetscErrorCode Iterate(const At *at, KSP ksp[2], Mat A, Mat R)
{
  Vec       b[2], x[2];
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(MatNorm(R, NORM_INFINITY, &norm));
  for (int k = 0; k < 2; k++) {
    PetscCall(CheckVecs(k ? R : A, &x[k], 0, &b[k], 43));
    PetscCall(KSPSetOperators(ksp[k], k ? R : A, k ? R : A));
    PetscCall(KSPSolve(ksp[k], b[k], x[k]));
  }
  if (norm > 0) PetscCall(CheckVec(x[0], x[1], 1000 * TOLERANCE, at->text));
  PetscCall(CheckDestroy(&b[0], &x[0], &b[1], &x[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two iterations of Chebyshev's method between wide bounds: they stay finite whatever the matrix is */
static PetscErrorCode SolverCreate(const char type[], KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetType(*ksp, type));
  PetscCall(KSPChebyshevSetEigenvalues(*ksp, 20, 1));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(*ksp, 1e-30, 1e-30, PETSC_CURRENT, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Sequence(const Problem *p, PetscInt seed, Mat A, Mat R)
{
  At          at = {.p = p, .seed = seed};
  KSP         ksp[2];
  const char *name = "";

  PetscFunctionBeginUser;
  PetscCall(SolverCreate("fusedchebyshev", &ksp[0]));
  PetscCall(SolverCreate(KSPCHEBYSHEV, &ksp[1]));
  for (at.k = 0; at.k < LENGTH; at.k++) {
    PetscCall(HasDiagonal(R, &at.diagonal));
    PetscCall(DoStep(&at, PETSC_FALSE, &A, &name));
    PetscCall(DoStep(&at, PETSC_TRUE, &R, &name));
    PetscCall(PetscSNPrintf(at.text, sizeof(at.text), "sequence %" PetscInt_FMT ", step %" PetscInt_FMT ", %s", seed, at.k, name));
    PetscCall(Look(&at, A, R));
    if (Choose(&at, 5, 4) == 0) PetscCall(Iterate(&at, ksp, A, R));
  }
  PetscCall(CheckProducts(A, R, at.text));
  PetscCall(CheckRows(A, R, TOLERANCE, at.text));
  PetscCall(CheckDestroy(&ksp[0], &ksp[1], &A, &R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Sequences(const Problem *p, Mat A, Mat R)
{
  PetscInt first = 0, number = 16;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-first", &first, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-number", &number, NULL));
  for (PetscInt seed = first; seed < first + number; seed++) {
    Mat B, S;

    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(MatDuplicate(R, MAT_COPY_VALUES, &S));
    PetscCall(Sequence(p, 3 * seed + p->split, B, S));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Sequences, "sequence")

/*TEST
  testset:
    args: -bs 1,3 -pattern gh,wells,random,inactive -options_left 0
    nsize: {{1 2 4}}
    output_file: output/sequence.out
    test:
      suffix: 1
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: format
      args: -mat_type {{bdiagh sellp}} -heptane_test_changes_in_format
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  test:
    suffix: 2
    comments: quick
    args: -bs 1,3 -pattern gh,wells,random,inactive -options_left 0 -mat_type bdiagh
    nsize: 2
    output_file: output/sequence.out
TEST*/

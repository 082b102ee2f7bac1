static char help[] = "What preconditioners keep of a matrix, or of its blocks, is made anew after its values were changed in whichever way, against AIJ.\n";

#include "common/block_arrays.h"
#include "common/change.h"
#include "common/coo.h"
#include "common/loop.h"
#include <petsc/private/petscimpl.h> /* PetscObjectStateIncrease() */
#include <petscpc.h>

static const char *const pcs[] = {"-pc_type jacobi",
                                  "-pc_type pbjacobi",
                                  "-pc_type sor",
                                  "-pc_type bjacobi -sub_pc_type ilu",
                                  "-pc_type bjacobi -sub_pc_type lu",
                                  "-pc_type bjacobi -sub_pc_type jacobi",
                                  "-pc_type bjacobi -sub_pc_type sor",
                                  "-pc_type asm -sub_pc_type ilu",
                                  "-pc_type redundant",
                                  "-pc_type ksp -ksp_ksp_type richardson -ksp_ksp_max_it 2 -ksp_ksp_norm_type none -ksp_pc_type bjacobi -ksp_sub_pc_type ilu"};

/* The ways beside those of change.h */
typedef enum { COO_AGAIN = STEPS, COO_ADDED, ZEROED, SCALED_ALL, BLOCK_ARRAYS, FILLED, MORE } More;
static const char *const more[] = {"MatSetValuesCOO", "MatSetValuesCOO add", "MatZeroEntries and COO", "MatScale", "arrays of the blocks", "MatSetValues"};

/* Matrix, preconditioner, and the same matrix as AIJ with its own */
typedef struct {
  const Problem *p;
  Mat            M[2], E[2]; /* E: another matrix with the pattern */
  Coo            c[2];
  PC             pc[2];
  Vec            b, y[2];
} Both;

static PetscErrorCode OneChange(Both *t, int k, int way)
{
  Mat M = t->M[k], D = NULL;

  PetscFunctionBeginUser;
  switch (way) {
  case COO_AGAIN:
  case COO_ADDED:
    PetscCall(CooSet(t->p, &t->c[k], way == COO_AGAIN ? 2.0 : 0.5, way == COO_AGAIN ? INSERT_VALUES : ADD_VALUES, M));
    break;
  case ZEROED:
    PetscCall(MatZeroEntries(M));
    PetscCall(CooSet(t->p, &t->c[k], 4.0, ADD_VALUES, M));
    break;
  case SCALED_ALL:
    PetscCall(MatScale(M, -3.0));
    break;
  case BLOCK_ARRAYS:
    PetscCall(DoubleArrays(M));
    break;
  case FILLED:
    PetscCall(ProblemFill(t->p, M));
    break;
  default:
    PetscCall(MatDuplicate(M, MAT_COPY_VALUES, &D));
    PetscCall(Change((Step)way, M, D, t->E[k], PETSC_TRUE, t->b));
    PetscCall(MatDestroy(&D));
    if (k && (way == AXPY_TWIN || way == AXPY_OTHER)) PetscCall(PetscObjectStateIncrease((PetscObject)M)); /* parallel AIJ does not count it (PETSc 3.26) */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* multiply: a product between change and set-up, as a residual in Newton's method */
static PetscErrorCode Apply(Both *t, PetscBool multiply, const char pc[], const char what[])
{
  PetscFunctionBeginUser;
  PetscCall(CheckVecFill(t->b, 7));
  for (int k = 0; k < 2; k++) {
    if (multiply) PetscCall(MatMult(t->M[k], t->b, t->y[k]));
    PetscCall(PCSetUp(t->pc[k]));
    PetscCall(PCApply(t->pc[k], t->b, t->y[k]));
  }
  PetscCall(CheckVec(t->y[0], t->y[1], 1000 * CHECK_TOLERANCE, CheckText("%s after %s%s", pc, what, multiply ? " and a product" : "")));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WithPC(Both *t, PetscBool multiply, const char options[])
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(NULL, options)); /* all name all that they set: what is left of others does no harm */
  for (int k = 0; k < 2; k++) {
    PetscCall(CooSet(t->p, &t->c[k], 1.0, INSERT_VALUES, t->M[k]));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &t->pc[k]));
    PetscCall(PCSetOperators(t->pc[k], t->M[k], t->M[k]));
    PetscCall(PCSetFromOptions(t->pc[k]));
  }
  PetscCall(Apply(t, PETSC_TRUE, options, "the first values"));
  for (int way = 0; way < MORE; way++) {
    if (way == SET || way == AXPY_UNKNOWN || (way >= ROWS && way < STEPS)) continue; /* ADD, AXPY_OTHER are alike; rows of zeros have no factors */
    for (int k = 0; k < 2; k++) PetscCall(OneChange(t, k, way));
    PetscCall(Apply(t, multiply, options, way < STEPS ? steps[way] : more[way - STEPS]));
    for (int k = 0; k < 2; k++) PetscCall(CooSet(t->p, &t->c[k], 1.0, INSERT_VALUES, t->M[k])); /* changes alone would make it singular */
    PetscCall(Apply(t, multiply, options, "the first values again"));
  }
  for (int k = 0; k < 2; k++) PetscCall(PCDestroy(&t->pc[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Kept(const Problem *p, Mat A, Mat R)
{
  Both t = {
    .p = p, .M = {NULL, NULL},
         .E = {NULL, NULL}
  };
  Problem other = *p;

  PetscFunctionBeginUser;
  (void)A;
  other.seed += 40;
  for (int k = 0; k < 2; k++) {
    PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, k ? MATAIJ : NULL, &t.M[k]));
    PetscCall(CooCreate(p, R, COO_BLOCKS, PETSC_FALSE, &t.c[k]));
    PetscCall(MatSetPreallocationCOO(t.M[k], t.c[k].n, t.c[k].i, t.c[k].j));
    PetscCall(ProblemCreate(PETSC_COMM_WORLD, &other, k ? MATAIJ : NULL, &t.E[k]));
  }
  PetscCall(MatCreateVecs(R, &t.b, NULL));
  for (int k = 0; k < 2; k++) PetscCall(VecDuplicate(t.b, &t.y[k]));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(pcs); k++)
    for (int multiply = 0; multiply < 2; multiply++) PetscCall(WithPC(&t, (PetscBool)multiply, pcs[k]));
  for (int k = 0; k < 2; k++) {
    PetscCall(CheckDestroy(&t.M[k], &t.E[k]));
    PetscCall(CooDestroy(&t.c[k]));
    PetscCall(VecDestroy(&t.y[k]));
  }
  PetscCall(VecDestroy(&t.b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Kept, "kept")

/*TEST
  testset:
    args: -bs 1,3 -pattern gh,random -diagonal 50
    output_file: output/kept.out
    test:
      suffix: 1
      nsize: {{1 2 3}}
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: format
      comments: quick
      nsize: {{1 2}}
      args: -heptane_test_changes_in_format -mat_type {{bdiagh sellp}}
    test:
      suffix: cuda
      requires: cuda
      nsize: {{1 2}}
      args: -mat_type {{bdiagh sellp}} -expect_cuda
TEST*/

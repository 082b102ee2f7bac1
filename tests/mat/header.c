static char help[] = "MatHeaderMerge and MatHeaderReplace between matrices whose values were set where the products run, against AIJ.\n";

#include "common/coo.h"
#include "common/loop.h"

/* The matrices before their headers change */
typedef enum { SET, MULTIPLIED, SET_AFTER_PRODUCT, SCALED_AFTER_PRODUCT, WAYS } Way;
static const char *const ways[] = {"COO", "COO and product", "COO after a product", "scaled after a product"};

static PetscErrorCode Create(const Problem *p, Way way, Mat *A, Mat *R, Coo *c)
{
  PetscBool device = CheckOption("-device_values");

  PetscFunctionBeginUser;
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, MATAIJ, R));
  PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, NULL, A));
  PetscCall(CooCreate(p, *R, COO_BLOCKS, device, c));
  PetscCall(MatSetPreallocationCOO(*A, c->n, c->i, c->j));
  PetscCall(CooSet(p, c, 1.0, INSERT_VALUES, *A));
  if (way != SET) PetscCall(CheckProducts(*A, *R, "before the headers change"));
  if (way == SET_AFTER_PRODUCT) {
    PetscCall(CooSet(p, c, 2.0, INSERT_VALUES, *A));
    PetscCall(MatScale(*R, 2.0));
  }
  if (way == SCALED_AFTER_PRODUCT) {
    PetscCall(MatScale(*A, -0.5));
    PetscCall(MatScale(*R, -0.5));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A, which has just taken over another matrix, is R; so it stays when its values change in every way */
static PetscErrorCode After(const Problem *q, Coo *c, PetscBool coordinates, PetscBool rows_first, Mat A, Mat R, const char what[])
{
  Mat D;

  PetscFunctionBeginUser;
  if (rows_first) PetscCall(CheckRows(A, R, CHECK_TOLERANCE, what));
  PetscCall(CheckMat(A, R, what));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &D));
  PetscCall(CheckMat(D, R, what));
  PetscCall(MatDestroy(&D));
  PetscCall(MatScale(A, 3.0));
  PetscCall(MatScale(R, 3.0));
  PetscCall(CheckMat(A, R, what));
  PetscCall(ProblemFill(q, A));
  PetscCall(ProblemFill(q, R));
  PetscCall(CheckMat(A, R, what));
  if (coordinates) { /* the coordinates came along */
    PetscCall(CooSet(q, c, 0.25, INSERT_VALUES, A));
    PetscCall(MatScale(R, 0.25));
    PetscCall(CheckMat(A, R, what));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* merge keeps A's composed objects, so what MatSetPreallocationCOO() had composed on A no longer fits: only replace takes coordinates along */
static PetscErrorCode Headers(const Problem *p, Mat A, Mat R)
{
  PetscFunctionBeginUser;
  (void)A;
  (void)R;
  for (int k = 0; k < 8 * WAYS; k++) {
    const PetscBool merge = (PetscBool)(k % 2), rows_first = (PetscBool)(k / 2 % 2), other = (PetscBool)(k / 4 % 2);
    const Way       way = (Way)(k / 8);
    Problem         q   = *p;
    Mat             M, S, N, T;
    Coo             c, d;

    q.seed += 80;
    if (other) q.pattern = ProblemIs(p, "gh") ? "wells" : "gh";
    PetscCall(Create(p, way, &M, &S, &c));
    PetscCall(Create(&q, way, &N, &T, &d));
    PetscCall((merge ? MatHeaderMerge : MatHeaderReplace)(M, &N));
    PetscCall((merge ? MatHeaderMerge : MatHeaderReplace)(S, &T));
    const char *const text = CheckText("%s after %s%s", merge ? "MatHeaderMerge" : "MatHeaderReplace", ways[way], other ? ", another pattern" : "");
    PetscCall(After(&q, &d, (PetscBool)!merge, rows_first, M, S, text));
    PetscCall(CooDestroy(&c));
    PetscCall(CooDestroy(&d));
    PetscCall(CheckDestroy(&M, &S));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Headers, "header")

/*TEST
  testset:
    nsize: {{1 2}}
    args: -bs 1,3 -pattern gh,wells,random
    output_file: output/header.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
    test:
      suffix: host_values_cuda
      requires: cuda
      args: -expect_cuda
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values
TEST*/

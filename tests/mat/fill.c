static char help[] =
  "Matrices whose values are all set anew on the host, again and again: products, rows and duplicates against AIJ; what goes to the device is the values of the compressed rows.\n";

#include "common/check.h"
#include "common/check_device.h"
#include "common/fill_grids.h"

static PetscErrorCode Multiply(Mat A)
{
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(A, x, y));
  PetscCall(CheckDestroy(&x, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On one process with a device: the first product after new values sends these and nothing else */
static PetscErrorCode CheckSent(const Grid *g, PetscInt round, Mat A)
{
  PetscFunctionBeginUser;
#if PetscDefined(HAVE_DEVICE) && PetscDefined(USE_LOG)
  const PetscLogDouble before   = petsc_ctog_sz + petsc_ctog_sz_scalar;
  PetscBool            expected = CheckOption("-expect_cuda"), seq;
  MatInfo              info;

  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
  PetscCall(Multiply(A));
  if (round && expected && seq && CellsOf(g) > 1) {
    const PetscLogDouble sent = petsc_ctog_sz + petsc_ctog_sz_scalar - before;

    PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
    PetscCall(CheckTrue(sent == sizeof(PetscScalar) * info.nz_used, CheckText("round %d: %g bytes sent, %g entries", (int)round, sent, info.nz_used)));
  }
#else
  (void)g, (void)round;
  PetscCall(Multiply(A));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A few rows after a product, all of them, zeros, duplicates without values, another pattern: each time what was kept of the values before is not enough, or no longer right */
static PetscErrorCode CheckChanges(const Grid *g, Mat A, Mat R)
{
  Mat            M[2] = {A, R}, D[2];
  const PetscInt last = CellsOf(g) * g->b - 1;
  PetscInt       first, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (int k = 0; k < 2; k++) {
    for (PetscInt row = first; row < PetscMin(first + 2, end); row++)
      if (!g->holes || row / g->b % g->holes != 3) PetscCall(MatSetValue(M[k], row, row, -3.5, INSERT_VALUES));
    PetscCall(CheckAssemble(M[k]));
  }
  PetscCall(CheckProducts(A, R, "a few rows"));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatDuplicate(M[k], MAT_DO_NOT_COPY_VALUES, &D[k]));
    PetscCall(MatZeroEntries(M[k]));
  }
  PetscCall(CheckProducts(A, R, "zeros"));
  for (int k = 0; k < 2; k++) {
    PetscCall(SetAll(g, 5, M[k]));
    PetscCall(SetAll(g, 6, D[k]));
  }
  PetscCall(CheckProducts(A, R, "set after zeros"));
  PetscCall(CheckProducts(D[0], D[1], "a duplicate without values"));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatSetOption(M[k], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    if (first < end) PetscCall(MatSetValue(M[k], end - 1, 0, 2.5, INSERT_VALUES));
    if (first < end) PetscCall(MatSetValue(M[k], first, last, 1.5, INSERT_VALUES));
    PetscCall(CheckAssemble(M[k]));
  }
  PetscCall(CheckProducts(A, R, "another pattern"));
  for (int k = 0; k < 2; k++) PetscCall(SetAll(g, 7, M[k]));
  PetscCall(CheckProducts(A, R, "another pattern, set"));
  PetscCall(CheckMat(A, R, "another pattern, set"));
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&D[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Check(const Grid *g)
{
  Mat A, R, D, S;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%d x %d x %d, b = %d, far %d, holes %d, irregular %d", (int)g->n[0], (int)g->n[1], (int)g->n[2], (int)g->b, (int)g->far, (int)g->holes,
                       g->irregular));
  PetscCall(FillGridCreate(g, PETSC_FALSE, &A));
  PetscCall(FillGridCreate(g, PETSC_TRUE, &R));
  PetscCall(CheckDevice(A));
  for (PetscInt round = 0; round < 4; round++) {
    const char *const text = CheckText("round %d", (int)round);
    PetscCall(SetAll(g, round, A));
    PetscCall(SetAll(g, round, R));
    PetscCall(CheckSent(g, round, A));
    PetscCall(CheckProducts(A, R, text));
    if (round % 2) PetscCall(CheckMat(A, R, text));
  }
  /* the newest values are the format's: they go back when rows are asked for, once in the matrix and once in a duplicate that is filled anew afterwards */
  PetscCall(MatScale(A, -0.5));
  PetscCall(MatScale(R, -0.5));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &D));
  PetscCall(MatDuplicate(R, MAT_COPY_VALUES, &S));
  PetscCall(CheckMat(A, R, "scaled"));
  PetscCall(CheckMat(D, S, "a duplicate"));
  PetscCall(SetAll(g, 9, D));
  PetscCall(SetAll(g, 9, S));
  PetscCall(CheckProducts(D, S, "a duplicate, set anew"));
  PetscCall(CheckProducts(A, R, "the matrix after it"));
  PetscCall(CheckChanges(g, A, R));
  PetscCall(CheckDestroy(&A, &R, &D, &S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(grids); k++) PetscCall(Check(&grids[k]));
  return CheckFinish("fill");
}

/*TEST
  test:
    suffix: 1
    nsize: {{1 2 4}}
    args: -mat_type {{bdiagh sellp}}
    output_file: output/fill.out

  test:
    suffix: cuda
    requires: cuda
    args: -expect_cuda -mat_type {{bdiagh sellp}}
    output_file: output/fill_cuda.out

  test:
    suffix: 2_cuda
    requires: cuda
    nsize: 2
    args: -expect_cuda -mat_type {{bdiagh sellp}}
    output_file: output/fill.out

  test:
    suffix: 2
    comments: quick
    nsize: 2
    output_file: output/fill.out
TEST*/

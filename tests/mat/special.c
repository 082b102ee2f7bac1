static char help[] = "Matrices without values (MAT_STRUCTURE_ONLY), with NaN and Inf, with duplicates and other names of the type.\n";

#include "common/loop.h"
#include "../../src/sys/petsc_compat.hpp"

/* Everything that AIJ can do without values; a product is an error and no crash */
static PetscErrorCode StructureOnly(const Problem *p, Mat A, Mat R)
{
  Mat             S, D;
  PetscInt        lo, hi, n, nr;
  const PetscInt *c, *cr;
  PetscBool       same = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, NULL, &S));
  PetscCall(MatSetOption(S, MAT_STRUCTURE_ONLY, PETSC_TRUE));
  PetscCall(MatSetUp(S));
  PetscCall(ProblemFill(p, S));
  PetscCall(CheckSameType(S, A, "structure only, type"));
  PetscCall(MatDuplicate(S, MAT_DO_NOT_COPY_VALUES, &D));
  PetscCall(MatGetOwnershipRange(S, &lo, &hi));
  for (PetscInt i = lo; i < hi && same; i++) {
    PetscCall(MatGetRow(D, i, &n, &c, NULL));
    PetscCall(MatGetRow(R, i, &nr, &cr, NULL));
    same = (PetscBool)(n == nr);
    for (PetscInt k = 0; same && k < n; k++) same = (PetscBool)(c[k] == cr[k]);
    PetscCall(MatRestoreRow(D, i, &n, &c, NULL));
    PetscCall(MatRestoreRow(R, i, &nr, &cr, NULL));
  }
  PetscCall(CheckTrue(same, "structure only, pattern"));
  PetscCall(CheckDestroy(&D, &S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A NaN and an Inf entry reach the rows, and in the transpose the columns, that they reach with AIJ, and no others */
static PetscErrorCode NotFinite(const Problem *p, Mat A, Mat R)
{
  Mat         M[2] = {A, R};
  PetscInt    lo, hi, *cols, n;
  PetscScalar odd[2] = {(PetscScalar)NAN, (PetscScalar)INFINITY};

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(PetscMalloc1(ProblemCols(p), &cols));
  for (int k = 0; k < 2; k++) {
    for (PetscInt i = lo; i < hi && i < lo + 14; i += 7) {
      n = ProblemRow(p, i, cols);
      if (n) PetscCall(MatSetValue(M[k], i, cols[n - 1], odd[(i - lo) / 7], INSERT_VALUES));
    }
    PetscCall(CheckAssemble(M[k]));
  }
  PetscCall(PetscFree(cols));
  for (int transpose = 0; transpose < 2; transpose++) {
    Vec                x[2], y[2];
    const PetscScalar *v[2];
    PetscBool          same = PETSC_TRUE;

    for (int k = 0; k < 2; k++) {
      PetscCall(MatCreateVecs(M[k], transpose ? &y[k] : &x[k], transpose ? &x[k] : &y[k]));
      PetscCall(VecSet(x[k], 0.5));
      PetscCall((transpose ? MatMultTranspose : MatMult)(M[k], x[k], y[k]));
      PetscCall(VecGetArrayRead(y[k], &v[k]));
    }
    PetscCall(VecGetLocalSize(y[0], &n));
    for (PetscInt i = 0; i < n && same; i++) {
      if (PetscIsNanScalar(v[1][i])) same = PetscIsNanScalar(v[0][i]);
      else if (PetscIsInfScalar(v[1][i])) same = PetscIsInfScalar(v[0][i]);
      else same = (PetscBool)(PetscAbsScalar(v[0][i] - v[1][i]) <= CHECK_TOLERANCE * (1 + PetscAbsScalar(v[1][i])));
    }
    PetscCall(CheckTrue(same, transpose ? "NaN and Inf, MatMultTranspose" : "NaN and Inf, MatMult"));
    for (int k = 0; k < 2; k++) {
      PetscCall(VecRestoreArrayRead(y[k], &v[k]));
      PetscCall(CheckDestroy(&x[k], &y[k]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Host vectors with a matrix on the device, and the product before and after the vectors' type is changed */
static PetscErrorCode HostVectors(Mat A, Mat R)
{
  Vec x, y, xr, yr;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(R, &x, 121, &y, 0));
  PetscCall(CheckVecs(R, &xr, 121, &yr, 0));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatMult(R, xr, yr));
  PetscCall(CheckVec(y, yr, CHECK_TOLERANCE, "host vectors"));
  PetscCall(MatMultAdd(A, x, y, y));
  PetscCall(MatMultAdd(R, xr, yr, yr));
  PetscCall(CheckVec(y, yr, CHECK_TOLERANCE, "host vectors, added"));
  PetscCall(CheckDestroy(&x, &y, &xr, &yr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Special(const Problem *p, Mat A, Mat R)
{
  const PetscMPIInt size = CheckProcesses();
  Mat               B;
  char              root[32] = "bdiagh", name[64];

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", root, sizeof(root), NULL));
  PetscCall(HostVectors(A, R));
  HEPTANE_UNTIL_3_25(if (size > 1)) PetscCall(StructureOnly(p, A, R)); /* PETSc's AIJ crashes */
  PetscCall(PetscSNPrintf(name, sizeof(name), "aij%s", root));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, name, &B));
  PetscCall(CheckSameType(B, A, "root name with aij"));
  PetscCall(MatDestroy(&B));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%saij%s", size == 1 ? "seq" : "mpi", root));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, name, &B));
  PetscCall(CheckSameType(B, A, "full type name"));
  PetscCall(MatDestroy(&B));
  PetscCall(NotFinite(p, A, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_ALL, Special, "special")

/*TEST
  testset:
    args: -bs 1,3,16
    output_file: output/special.out
    nsize: {{1 2}}
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda
TEST*/

static char help[] = "Compressed rows with the same column twice, which MatCreateSeqAIJWithArrays() and MatLoad() accept, against AIJ.\n";

#include "common/loop.h"
#include <petscksp.h>

typedef struct {
  PetscInt    *i, *j;
  PetscScalar *a;
} Arrays;

/* Some rows of R with their first entry twice, some with all entries twice, the second time behind the others; the sums are R's */
static PetscErrorCode Repeat(Mat R, Arrays *c, Mat *S)
{
  PetscInt           m, n, nz, k = 0;
  const PetscInt    *cols;
  const PetscScalar *vals;
  MatInfo            info;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(R, &m, &n));
  PetscCall(MatGetInfo(R, MAT_LOCAL, &info));
  PetscCall(PetscMalloc3(m + 1, &c->i, 2 * (PetscInt)info.nz_used, &c->j, 2 * (PetscInt)info.nz_used, &c->a));
  c->i[0] = 0;
  for (PetscInt row = 0; row < m; row++) {
    const PetscInt repeats = row % 3;

    PetscCall(MatGetRow(R, row, &nz, &cols, &vals));
    for (PetscInt q = 0; q < nz; q++) {
      const PetscInt times = repeats == 1 && q == 0 ? 2 : 1;

      for (PetscInt t = 0; t < times; t++) {
        c->j[k]   = cols[q];
        c->a[k++] = vals[q] * (PetscReal)(times == 2 ? 0.25 + 0.5 * (PetscReal)t : repeats == 2 ? 0.5 : 1.0);
      }
    }
    for (PetscInt q = 0; repeats == 2 && q < nz; q++) {
      c->j[k]   = cols[q];
      c->a[k++] = vals[q] * (PetscReal)0.5;
    }
    c->i[row + 1] = k;
    PetscCall(MatRestoreRow(R, row, &nz, &cols, &vals));
  }
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, m, n, c->i, c->j, c->a, S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Norms(Mat A, Mat R, const char what[])
{
  const NormType types[] = {NORM_1, NORM_INFINITY, NORM_FROBENIUS};

  PetscFunctionBeginUser;
  for (int k = 0; k < 3; k++) {
    PetscReal a, r;

    PetscCall(MatNorm(A, types[k], &a));
    PetscCall(MatNorm(R, types[k], &r));
    PetscCall(CheckReal(a, r, CHECK_TOLERANCE, CheckText("%s, MatNorm %d", what, k)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Diagonals(Mat A, Mat R, const char what[])
{
  Vec d[2];

  PetscFunctionBeginUser;
  for (int t = 0; t < 2; t++) {
    PetscCall(MatCreateVecs(t ? R : A, NULL, &d[t]));
    PetscCall(MatGetDiagonal(t ? R : A, d[t]));
  }
  PetscCall(CheckVec(d[0], d[1], 0, CheckText("%s, MatGetDiagonal", what)));
  for (int t = 0; t < 2; t++) PetscCall(VecDestroy(&d[t]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solution is that of the matrix whose entries are added up; preconditioner none: AIJ's diagonal is the first of the entries alone */
static PetscErrorCode Solves(Mat A, Mat R, const char what[])
{
  const char *types[] = {"fusedbcgs", KSPBCGS};
  Vec         x[2], b;

  PetscFunctionBeginUser;
  for (int t = 0; t < 2; t++) {
    KSP                ksp;
    KSPConvergedReason reason;

    PetscCall(CheckKSPCreate(t ? R : A, types[t], PCNONE, PetscDefined(USE_REAL_SINGLE) ? 1e-5 : 1e-11, 300, &ksp));
    PetscCall(CheckVecs(t ? R : A, &x[t], 0, &b, 12));
    PetscCall(CheckKSPSolve(ksp, b, x[t], NULL, &reason));
    PetscCall(CheckTrue(reason > 0, CheckText("%s, %s converged", what, types[t])));
    PetscCall(CheckDestroy(&ksp, &b));
  }
  PetscCall(CheckVec(x[0], x[1], PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-9, CheckText("%s, solution", what)));
  for (int t = 0; t < 2; t++) PetscCall(VecDestroy(&x[t]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Repeated(const Problem *p, Mat A, Mat R)
{
  MatType     type;
  Mat         S, B, L, back;
  Arrays      c;
  PetscViewer viewer;
  const char *file = "repeated.tmp";

  PetscFunctionBeginUser;
  (void)p;
  PetscCall(MatGetType(A, &type));
  PetscCall(Repeat(R, &c, &S));
  PetscCall(MatConvert(S, type, MAT_INITIAL_MATRIX, &B));
  PetscCall(CheckMat(B, S, "converted"));
  PetscCall(CheckProducts(B, R, "added up"));
  PetscCall(Diagonals(B, S, "converted"));
  PetscCall(Norms(B, S, "converted"));
  PetscCall(Solves(B, R, "converted"));

  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, file, FILE_MODE_WRITE, &viewer));
  PetscCall(MatView(S, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, file, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_SELF, &L));
  PetscCall(MatSetType(L, type));
  PetscCall(MatLoad(L, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(CheckRemove(file));
  PetscCall(CheckMat(L, S, "loaded"));
  PetscCall(MatScale(L, -2.0)); /* with a GPU the compressed rows are written from the format afterwards */
  PetscCall(MatScale(S, -2.0));
  PetscCall(MatConvert(L, MATAIJ, MAT_INITIAL_MATRIX, &back));
  PetscCall(CheckRows(back, S, 0, "scaled and converted back"));
  PetscCall(Diagonals(L, S, "scaled"));
  PetscCall(Norms(L, S, "scaled"));
  PetscCall(MatScale(S, -0.5));
  PetscCall(CheckDestroy(&L, &back, &B, &S));
  PetscCall(PetscFree3(c.i, c.j, c.a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Repeated, "repeated")

/*TEST
  # a debug PETSc refuses repeated columns
  testset:
    requires: !defined(PETSC_USE_DEBUG)
    args: -bs 1,2,3,5 -pattern gh,banded,ragged -diagonal 40
    output_file: output/repeated.out
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

static char help[] =
  "Matrices of MatCreateSubMatrices() converted in place: products, changes, reuse, and both ways of destroying them, before and after other matrices; ASM's -pc_asm_sub_mat_type.\n";

#include "common/check.h"
#include "common/check_device.h"
#include "common/problem.h"
#include <petscksp.h>

/* b unknowns per cell of a line, over the processes */
static PetscErrorCode Create(MPI_Comm comm, PetscInt cells, PetscInt b, const char type[], Mat *A)
{
  const PetscInt n = cells * b;
  PetscInt       lo, hi;

  PetscFunctionBeginUser;
  PetscCall(CheckMatCreate(comm, PETSC_DECIDE, n, b, type, PETSC_FALSE, A));
  PetscCall(MatGetOwnershipRange(*A, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++)
    for (PetscInt j = PetscMax(0, (i / b - 1) * b); j < PetscMin(n, (i / b + 2) * b); j++)
      PetscCall(MatSetValue(*A, i, j, i == j ? 4.0 * (PetscReal)b : -(PetscScalar)ProblemHash(3, i, j) / 4294967296.0, INSERT_VALUES));
  PetscCall(CheckAssemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product of the submatrix against that of its twin */
static PetscErrorCode Products(Mat S, Mat T, const char what[])
{
  Vec x, y, z;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(S, &x, 3, &y, 0));
  PetscCall(MatMult(S, x, y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(MatMult(T, x, z));
  PetscCall(CheckVec(y, z, 100 * PETSC_MACHINE_EPSILON, what));
  PetscCall(CheckDestroy(&x, &y, &z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* how: bit 0: changed before it is destroyed, so that its format may have newer values than its compressed rows, bit 1: filled again, bit 2: destroyed by itself */
static PetscErrorCode InPlace(const char type[], PetscInt b, int how)
{
  Mat               A, R, *S, *T, before, after;
  IS                rows;
  const PetscMPIInt rank = CheckRank();

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%s, %d unknowns, case %d", type, (int)b, how));
  PetscCall(Create(PETSC_COMM_SELF, 7, b, type, &before));
  PetscCall(Create(PETSC_COMM_WORLD, 40, b, type, &A));
  PetscCall(Create(PETSC_COMM_WORLD, 40, b, MATAIJ, &R));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, (rank ? 17 : 33) * b, 2 * b, 1, &rows));
  PetscCall(MatCreateSubMatrices(A, 1, &rows, &rows, MAT_INITIAL_MATRIX, &S));
  PetscCall(MatCreateSubMatrices(R, 1, &rows, &rows, MAT_INITIAL_MATRIX, &T));
  PetscCall(MatConvert(S[0], type, MAT_INPLACE_MATRIX, &S[0]));
  PetscCall(CheckDevice(S[0]));
  PetscCall(Create(PETSC_COMM_SELF, 7, b, type, &after));
  PetscCall(Products(S[0], T[0], "the submatrix"));
  if (how & 1) {
    PetscCall(MatScale(S[0], 2.0));
    PetscCall(MatScale(T[0], 2.0));
    PetscCall(Products(S[0], T[0], "scaled"));
  }
  if (how & 2) {
    PetscCall(MatScale(A, 3.0));
    PetscCall(MatScale(R, 3.0));
    PetscCall(MatCreateSubMatrices(A, 1, &rows, &rows, MAT_REUSE_MATRIX, &S));
    PetscCall(MatCreateSubMatrices(R, 1, &rows, &rows, MAT_REUSE_MATRIX, &T));
    PetscCall(Products(S[0], T[0], "filled again"));
    if (how & 1) PetscCall(MatScale(S[0], 0.5));
  }
  if (how & 4) { /* as PCASM does */
    PetscCall(MatDestroy(&S[0]));
    PetscCall(PetscFree(S));
  } else PetscCall(MatDestroySubMatrices(1, &S));
  PetscCall(MatDestroySubMatrices(1, &T));
  PetscCall(Products(before, after, "other matrices afterwards"));
  PetscCall(CheckDestroy(&before, &after, &A, &R, &rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ASM with blocks of the type takes the iterations that it takes with those of AIJ, with changed values too */
static PetscErrorCode Schwarz(const char type[], PetscInt b)
{
  PetscInt its[2][2];

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("ASM, %s, %d unknowns", type, (int)b));
  for (int ours = 0; ours < 2; ours++) {
    Mat A;
    Vec x, y;
    KSP ksp;
    PC  pc;

    PetscCall(Create(PETSC_COMM_WORLD, 40, b, ours ? type : MATAIJ, &A));
    PetscCall(CheckVecs(A, &x, 0, &y, 5));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetType(ksp, KSPGMRES));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCASM));
    PetscCall(PCASMSetSubMatType(pc, ours ? type : MATAIJ));
    PetscCall(KSPSetOperators(ksp, A, A));
    for (int again = 0; again < 2; again++) {
      PetscCall(CheckKSPSolve(ksp, y, x, &its[ours][again], NULL));
      PetscCall(MatShift(A, 1.5));
      PetscCall(KSPSetOperators(ksp, A, A));
    }
    PetscCall(CheckDestroy(&ksp, &x, &y, &A));
  }
  for (int again = 0; again < 2; again++) PetscCall(CheckTrue(its[0][again] == its[1][again] && its[0][again] > 0, "iterations"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char type[64] = "bdiagh";

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", type, sizeof(type), NULL));
  for (PetscInt b = 1; b < 4; b += 2) {
    for (int how = 0; how < 8; how++) PetscCall(InPlace(type, b, how));
    PetscCall(Schwarz(type, b));
  }
  return CheckFinish("submatrices");
}

/*TEST
  testset:
    # MatDestroySubMatrices() leaves the functions that are composed on a submatrix to the end of its header
    args: -checkfunctionlist 0 -type {{bdiagh sellp}}
    output_file: output/submatrices.out
    test:
      suffix: 1
      nsize: {{1 3}}
    test:
      suffix: 2
      comments: quick
      nsize: 2
    test:
      suffix: cuda
      requires: cuda
      nsize: {{1 2}}
      args: -expect_cuda
TEST*/

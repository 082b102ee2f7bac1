static char help[] =
  "Blocks with columns of other processes in which no row has an entry, as submatrices have them: products and solves of processes that come at different times, against AIJ.\n";

#include "common/check.h"
#include "common/check_device.h"
#include <petscksp.h>

#define ROWS     3
#define PRODUCTS 6

/* The first column of each other process that has rows. Only rows of even processes have entries there. empty: the last process has neither rows nor columns, and columns of others all the same */
static PetscErrorCode Create(PetscBool empty, Mat *A)
{
  PetscInt          n = ROWS, full, ghosts = 0, *garray;
  const PetscMPIInt rank = CheckRank(), size = CheckProcesses();
  Mat               diagonal, off;

  PetscFunctionBeginUser;
  full = empty ? size - 1 : size;
  if (rank == full) n = 0;
  PetscCall(PetscMalloc1(size, &garray));
  for (PetscInt r = 0; r < full; r++)
    if (r != rank) garray[ghosts++] = ROWS * r;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, NULL, &diagonal));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, ghosts, ghosts, NULL, &off));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = PetscMax(0, i - 1); j < PetscMin(n, i + 2); j++)
      PetscCall(MatSetValue(diagonal, i, j, i == j ? 4.0 : -1.0 - 0.1 * (PetscReal)(i + j), INSERT_VALUES));
    for (PetscInt g = 0; i == 1 && rank % 2 == 0 && g < ghosts; g++) PetscCall(MatSetValue(off, i, g, -0.5 / (PetscReal)(1 + g), INSERT_VALUES));
  }
  PetscCall(CheckAssemble(diagonal));
  PetscCall(CheckAssemble(off));
  PetscCall(MatCreateMPIAIJWithSeqAIJ(PETSC_COMM_WORLD, PETSC_DETERMINE, PETSC_DETERMINE, diagonal, off, garray, A));
  PetscCall(MatMPIAIJGetSeqAIJ(*A, NULL, &off, NULL));
  PetscCall(MatGetSize(off, NULL, &n));
  PetscCheck(n == ghosts, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The block has %" PetscInt_FMT " columns of %" PetscInt_FMT ": nothing is tested", n, ghosts);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many as a process that waits for nobody can be ahead of the late one, and more */
static PetscErrorCode Products(Mat A, Mat R, PetscMPIInt late)
{
  Vec               x[PRODUCTS], y[PRODUCTS], z;
  const PetscMPIInt rank = CheckRank();

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < PRODUCTS; k++) {
    PetscCall(CheckVecs(A, &x[k], k + 1, &y[k], 0));
    PetscCall(VecScale(x[k], 1)); /* on the device where products are */
  }
  PetscCall(MatMult(A, x[0], y[0])); /* what is made first is made together */
  if (rank == late) PetscCall(PetscSleep(0.1));
  for (PetscInt k = 0; k < PRODUCTS; k++) PetscCall(MatMult(A, x[k], y[k]));
  for (PetscInt k = 0; k < PRODUCTS; k++) {
    PetscCall(MatCreateVecs(R, NULL, &z));
    PetscCall(MatMult(R, x[k], z));
    PetscCall(CheckVec(y[k], z, CHECK_TOLERANCE, "product"));
    PetscCall(CheckDestroy(&z, &x[k], &y[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Chebyshev's method without norms has no sum either that would keep processes together */
static PetscErrorCode Solve(const char type[], Mat M, PetscMPIInt late, Vec *x)
{
  KSP               ksp;
  Vec               b;
  const PetscMPIInt rank = CheckRank();

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(M, x, 0, &b, 43));
  PetscCall(CheckKSPCreate(M, type, PCNONE, PETSC_CURRENT, PETSC_CURRENT, &ksp));
  PetscCall(KSPChebyshevSetEigenvalues(ksp, 7, 1));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
  PetscCall(KSPSetConvergenceTest(ksp, KSPConvergedSkip, NULL, NULL));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 7));
  PetscCall(KSPSolve(ksp, b, *x));
  if (rank == late) PetscCall(PetscSleep(0.1));
  PetscCall(KSPSolve(ksp, b, *x));
  PetscCall(CheckDestroy(&ksp, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(const char type[], PetscBool empty)
{
  Mat               A, R;
  Vec               x, r;
  const PetscMPIInt size = CheckProcesses();

  PetscFunctionBeginUser;
  PetscCall(Create(empty, &A));
  PetscCall(Create(empty, &R));
  PetscCall(MatConvert(A, type, MAT_INPLACE_MATRIX, &A));
  PetscCall(CheckDevice(A));
  for (PetscMPIInt late = 0; late < size; late++) {
    PetscCall(CheckWhere("process %d is late%s", late, empty ? ", one without rows" : ""));
    PetscCall(Products(A, R, late));
    PetscCall(Solve("fusedchebyshev", A, late, &x));
    PetscCall(Solve(KSPCHEBYSHEV, R, -1, &r));
    PetscCall(CheckVec(x, r, CHECK_TOLERANCE, "solution"));
    PetscCall(CheckDestroy(&x, &r));
  }
  PetscCall(CheckDestroy(&A, &R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char type[64] = "bdiagh";

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof(type), NULL));
  for (int empty = 0; empty < 2; empty++) PetscCall(Run(type, (PetscBool)empty));
  return CheckFinish("unread");
}

/*TEST
  testset:
    args: -mat_type {{bdiagh sellp}} -heptane_comm {{peer mpi}}
    test:
      suffix: 2
      comments: quick
      nsize: 2
    test:
      suffix: 4
      nsize: 4
    test:
      suffix: 2_cuda
      requires: cuda
      nsize: 2
      args: -expect_cuda
      output_file: output/unread_2.out
    test:
      suffix: 4_cuda
      requires: cuda
      nsize: 4
      args: -expect_cuda
      output_file: output/unread_4.out
TEST*/

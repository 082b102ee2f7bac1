static char help[] = "Functions and preconditioners of PETSc's that take plain AIJ alone, and what DMDA makes of a root name, against AIJ.\n";

#include "common/coo.h"
#include "common/loop.h"
#include <petscdmda.h>
#include <petscksp.h>

/* Set up and applied, and again with other values */
static PetscErrorCode ApplyPC(Mat A, Mat R, PCType type)
{
  Vec x[2], y[2];
  PC  pc[2];

  PetscFunctionBeginUser;
  for (int t = 0; t < 2; t++) {
    PetscCall(CheckVecs(t ? R : A, &x[t], 10, &y[t], 0));
    PetscCall(CheckPCCreate(t ? R : A, type, &pc[t]));
  }
  for (int n = 0; n < (type[0] == 'c' ? 2 : 1); n++) { /* PCTFS cannot be set up again */
    for (int t = 0; t < 2; t++) {
      PetscCall(PCSetUp(pc[t]));
      PetscCall(PCApply(pc[t], x[t], y[t]));
      PetscCall(MatScale(t ? R : A, 3.0));
    }
    PetscCall(CheckVec(y[0], y[1], 10 * CHECK_TOLERANCE, CheckText("%s, set-up %d", type, n + 1)));
  }
  PetscCall(CheckDestroy(&pc[0], &x[0], &y[0], &pc[1], &x[1], &y[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The product of both with our type, and with a small plain matrix, first and with the pattern kept */
static PetscErrorCode Kron(Mat A, Mat R)
{
  Mat     S, T, C[2];
  MatType type;

  PetscFunctionBeginUser;
  PetscCall(
    MatCreateSeqAIJFromTriple(PETSC_COMM_SELF, 3, 3, (PetscInt[]){0, 0, 2}, (PetscInt[]){0, 2, 1}, (PetscScalar[]){1.0, 4.0, -1.0}, &S, 3, PETSC_FALSE));
  PetscCall(MatGetType(A, &type));
  PetscCall(MatConvert(S, type, MAT_INITIAL_MATRIX, &T));
  PetscCall(MatSeqAIJKron(A, T, MAT_INITIAL_MATRIX, &C[0]));
  PetscCall(MatSeqAIJKron(R, S, MAT_INITIAL_MATRIX, &C[1]));
  PetscCall(CheckMat(C[0], C[1], "MatSeqAIJKron"));
  PetscCall(MatScale(A, 2.0));
  PetscCall(MatScale(R, 2.0));
  PetscCall(MatSeqAIJKron(A, T, MAT_REUSE_MATRIX, &C[0]));
  PetscCall(MatSeqAIJKron(R, S, MAT_REUSE_MATRIX, &C[1]));
  PetscCall(CheckMat(C[0], C[1], "MatSeqAIJKron again"));
  PetscCall(CheckDestroy(&C[0], &C[1], &S, &T));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The interpolation has the type under test, with one unknown a point; its products are AIJ's with more */
static PetscErrorCode Grids(Mat A, PetscInt dof)
{
  char        root[32] = "bdiagh";
  const char *types[]  = {root, MATAIJ};
  Mat         P[2];

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", root, sizeof(root), NULL));
  for (int t = 0; t < 2; t++) {
    DM      coarse, fine;
    MatType type;

    PetscCall(
      DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 9, 8, PETSC_DECIDE, PETSC_DECIDE, dof, 1, NULL, NULL, &coarse));
    PetscCall(DMSetMatType(coarse, types[t]));
    PetscCall(DMSetUp(coarse));
    PetscCall(DMRefine(coarse, PETSC_COMM_WORLD, &fine));
    PetscCall(DMCreateInterpolation(coarse, fine, &P[t], NULL));
    PetscCall(DMGetMatType(coarse, &type));
    if (t == 0) PetscCall(CheckTrue(type[0] == root[0], "DMGetMatType"));
    PetscCall(CheckDestroy(&coarse, &fine));
  }
  if (dof == 1) PetscCall(CheckSameType(P[0], A, "interpolation, type"));
  PetscCall(CheckProducts(P[0], P[1], "interpolation"));
  for (int t = 0; t < 2; t++) PetscCall(MatDestroy(&P[t]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Plain(const Problem *p, Mat A, Mat R)
{
  const PetscMPIInt size   = CheckProcesses();
  PetscBool         device = CheckOption("-device_values");
  Mat               D;
  Coo               c;

  PetscFunctionBeginUser;
  if (p->split) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CooCreate(p, R, COO_BLOCKS, device, &c));
  PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, NULL, &D));
  PetscCall(MatSetPreallocationCOO(D, c.n, c.i, c.j));
  PetscCall(CooSet(p, &c, 1.0, INSERT_VALUES, D));
  PetscCall(CheckProducts(D, R, "COO"));
  PetscCall(CooDestroy(&c));
  PetscCall(ApplyPC(D, R, size == 1 ? PCCP : PCTFS)); /* with AIJ too these are for one and for several processes */
  PetscCall(MatCopy(R, A, SAME_NONZERO_PATTERN));
  if (size == 1) PetscCall(Kron(A, R));
  PetscCall(Grids(A, 1));
  PetscCall(Grids(A, 3));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Plain, "plain")

/*TEST
  testset:
    args: -bs 1,3 -pattern gh,wells -symmetric -diagonal 40
    output_file: output/plain_1.out
    test:
      suffix: 1
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 1_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values

  testset:
    args: -bs 1,3 -pattern gh,wells -symmetric -diagonal 40
    output_file: output/plain_2.out
    nsize: 2
    test:
      suffix: 2
      comments: quick
    test:
      suffix: 2_sellp
      args: -mat_type sellp
    test:
      suffix: 2_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values
TEST*/

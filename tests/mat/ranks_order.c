static char help[] =
  "Products of matrices on several processes in any order, from memory to memory or by MPI: where a process is late, on two streams, of matrices that go.\n";

#include "common/check_device.h"
#include "common/halo_late.h"
#include "common/halo_way.h"
#include <petscdevice.h>

/* Many products of two matrices in turn, without and with a sum of MPI between them; the same bits when they are repeated */
static PetscErrorCode Interleaved(Mat A[2], Mat R[2])
{
  Vec       x[3][2];
  PetscReal norm;
  PetscBool same;

  PetscFunctionBeginUser;
  for (int run = 0; run < 3; run++) { /* A twice, and AIJ */
    Mat *M = run < 2 ? A : R;

    PetscCall(CheckVecs(M[0], &x[run][0], 8, &x[run][1], 0));
    for (int k = 0; k < 40; k++) {
      PetscCall(MatMult(M[k / 2 % 2], x[run][0], x[run][1]));
      PetscCall(MatMult(M[1 - k / 3 % 2], x[run][1], x[run][0]));
      PetscCall(VecScale(x[run][0], 1. / 16));
      if (k % 10 == 9) PetscCall(VecNorm(x[run][0], NORM_2, &norm));
    }
  }
  PetscCall(CheckVec(x[0][0], x[2][0], 40 * CHECK_TOLERANCE, "products of two matrices in turn"));
  PetscCall(VecEqual(x[0][0], x[1][0], &same));
  PetscCall(CheckTrue(same, "products of two matrices in turn, twice"));
  for (int run = 0; run < 3; run++)
    for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&x[run][k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vectors of one process are bound to the host; then all are of a type that lies there */
static PetscErrorCode OnHost(Mat A, Mat R)
{
  const PetscMPIInt rank = CheckRank(), size = CheckProcesses();
  Vec               x, y, h, xr, yr;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(A, &x, 9, &y, 0));
  PetscCall(CheckVecs(R, &xr, 9, &yr, 0));
  PetscCall(MatMult(R, xr, yr));
  for (int which = 1; which < 4; which++) {
    if (which & 1) PetscCall(VecBindToCPU(x, (PetscBool)(rank == size - 1)));
    if (which & 2) PetscCall(VecBindToCPU(y, (PetscBool)(rank == size - 1)));
    PetscCall(VecSet(y, 1.0));
    PetscCall(MatMult(A, x, y));
    PetscCall(CheckVec(y, yr, CHECK_TOLERANCE, "vectors of one process on the host"));
    PetscCall(VecBindToCPU(x, PETSC_FALSE));
    PetscCall(VecBindToCPU(y, PETSC_FALSE));
  }
  PetscCall(VecDuplicate(xr, &h));
  PetscCall(MatMult(A, xr, h));
  PetscCall(CheckVec(h, yr, CHECK_TOLERANCE, "vectors on the host"));
  PetscCall(MatMult(A, xr, y));
  PetscCall(CheckVec(y, yr, CHECK_TOLERANCE, "one vector on the host"));
  PetscCall(CheckDestroy(&h, &x, &y, &xr, &yr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another stream for every other product */
static PetscErrorCode Streams(Mat A[2], Mat R[2])
{
  PetscDeviceContext first, other;
  Vec                x[2], y[2], xr[2], yr[2];

  PetscFunctionBeginUser;
  PetscCall(PetscDeviceContextGetCurrentContext(&first));
  PetscCall(PetscDeviceContextCreate(&other));
  PetscCall(PetscDeviceContextSetStreamType(other, PETSC_STREAM_NONBLOCKING));
  PetscCall(PetscDeviceContextSetUp(other));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatCreateVecs(A[k], &x[k], &y[k]));
    PetscCall(MatCreateVecs(R[k], &xr[k], &yr[k]));
    PetscCall(CheckVecFill(x[k], 12 + k));
    PetscCall(CheckVecFill(xr[k], 12 + k));
    PetscCall(MatMult(A[k], x[k], y[k])); /* all arrays are where they are wanted */
    PetscCall(MatMult(R[k], xr[k], yr[k]));
    PetscCall(VecSet(y[k], 1.0));
  }
  PetscCall(PetscDeviceContextSynchronize(first));
  for (int round = 0; round < 20; round++)
    for (int k = 0; k < 2; k++) {
      PetscCall(PetscDeviceContextSetCurrentContext(k ? other : first));
      PetscCall(MatMult(A[k], x[k], y[k]));
    }
  PetscCall(PetscDeviceContextSynchronize(other));
  PetscCall(PetscDeviceContextSetCurrentContext(first));
  PetscCall(PetscDeviceContextSynchronize(first));
  for (int k = 0; k < 2; k++) PetscCall(CheckVec(y[k], yr[k], CHECK_TOLERANCE, "products on two streams"));
  PetscCall(PetscDeviceContextDestroy(&other));
  PetscCall(CheckDestroy(&x[0], &y[0], &xr[0], &yr[0], &x[1], &y[1], &xr[1], &yr[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrices come and go while their products run */
static PetscErrorCode Again(const Problem *p, Mat R)
{
  Vec x, y[2], xr, yr;
  Mat B[2];

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(R, &xr, 11, &yr, 0));
  PetscCall(MatMult(R, xr, yr));
  for (int k = 0; k < 100; k++) {
    for (int j = 0; j < 2; j++) PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, NULL, &B[j]));
    PetscCall(MatCreateVecs(B[0], &x, &y[0]));
    PetscCall(VecDuplicate(y[0], &y[1]));
    PetscCall(CheckVecFill(x, 11));
    for (int j = 0; j < 2; j++) PetscCall(MatMult(B[j], x, y[j]));
    for (int j = 0; j < 2; j++) PetscCall(MatDestroy(&B[j]));
    for (int j = 0; j < 2; j++) PetscCall(CheckVec(y[j], yr, CHECK_TOLERANCE, "of a matrix that is gone"));
    PetscCall(CheckDestroy(&x, &y[0], &y[1]));
  }
  PetscCall(CheckDestroy(&xr, &yr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows enough that some have no columns of others, in tiles between others; fewer entries in the second matrix */
static PetscErrorCode InAnyOrder(void)
{
  Mat A[2], R[2];

  PetscFunctionBeginUser;
  for (PetscInt bs = 1; bs < 4; bs += 2)
    for (PetscInt split = 0; split < 2; split++) {
      const Problem p[2] = {
        {.pattern = "gh",    .bs = bs, .rows = bs == 1 ? 3000 : 1200, .cols = bs == 1 ? 3000 : 1200, .split = split, .seed = 3},
        {.pattern = "wells", .bs = bs, .rows = bs == 1 ? 3000 : 1200, .cols = bs == 1 ? 3000 : 1200, .split = split, .seed = 4}
      };

      PetscCall(CheckWhere("two matrices, block size %" PetscInt_FMT ", split %" PetscInt_FMT, bs, split));
      for (int k = 0; k < 2; k++) {
        PetscCall(ProblemCreate(PETSC_COMM_WORLD, &p[k], NULL, &A[k]));
        PetscCall(ProblemCreate(PETSC_COMM_WORLD, &p[k], MATAIJ, &R[k]));
        PetscCall(CheckDevice(A[k]));
        PetscCall(CheckProducts(A[k], R[k], "many rows"));
        if (peers) PetscCall(CheckWay(A[k], PETSC_TRUE));
      }
      PetscCall(Interleaved(A, R));
      PetscCall(OnHost(A[0], R[0]));
      if (cuda) PetscCall(Streams(A, R));
      PetscCall(Late(A[0], R[0]));
      if (peers && bs == 1 && !split) PetscCall(TooLate(&p[0], R[0]));
      PetscCall(CheckDestroy(&A[0], &R[0], &A[1], &R[1]));
    }
  const Problem small = {.pattern = "gh", .bs = 1, .rows = 240, .cols = 240, .seed = 5};
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, &small, MATAIJ, &R[0]));
  PetscCall(Again(&small, R[0]));
  PetscCall(MatDestroy(&R[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(ExpectWay());
  PetscCall(InAnyOrder());
  return CheckFinish("ranks_order");
}

/*TEST
  # with -log_sync, which the harness sets, events wait for all processes, without a limit
  testset:
    args: -options_left 0 -log_sync 0 -mat_type {{bdiagh sellp}}
    nsize: {{2 4}}
    test:
      suffix: 1
    test:
      suffix: cuda
      requires: cuda
      args: -expect_cuda
    test:
      suffix: peer_cuda
      requires: cuda
      args: -heptane_comm peer -expect_cuda

  test:
    suffix: 2
    comments: quick
    args: -options_left 0 -log_sync 0 -mat_type bdiagh
    nsize: 2
    output_file: output/ranks_order_1.out
TEST*/

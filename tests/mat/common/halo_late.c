#include "halo_late.h"

PetscErrorCode Late(Mat A, Mat R)
{
  const PetscMPIInt rank = CheckRank(), size = CheckProcesses();
  Vec               x, y, xr, yr;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(R, &xr, 10, &yr, 0));
  PetscCall(CheckVecs(A, &x, 10, &y, 0));
  PetscCall(MatMult(R, xr, yr));
  for (int late = 0; late < 2; late++) { /* the first and the last process */
    PetscCall(VecSet(y, 1.0));
    PetscCall(MatMult(A, x, y));
    if (rank == late * (size - 1)) PetscCall(PetscSleep(0.2));
    for (int k = 0; k < 5; k++) PetscCall(MatMult(A, x, y));
    PetscCall(CheckVec(y, yr, CHECK_TOLERANCE, "after a process that was late"));
  }
  PetscCall(CheckDestroy(&x, &y, &xr, &yr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TooLate(const Problem *p, Mat R)
{
  const char *const limit = "-heptane_comm_timeout";
  PetscErrorCode    code[2];
  PetscMPIInt       rank = CheckRank(), size = CheckProcesses();
  Vec               x, y, xr, yr;
  Mat               B;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(R, &xr, 10, &yr, 0));
  PetscCall(MatMult(R, xr, yr));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, NULL, &B));
  PetscCall(CheckVecs(B, &x, 10, &y, 0));
  PetscCall(PetscOptionsSetValue(NULL, limit, "0.005")); /* a hundredth of what products wait */
  PetscCall(MatMult(B, x, y));
  PetscCall(PetscOptionsClearValue(NULL, limit));
  PetscCall(CheckVec(y, yr, CHECK_TOLERANCE, "before a process does not come"));
  if (rank == size - 1) PetscCall(PetscSleep(2.0));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code[0] = MatMult(B, x, y); /* he who is late may find the error of the others */
  if (!code[0]) {
    PetscCall(PetscSleep(1.0));
    code[0] = MatMult(B, x, y);
  }
  PetscCall(PetscPopErrorHandler());
  code[1] = -code[0];
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, code, 2, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(CheckTrue(code[0] == PETSC_ERR_LIB && code[1] == -PETSC_ERR_LIB, "an error where a process does not come"));
  PetscCall(VecDestroy(&x)); /* the error has left it locked */
  PetscCall(CheckDestroy(&y, &B));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, NULL, &B));
  PetscCall(CheckVecs(B, &x, 10, &y, 0));
  PetscCall(MatMult(B, x, y));
  PetscCall(CheckVec(y, yr, CHECK_TOLERANCE, "another matrix after an error"));
  PetscCall(CheckDestroy(&B, &x, &y, &xr, &yr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#include "objects.h"
#include <petscviewer.h>
#include <stdarg.h>

PetscMPIInt CheckProcesses(void)
{
  PetscMPIInt size;

  PetscCallMPIAbort(PETSC_COMM_WORLD, MPI_Comm_size(PETSC_COMM_WORLD, &size));
  return size;
}

PetscMPIInt CheckRank(void)
{
  PetscMPIInt rank;

  PetscCallMPIAbort(PETSC_COMM_WORLD, MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  return rank;
}

PetscBool CheckOption(const char name[])
{
  PetscBool on = PETSC_FALSE;

  PetscCallAbort(PETSC_COMM_WORLD, PetscOptionsGetBool(NULL, NULL, name, &on, NULL));
  return on;
}

const char *CheckText(const char format[], ...)
{
  static char texts[64][1200];
  static int  next = 0;
  char       *text = texts[next];
  va_list     values;

  next = (next + 1) % 64;
  va_start(values, format);
  (void)vsnprintf(text, sizeof(texts[0]), format, values);
  va_end(values);
  return text;
}

PetscErrorCode CheckViewText(PetscObject object, PetscViewerFormat format, char text[], size_t size)
{
  const char *const name = "check.view";
  PetscViewer       viewer;
  FILE             *file;
  size_t            got = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, name, &viewer));
  PetscCall(PetscViewerPushFormat(viewer, format));
  PetscCall(PetscObjectView(object, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  file = fopen(name, "r");
  if (file) got = fread(text, 1, size - 1, file);
  if (file) fclose(file);
  text[got] = 0;
  PetscCall(CheckRemove(name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ResidualNorm(Mat A, Vec x, Vec b, PetscReal *norm)
{
  Vec r;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, norm));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckKSPCreate(Mat A, KSPType type, PCType pc, PetscReal rtol, PetscInt most, KSP *ksp)
{
  PC own;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetType(*ksp, type));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPGetPC(*ksp, &own));
  if (pc) PetscCall(PCSetType(own, pc));
  PetscCall(KSPSetTolerances(*ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckKSPSolve(KSP ksp, Vec b, Vec x, PetscInt *its, KSPConvergedReason *reason)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSolve(ksp, b, x));
  if (its) PetscCall(KSPGetIterationNumber(ksp, its));
  if (reason) PetscCall(KSPGetConvergedReason(ksp, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckPCCreate(Mat A, PCType type, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), pc));
  PetscCall(PCSetType(*pc, type));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckMatCreate(MPI_Comm comm, PetscInt m, PetscInt M, PetscInt bs, MatType type, PetscBool options, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, m, m, M, M));
  if (bs) PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetType(*A, type));
  if (options) PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckAssemble(Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckDestroyAll(void *const objects[], size_t n)
{
  PetscFunctionBeginUser;
  for (size_t k = 0; k < n; k++) PetscCall(PetscObjectDestroy((PetscObject *)objects[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckRemove(const char name[])
{
  PetscMPIInt rank;
  char        info[64];

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscSNPrintf(info, sizeof(info), "%s.info", name));
  if (rank == 0) {
    (void)remove(name);
    (void)remove(info);
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#include "objects.h"
#include <petscviewer.h>

PetscMPIInt CheckProcesses(void)
{
  PetscMPIInt size;

  PetscCallMPIAbort(PETSC_COMM_WORLD, MPI_Comm_size(PETSC_COMM_WORLD, &size));
  return size;
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

#include "halo_way.h"

PetscBool peers = PETSC_FALSE, cuda = PETSC_FALSE;

PetscErrorCode ExpectWay(void)
{
  char        way[16] = "";
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-heptane_comm", way, sizeof(way), NULL));
  PetscCall(PetscStrcmp(way, "peer", &peers));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-expect_cuda", &cuda));
  peers = (PetscBool)(peers && cuda && size > 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckWay(Mat A, PetscBool expected)
{
  const char *const name = "ranks_order.view";
  static char       text[20000];
  PetscViewer       viewer;
  FILE             *file;
  size_t            got = 0;
  PetscMPIInt       rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, name, &viewer));
  PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
  PetscCall(MatView(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  file = fopen(name, "r");
  if (file) got = fread(text, 1, sizeof(text) - 1, file);
  if (file) fclose(file);
  text[got] = 0;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) (void)remove(name);
  PetscCall(CheckTrue((PetscBool)(got && (strstr(text, "the halo of products goes memory to memory") != NULL) == expected), "the way of the halo"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

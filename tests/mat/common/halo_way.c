#include "halo_way.h"

PetscBool peers = PETSC_FALSE, cuda = PETSC_FALSE;

PetscErrorCode ExpectWay(void)
{
  char              way[16] = "";
  const PetscMPIInt size    = CheckProcesses();

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-heptane_comm", way, sizeof(way), NULL));
  PetscCall(PetscStrcmp(way, "peer", &peers));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-expect_cuda", &cuda));
  peers = (PetscBool)(peers && cuda && size > 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckWay(Mat A, PetscBool expected)
{
  static char text[20000];

  PetscFunctionBeginUser;
  PetscCall(CheckViewText((PetscObject)A, PETSC_VIEWER_ASCII_INFO, text, sizeof(text)));
  PetscCall(CheckTrue(text[0] && (strstr(text, "halo of products: memory to memory") != NULL) == expected, "the way of the halo"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

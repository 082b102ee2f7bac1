/*
   Code of PETSc's that reads the compressed rows of somebody else's matrix past every operation and accessor: MATMAIJ, at each product, and factorisations by packages.
*/
#pragma once

#include <petscmat.h>

namespace heptane
{

/* Called once for each class of matrices: hooks on the creation of MATMAIJ */
PetscErrorCode HostReadersRegister();
/* Hooks on the packages that are there by now; called for each new matrix, since packages may be registered at any time */
PetscErrorCode HostReadersFindPackages();
/* *can: whether the values of this SeqAIJ matrix may be behind. Not while a MATMAIJ matrix reads them at its products. */
PetscErrorCode HostReaderOf(Mat block, PetscBool *can);

} // namespace heptane

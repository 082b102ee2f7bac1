/*
   MATMAIJ and MATKAIJ read the compressed rows of another matrix at each product, bypassing all operations and
   accessors.
*/
#pragma once

#include <petscmat.h>

namespace heptane
{

/* Called once for each class of matrices: hooks on the creation of these types */
PetscErrorCode MaijReadersRegister();
/* *can: whether the values of this SeqAIJ matrix may be out of date. Not while a matrix of these types reads them at
   its products. */
PetscErrorCode MaijReaderOf(Mat block, PetscBool *can);

} // namespace heptane

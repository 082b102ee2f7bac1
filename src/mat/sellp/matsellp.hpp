/*
   Common declarations of the glue files of MATSELLP.
*/
#pragma once

#include "../aij/derived.hpp"
#include "part.hpp"

namespace heptane
{

/* Registers the types (and root names) of MATSELLP */
PetscErrorCode MatSELLPRegister();
PetscErrorCode MatView_SELLP(Mat A, const DerivedMat *m, PetscViewer viewer);

} // namespace heptane

/*
   What the glue files of MATSELLP share.
*/
#pragma once

#include "../derived/derived.hpp"
#include "sellp_part.hpp"

namespace heptane
{

/* Registers the types (and root names) of MATSELLP */
PetscErrorCode MatSELLPRegister();
PetscErrorCode MatView_SELLP(Mat A, const DerivedMat *m, PetscViewer viewer);

} // namespace heptane

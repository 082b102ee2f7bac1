/*
   Common declarations of the glue files of MATBDIAGH.
*/
#pragma once

#include "../aij/derived.hpp"
#include "part.hpp"

namespace heptane
{

/* Registers the types (and root names) of MATBDIAGH */
PetscErrorCode MatBDIAGHRegister();
PetscErrorCode MatView_BDIAGH(Mat A, const DerivedMat *m, PetscViewer viewer);
PetscErrorCode MatDraw_BDIAGH(const LocalPart &part, PetscViewer viewer);

} // namespace heptane

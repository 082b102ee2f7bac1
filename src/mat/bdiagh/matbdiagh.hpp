/*
   What the glue files of MATBDIAGH share.
*/
#pragma once

#include "../derived/derived.hpp"
#include "bdiagh_part.hpp"

namespace heptane
{

/* Registers the types (and root names) of MATBDIAGH */
PetscErrorCode MatBDIAGHRegister();
/* Context, settings and up-to-date local part of the diagonal block of A; error if A is of another type */
PetscErrorCode MatBDIAGHGetPart(Mat A, DerivedMat **m, BdiaghPart **part);
PetscErrorCode MatView_BDIAGH(Mat A, PetscViewer viewer, PetscBool *done);

} // namespace heptane

/*
   PETSc's matrices and DM. mat/values/operation_table.hpp compares the operations of a matrix.
*/
#pragma once

#include "fields.hpp"
#include <petsc/private/dmimpl.h>
#include <petsc/private/matimpl.h>

HEPTANE_FIELD(_p_Mat, rmap, PetscLayout);
HEPTANE_FIELD(_p_Mat, cmap, PetscLayout);
HEPTANE_FIELD(_p_Mat, data, void *);
HEPTANE_FIELD(_p_Mat, nonzerostate, PetscObjectState);
HEPTANE_FIELD(_p_Mat, structure_only, PetscBool);
HEPTANE_FIELD(_p_Mat, erroriffailure, PetscBool);
HEPTANE_FIELD(_p_Mat, factorerrortype, MatFactorError);
HEPTANE_FIELD(_p_Mat, factorerror_zeropivot_value, PetscReal);
HEPTANE_FIELD(_p_Mat, factorerror_zeropivot_row, PetscInt);
HEPTANE_FIELD(_p_DM, mattype, MatType);
HEPTANE_FIELD(_DMOps, createinterpolation, PetscErrorCode (*)(DM, DM, Mat *, Vec *));

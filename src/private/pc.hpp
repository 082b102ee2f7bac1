/*
   PETSc's preconditioners.
*/
#pragma once

#include "fields.hpp"
#include <petsc/private/pcimpl.h>

HEPTANE_FIELD(_p_PC, mat, Mat);
HEPTANE_FIELD(_p_PC, pmat, Mat);
HEPTANE_FIELD(_p_PC, data, void *);
HEPTANE_FIELD(_p_PC, dm, DM);
HEPTANE_FIELD(_p_PC, setupcalled, PetscBool);
HEPTANE_FIELD(_p_PC, erroriffailure, PetscBool);
HEPTANE_FIELD(_p_PC, reusepreconditioner, PetscBool);
HEPTANE_FIELD(_p_PC, failedreason, PCFailedReason);
HEPTANE_FIELD(_p_PC, failedreasonrank, PCFailedReason);
HEPTANE_FIELD(_p_PC, presolvedone, PetscInt);
HEPTANE_FIELD(_PCOps, setup, PetscErrorCode (*)(PC));
HEPTANE_FIELD(_PCOps, apply, PetscErrorCode (*)(PC, Vec, Vec));
HEPTANE_FIELD(_PCOps, presolve, PetscErrorCode (*)(PC, KSP, Vec, Vec));
HEPTANE_FIELD(_PCOps, postsolve, PetscErrorCode (*)(PC, KSP, Vec, Vec));

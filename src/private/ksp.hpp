/*
   PETSc's solvers.
*/
#pragma once

#include "fields.hpp"
#include <petsc/private/kspimpl.h>

HEPTANE_FIELD(_p_KSP, pc, PC);
HEPTANE_FIELD(_p_KSP, vec_sol, Vec);
HEPTANE_FIELD(_p_KSP, vec_rhs, Vec);
HEPTANE_FIELD(_p_KSP, work, Vec *);
HEPTANE_FIELD(_p_KSP, nwork, PetscInt);
HEPTANE_FIELD(_p_KSP, its, PetscInt);
HEPTANE_FIELD(_p_KSP, max_it, PetscInt);
HEPTANE_FIELD(_p_KSP, rnorm, PetscReal);
HEPTANE_FIELD(_p_KSP, rtol, PetscReal);
HEPTANE_FIELD(_p_KSP, divtol, PetscReal);
HEPTANE_FIELD(_p_KSP, normtype, KSPNormType);
HEPTANE_FIELD(_p_KSP, pc_side, PCSide);
HEPTANE_FIELD(_p_KSP, reason, KSPConvergedReason);
HEPTANE_FIELD(_p_KSP, guess_zero, PetscBool);
HEPTANE_FIELD(_p_KSP, guess_knoll, PetscBool);
HEPTANE_FIELD(_p_KSP, guess_not_read, PetscBool);
HEPTANE_FIELD(_p_KSP, errorifnotconverged, PetscBool);
HEPTANE_FIELD(_p_KSP, cnvP, void *);
HEPTANE_FIELD(_KSPOps, setup, PetscErrorCode (*)(KSP));
HEPTANE_FIELD(_KSPOps, solve, PetscErrorCode (*)(KSP));

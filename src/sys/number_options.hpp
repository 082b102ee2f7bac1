/*
   Numeric options with bounds. An error names the option, the bounds and the meaning of the number, also if the text is
   no number or a whole number exceeds PetscInt.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/* The upper bound of a number without limit */
constexpr PetscReal no_bound = PETSC_MAX_REAL;

/* As PetscOptionsInt(), PetscOptionsReal() and their array forms; the value on entry is shown as the current one */
PetscErrorCode OptionInt(PetscOptionItems PetscOptionsObject, const char option[], const char text[], const char man[], PetscInt least, PetscInt most,
                         PetscInt *value, PetscBool *set = nullptr);
PetscErrorCode OptionReal(PetscOptionItems PetscOptionsObject, const char option[], const char text[], const char man[], PetscReal least, PetscReal most,
                          PetscReal *value, PetscBool *set = nullptr);
PetscErrorCode OptionIntArray(PetscOptionItems PetscOptionsObject, const char option[], const char text[], const char man[], PetscInt least, PetscInt most,
                              PetscInt value[], PetscInt *count, PetscBool *set = nullptr);
PetscErrorCode OptionRealArray(PetscOptionItems PetscOptionsObject, const char option[], const char text[], const char man[], PetscReal least, PetscReal most,
                               PetscReal value[], PetscInt *count, PetscBool *set = nullptr);

} // namespace heptane

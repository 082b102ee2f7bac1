/*
   Numbers of options. Each has bounds: an error names the option, the bounds and what the number means, also where the text is no number or a whole number is too large for a PetscInt.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/* The upper bound of a number that may be arbitrarily large */
constexpr PetscReal no_bound = PETSC_MAX_REAL;

/* As PetscOptionsInt(), PetscOptionsReal() and those of arrays; the value is the one that is shown as the current one too */
PetscErrorCode OptionInt(PetscOptionItems PetscOptionsObject, const char option[], const char text[], const char man[], PetscInt least, PetscInt most,
                         PetscInt *value, PetscBool *set = nullptr);
PetscErrorCode OptionReal(PetscOptionItems PetscOptionsObject, const char option[], const char text[], const char man[], PetscReal least, PetscReal most,
                          PetscReal *value, PetscBool *set = nullptr);
PetscErrorCode OptionIntArray(PetscOptionItems PetscOptionsObject, const char option[], const char text[], const char man[], PetscInt least, PetscInt most,
                              PetscInt value[], PetscInt *count, PetscBool *set = nullptr);
PetscErrorCode OptionRealArray(PetscOptionItems PetscOptionsObject, const char option[], const char text[], const char man[], PetscReal least, PetscReal most,
                               PetscReal value[], PetscInt *count, PetscBool *set = nullptr);

} // namespace heptane

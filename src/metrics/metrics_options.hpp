/*
   -heptane_metrics of a whole program: begun when heptane is registered, printed when PETSc ends.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/* Reads the options; collective. Reports errors in them before the program's work begins. */
PetscErrorCode MetricsBegin();
/* Prints and writes the collected metrics; collective; does nothing if metrics are off */
PetscErrorCode MetricsEnd();

} // namespace heptane

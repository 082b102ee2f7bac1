/*
   -heptane_metrics of a whole program: begun when heptane is registered, printed when PETSc ends.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/* Reads the options; collective. Errors name what is wrong with them, and that before the program's work begins. */
PetscErrorCode MetricsBegin();
/* Prints and writes what was collected; collective; nothing where metrics were not asked for */
PetscErrorCode MetricsEnd();

} // namespace heptane

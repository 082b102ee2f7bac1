/*
   Who answers what launches ask, in a program: nobody, a table from a file, a table that is measured now, or the model. Options, and the report.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/* Reads the options and files; collective. Errors name what is wrong with them, and that before the program's work begins. */
PetscErrorCode TuneBegin();
/* It is decided whether this run uses a GPU: measures, or chooses who answers. See DeviceWhenDecided(). */
PetscErrorCode TuneDevice(PetscBool usable);
/* Nobody answers any more */
PetscErrorCode TuneEnd();

} // namespace heptane

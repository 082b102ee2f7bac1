/*
   Answers to launchers: none, so that the compiled numbers are used, or the answers of the table of -heptane_tuning.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/* Reads the option and the file. Errors state the cause, before the program's work begins. */
PetscErrorCode TuneBegin();
/* It is decided whether this run uses a GPU, see DeviceWhenDecided(): a table of another GPU is an error */
PetscErrorCode TuneDevice(PetscBool usable);
PetscErrorCode TuneEnd();

} // namespace heptane

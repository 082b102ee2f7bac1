/*
   The model in a program: options, the figures of the machine when they are first asked for, what solves have to say, the report when PETSc ends.
*/
#pragma once

#include "advice.hpp"
#include <petscsys.h>

namespace heptane
{

/* Reads the options; collective. Errors name what is wrong with them, and that before the program's work begins. */
PetscErrorCode ModelBegin();
/* Prints and writes what was collected; collective; nothing where no advice was asked for */
PetscErrorCode ModelEnd();

/* Whether -heptane_advise was given */
bool ModelAdvises();
/* Read from a file, or measured now */
PetscErrorCode ModelMachine(const Machine **machine);
/* Iterations that a solver is expected to take which has not solved anything */
PetscInt ModelIterations();

/* A solve has run, on the device or on the host. work: how it found matrix and vectors, with the iterations that it has taken */
PetscErrorCode ModelSolved(const std::string &solver, const std::string &matrix, const std::string &pc, const SolveWork &work, bool device, double us);
/* It is about to run: says what is predicted, before the first of its kind */
PetscErrorCode ModelBeforeSolve(const std::string &solver, const std::string &matrix, const std::string &pc, const SolveWork &work);

} // namespace heptane

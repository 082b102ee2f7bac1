/*
   The solver that a candidate's names stand for.
*/
#pragma once
#include "spec.hpp"
#include <petscksp.h>

namespace bench
{

// With A, and a prefix of its own under which the variants are options; KSPSetFromOptions() is the caller's
PetscErrorCode spec_solver(MPI_Comm comm, const Spec &spec, int number, Mat A, KSP *ksp);

} // namespace bench

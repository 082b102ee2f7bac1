/*
   The solvers of the printed tables in bench/thesis.json on their problems. Knows names alone, no PETSc object.
*/
#pragma once
#include "plan.hpp"

namespace bench
{

// Jobs of the suites of thesis.hpp. Of thesis-laplace iterations are timed, of the others solves of five iterations with nothing new, as printed
PetscErrorCode add_thesis(const std::string &suite, bool device, PetscInt seed, std::vector<Job> *jobs);

} // namespace bench

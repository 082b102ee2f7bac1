/*
   What is measured: problems, and for each the solvers that are compared on it; from suites or from the command line.
   Knows names alone, no PETSc object.
*/
#pragma once
#include "../common/problem.hpp"
#include "../common/spec.hpp"

namespace bench
{

// One problem with its candidates
struct Job {
  ProblemList       problem; // exactly one
  std::vector<Spec> candidates;
  bool              iteration = false; // time an iteration
  bool              solve     = false; // time whole solves
  bool              solution  = false; // time set-up and solve to a tolerance
  PetscInt          unchanged = 0;     // time whole solves of as many iterations, with nothing new
};

// -suite, -sizes, -modes; or -candidates with -cases or -file, -values, -what. Suites that share a problem share one job.
PetscErrorCode jobs_from_options(bool device, std::vector<Job> *jobs);

} // namespace bench

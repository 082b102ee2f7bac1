/*
   Least squares with many dense matrices of one size: libheptane's, found in the libraries that PETSc has loaded, cuBLAS's gels batched, and LAPACK's gels one after another.
*/
#pragma once
#include "../common/bench.hpp"
#include "../common/results.hpp"

namespace bench
{

// How many matrices, of how many rows and columns
struct SystemSize {
  PetscInt count, m, n;
};

// "NxMxK,..."
PetscErrorCode systems_parse(const std::string &text, std::vector<SystemSize> *sizes);

// Times and checks all of them on matrices of one size; the lines go to -json, rows to the table (name, us, min, max, GB/s, % copy, x first, -, -, verified)
PetscErrorCode least_squares_run(Bench &run, const SystemSize &size, PetscInt seed, Table *table);

} // namespace bench

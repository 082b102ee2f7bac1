/*
   Arrays of a format on the host, as libraries take them that are called without PETSc.
*/
#pragma once
#include "../common/problem.hpp"
#include <vector>

namespace bench
{

struct HostFormat {
  std::vector<int>         offsets, columns;
  std::vector<PetscScalar> values;
};

// Blocks of b x b, row-major inside, zeros where the pattern has none; refuses what has no such blocks
PetscErrorCode block_format(const Problem &p, HostFormat *f);

} // namespace bench

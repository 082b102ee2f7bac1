/*
   The problems of the printed tables in bench/thesis.json: suites thesis-gh, thesis-widths, thesis-scaling and thesis-laplace. Knows no matrix type and no solver.
*/
#pragma once
#include "problem.hpp"

namespace bench
{

bool thesis_suite(const std::string &suite);

// The problems of a suite, without those of more nonzeros than -max_nnz; -diagonal_values says how many values a block diagonal of thesis-widths has, -sizes the
// edges of thesis-laplace.
// device: the sizes without these options are a GPU's. An error where options name other problems, or nothing is left.
PetscErrorCode thesis_problems(const std::string &suite, bool device, ProblemList *list);

} // namespace bench

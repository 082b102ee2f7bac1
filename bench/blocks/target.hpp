/*
   One matrix type whose diagonal blocks a preconditioner inverts or factors, or a library's inverses and factors of the blocks alone, with what is needed to check them.
*/
#pragma once
#include "../common/bench.hpp"
#include "../common/matrices.hpp"
#include "../common/reference.hpp"
#include "cublas_blocks.hpp"
#include <petscpc.h>
#include <memory>

namespace bench
{

// The blocks of a problem, row by row, and their product with the vector of fill_x
struct Blocks {
  PetscInt                 count, b, row_start;
  std::vector<PetscScalar> values, product;
};

struct Target {
  std::string                    name;
  std::string                    method; // of blockjacobireg; empty: pbjacobi, or what -pc_type says
  bool                           device = false;
  Mat                            A      = nullptr;
  PC                             pc     = nullptr;
  Vec                            z = nullptr, x = nullptr;
  std::shared_ptr<int>           factor = std::make_shared<int>(1); // of the matrix now, 1 or 2; shared with the matrix
  std::unique_ptr<LibraryBlocks> library;
};

void diagonal_blocks(const Problem &p, Blocks *d);

// Nothing but diagonal blocks: uniform in [-1, 1), diagonal entries larger by b, so that rounding stays small
PetscErrorCode problem_blocks(MPI_Comm comm, PetscInt cells, PetscInt b, PetscInt seed, Problem *p);

// Where t has a matrix already, that of another target with its factor, it is used
PetscErrorCode target_create(MPI_Comm comm, const Problem &p, const Blocks &d, Mat *base, Target *t);
PetscErrorCode target_destroy(Target *t);
// The same, checked, and what is timed of it; an error is left in *timed. t must outlive that.
void target_begin(MPI_Comm comm, const Problem &p, const Blocks &d, Mat *base, Target *t, Timed *timed, double *error);

// New values, where the type keeps them: twice the problem's and those again, in turns
PetscErrorCode target_before(Target *t);
PetscErrorCode target_call(Target *t);

// What is wrong with the answer after new values and a call; *error, the largest |inverse (block x) - x|, only grows
std::string target_check(const Blocks &d, Target *t, double *error);

} // namespace bench

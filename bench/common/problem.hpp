/*
   The matrices that benchmarks run on, as one rank's rows in CSR with global column indices. Knows PETSc's AIJ
   only to load a file; every matrix type is built from these arrays (matrices.hpp).
*/
#pragma once
#include <petscmat.h>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bench
{

// Arrays are left uninitialised: at 2M rows with block size 16 filling them twice would cost seconds
template <typename T>
using Array = std::unique_ptr<T[]>;

struct Problem {
  std::string        name;               // "gh", "gh-flow", "gh-spd", or the file's name
  std::string        shape;              // "64x64x64:8", or rows x columns
  PetscInt           block = 1;          // unknowns a cell
  PetscInt           rows = 0, cols = 0; // of this rank
  PetscInt           global_rows = 0, global_cols = 0;
  PetscInt           row_start  = 0; // first row of this rank
  PetscInt           nnz        = 0; // of this rank
  PetscInt64         global_nnz = 0;
  Array<PetscInt>    i, j; // i[rows + 1]; j[nnz] global, ascending in a row
  Array<PetscScalar> a;    // a[nnz]
  Array<PetscScalar> rhs;  // rhs[rows] of the file, null: rhs_value()
};

// One grid of the general hepta problem: J x H x I cells with b unknowns each; the cells of each of `wells` columns of I cells are coupled with one another.
// wrap: the last cell of a line or plane is coupled with the first of the next
struct Grid {
  PetscInt J, H, I, b, wells = 0;
  bool     wrap = false;
};

// Values of the general hepta problem. `general`: uniform in [-1, 1), each diagonal entry larger by 1 than the sum of its row's absolute
// values; solvers converge in a few iterations. `flow`: off the diagonal uniform in (-1, -0.1], each diagonal entry larger by 0.4 % than
// that sum; solvers take hundreds of iterations, whatever the size. `spd`: as flow, and symmetric, so positive definite.
enum class Values { general, flow, spd };

// A matrix of problem_pattern(): its name, edge of the grid or rows, unknowns a cell (0: its own)
struct Pattern {
  std::string name;
  PetscInt    n, b;
};

// What the command line asks for: `-suite gh`, `-suite matrices`, `-matrices NAME:n[:b],...`, `-cases JxHxI:b,...` with `-values V`, or `-file F [-file_block_size b] [-file_name n] [-file_rhs]`
struct ProblemList {
  std::vector<Grid>    grids;
  std::vector<Pattern> patterns;
  Values               values = Values::general;
  std::string          file, file_name;
  PetscInt             file_block = 0;
  PetscBool            file_rhs   = PETSC_FALSE; // the right-hand side lies behind the matrix
  PetscInt             seed       = 1;
  size_t               size() const { return file.empty() ? grids.size() + patterns.size() : 1; }
};

// "JxHxI:b,JxHxI:b+2w,JxHxI:b+wrap,...": the second with two wells, the third with couplings that wrap
PetscErrorCode grids_parse(const char *text, std::vector<Grid> *grids);

// "NAME:n,NAME:n:b,..."
PetscErrorCode patterns_parse(const char *text, std::vector<Pattern> *patterns);

// Without any of these options there are two small grids. gh_suite null: the program has suites of its own, -suite is not looked at, and
// what the caller had put into the list stays without -cases, -matrices or -file. matrices_suite null: there is no such suite.
PetscErrorCode problems_from_options(const char *gh_suite, const char *matrices_suite, ProblemList *list);
// The problem at a place of the list as a list of its own
ProblemList    problem_alone(const ProblemList &list, size_t index);
PetscErrorCode problem_make(MPI_Comm comm, const ProblemList &list, size_t index, Problem *p);

// General hepta: seven block diagonals, couplings that would wrap from one line or plane to the next dropped, unless the grid wants them. Cells are dealt to ranks in
// planes' order.
PetscErrorCode problem_general_hepta(MPI_Comm comm, const Grid &grid, Values values, PetscInt seed, Problem *p);

// An entry off the diagonal; a symmetric one depends on the unordered pair of row and column alone, others on the number of the entry
double problem_value(Values values, std::uint64_t seed, std::uint64_t row, std::uint64_t column, std::uint64_t entry);
// The diagonal entry of a row whose other entries have this sum of absolute values (general: and a random one in its place)
double problem_diagonal(Values values, double sum);

// Matrices that are no general hepta ones; whole cells are dealt to ranks in order
PetscErrorCode problem_pattern(MPI_Comm comm, const Pattern &pattern, Values values, PetscInt seed, Problem *p);

// A matrix in PETSc's binary format (MatView, or the reservoir example's -export); rhs: and the vector behind it
PetscErrorCode problem_load(MPI_Comm comm, const std::string &file, const std::string &name, PetscInt block, PetscBool rhs, Problem *p);

// Distinct block diagonals (in cells) that the pattern touches, ascending
PetscErrorCode problem_block_diagonals(const Problem &p, std::vector<PetscInt> *offsets);

} // namespace bench

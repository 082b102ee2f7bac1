/*
   One candidate at work: a KSP of PETSc or of a library that was loaded, set up by names and options alone.
*/
#pragma once
#include "../common/reference.hpp"
#include "plan.hpp"
#include <petscksp.h>
#include <cmath>

namespace bench
{

// A matrix with its vectors; all candidates of this type share it
struct Matrix {
  std::string type;
  Mat         A = nullptr;
  Vec         b = nullptr, x = nullptr, y = nullptr;
  PetscBool   device = PETSC_FALSE; // its vectors live there
  bool        scaled = false;       // holds twice the problem's values
  std::string error;                // why no candidate can use it
};

// What a fused solver says of itself in KSPView; NaN and empty where a KSP says nothing
struct FusedView {
  std::string mode;
  double      bytes_per_row = NAN, launches = NAN, waits = NAN; // of an iteration
  std::string precision;   // where mixed precision was asked for: what the last solve ran in, and why not or no longer in it
  int         updates = 0; // residuals in double precision of that solve
};

struct Solver {
  Spec        spec;
  Matrix     *matrix     = nullptr;
  KSP         ksp        = nullptr;
  PetscInt    fixed      = 0; // iterations of the timed solves
  PetscInt    done       = 0; // what PETSc counted in the last one
  PetscInt    iterations = 0; // of the checked solve
  double      residual   = NAN;
  double      setup_us   = NAN; // of time_to_solution
  FusedView   view;
  std::string error; // why it takes no part
};

PetscErrorCode matrix_create(MPI_Comm comm, const Problem &p, const std::string &type, Mat *base, Matrix *m);
PetscErrorCode matrix_destroy(Matrix *m);

// Type, variants and preconditioner, through options with a prefix of its own, `number`: no other solver of the program may have had it
PetscErrorCode solver_create(MPI_Comm comm, const Spec &spec, Matrix *m, int number, Solver *s);
PetscErrorCode solver_destroy(Solver *s);

// From now on a solve takes so many iterations: PETSc's own convergence test runs in each of them and is never met
PetscErrorCode solver_fix(Solver *s, PetscInt iterations);
PetscErrorCode solver_solve_fixed(Solver *s);

// New values of the matrix on the device, as a Newton step brings them, and a product that has all copies up to date: what the next
// solve does more than the last one is its set-up
PetscErrorCode solver_change_values(Solver *s);

// From now on a solve begins from zero and ends at this tolerance; solver_solve() is one, solver_setup() its set-up alone
PetscErrorCode solver_to(Solver *s, PetscReal rtol);
PetscErrorCode solver_solve(Solver *s);
PetscErrorCode solver_setup(Solver *s);

// A solve to a tolerance (0: 1e-8, in single precision 1e-4), its answer checked by a product in double precision on the host; an error where it is wrong
PetscErrorCode solver_check(MPI_Comm comm, const Problem &p, PetscReal rtol, double damage, Solver *s);

} // namespace bench

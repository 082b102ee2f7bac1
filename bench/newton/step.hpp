/*
   A Newton step of one candidate: new values into the matrix, the preconditioner's set-up, a solve from a zero guess; by PETSc's interface, names and options alone.
*/
#pragma once
#include "../common/coo.hpp"
#include "../common/device.hpp"
#include "../common/reference.hpp"
#include "../common/spec.hpp"
#include <petscksp.h>
#include <cmath>

namespace bench
{

// A matrix with its vectors; all candidates of this type share it
struct System {
  std::string        type;
  Mat                A = nullptr;
  Vec                b = nullptr, x = nullptr;
  PetscBool          device    = PETSC_FALSE;        // keeps its vectors, and so takes its values, on the device
  const PetscScalar *values[2] = {nullptr, nullptr}; // where it takes them: the problem's, and twice those, for every other step
  const Coo         *rows      = nullptr;            // MatSetValues() for each of its rows, from the host; null: COO
  std::string        error;                          // why no candidate can use it
};

// The parts of a step in their order
enum Phase { phase_values, phase_setup, phase_solve, phase_count };

struct Stepper {
  Spec                spec;
  System             *system     = nullptr;
  KSP                 ksp        = nullptr;
  int                 turn       = 0;                   // which values come next
  PetscInt            iterations = 0;                   // of the last step's solve
  double              residual = NAN, difference = NAN; // of the checks, the largest
  std::vector<double> seconds[phase_count];             // a number a timed step
  std::string         error;                            // why it takes no part
};

// A matrix of the pattern of coo, without values
PetscErrorCode system_create(MPI_Comm comm, const Problem &p, const std::string &type, const Coo &coo, System *s);
PetscErrorCode system_destroy(System *s);

// Of s->spec on s->system, with an options prefix of its own, `number`
PetscErrorCode stepper_create(MPI_Comm comm, int number, PetscReal rtol, Stepper *s);
PetscErrorCode stepper_destroy(Stepper *s);

// A whole step; an error where the solve does not converge
PetscErrorCode stepper_step(Stepper *s);

// The same, each part between two waits for the device; its seconds, on the slowest rank, are appended
PetscErrorCode stepper_step_timed(MPI_Comm comm, const DeviceInfo &device, Stepper *s);

// A step on the problem's values, its answer checked by a product in double precision on the host; then one to a tight tolerance whose answer is compared with that of the
// first candidate that came here, which is kept in `first`. An error where either is wrong. `damage` is added to the first entry of the right-hand side of the check.
PetscErrorCode stepper_check(MPI_Comm comm, const Problem &p, double damage, PetscReal rtol, std::vector<PetscScalar> *first, Stepper *s);

} // namespace bench

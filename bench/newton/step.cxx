/*
   Setting up, stepping and checking of one candidate.
*/
#include "step.hpp"
#include "../common/matrices.hpp"
#include "../common/spec_solver.hpp"
#include <petsctime.h>
#include <algorithm>

namespace bench
{

static constexpr bool      double_precision = sizeof(PetscReal) == 8;
static constexpr PetscReal tight_rtol       = double_precision ? 1e-9 : 1e-5;
static constexpr double    margin           = 10; // a solver's residual is that of its preconditioned system
static constexpr double    most_different =
  double_precision ? 1e-6 : 1e-2; // of two answers to tight_rtol: their residuals times the condition number of a time step's matrix

PetscErrorCode system_create(MPI_Comm comm, const Problem &p, const std::string &type, const Coo &coo, System *s)
{
  Array<PetscInt> i(new PetscInt[coo.n]), j(new PetscInt[coo.n]); // MatSetPreallocationCOO may change what it is given

  PetscFunctionBeginUser;
  std::copy_n(coo.i.get(), coo.n, i.get());
  std::copy_n(coo.j.get(), coo.n, j.get());
  PetscCall(matrix_empty(comm, p, type, &s->A));
  PetscCall(MatSetPreallocationCOO(s->A, coo.n, i.get(), j.get()));
  PetscCall(MatCreateVecs(s->A, &s->x, &s->b));
  PetscCall(fill_rhs(p, s->b));
  // exact; on a device it leaves b valid there alone, as a code that computes it there does: VecCopy() takes what both sides have from the host
  PetscCall(VecScale(s->b, 2));
  PetscCall(VecScale(s->b, 0.5));
  PetscCall(matrix_on_device(s->A, &s->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode system_destroy(System *s)
{
  PetscFunctionBeginUser;
  for (Vec *v : {&s->b, &s->x}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&s->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode stepper_create(MPI_Comm comm, int number, PetscReal rtol, Stepper *s)
{
  PetscFunctionBeginUser;
  PetscCall(spec_solver(comm, s->spec, number, s->system->A, &s->ksp));
  PetscCall(KSPSetTolerances(s->ksp, rtol, 0, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode stepper_destroy(Stepper *s)
{
  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(&s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_rows(Mat A, const Coo &coo, const PetscScalar v[])
{
  PetscFunctionBeginUser;
  for (PetscCount k = 0, end; k < coo.n; k = end) {
    for (end = k + 1; end < coo.n && coo.i[end] == coo.i[k];) end++;
    PetscCall(MatSetValues(A, 1, &coo.i[k], static_cast<PetscInt>(end - k), &coo.j[k], v + k, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode do_phase(Stepper *s, int phase)
{
  PC                 pc;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  switch (phase) {
  case phase_values:
    if (s->system->rows) PetscCall(set_rows(s->system->A, *s->system->rows, s->system->values[s->turn]));
    else PetscCall(MatSetValuesCOO(s->system->A, s->system->values[s->turn], INSERT_VALUES));
    break;
  case phase_setup:
    PetscCall(KSPGetPC(s->ksp, &pc));
    PetscCall(PCSetUp(pc));
    PetscCall(PCSetUpOnBlocks(pc)); // of block Jacobi, the factorisation
    break;
  default:
    PetscCall(KSPSolve(s->ksp, s->system->b, s->system->x));
    PetscCall(KSPGetConvergedReason(s->ksp, &reason));
    PetscCall(KSPGetIterationNumber(s->ksp, &s->iterations));
    PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "no convergence in %" PetscInt_FMT " iterations: %s", s->iterations,
               KSPConvergedReasons[reason]);
    s->turn = 1 - s->turn;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode stepper_step(Stepper *s)
{
  PetscFunctionBeginUser;
  for (int k = 0; k < phase_count; k++) PetscCall(do_phase(s, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode stepper_step_timed(MPI_Comm comm, const DeviceInfo &device, Stepper *s)
{
  PetscFunctionBeginUser;
  for (int k = 0; k < phase_count; k++) {
    PetscLogDouble begin, end;
    double         mine, slowest;

    PetscCall(device_synchronize(device));
    PetscCallMPI(MPI_Barrier(comm));
    PetscCall(PetscTime(&begin));
    PetscCall(do_phase(s, k));
    PetscCall(device_synchronize(device));
    PetscCall(PetscTime(&end));
    mine = end - begin;
    PetscCallMPI(MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm));
    s->seconds[k].push_back(slowest);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Largest difference of two answers over the largest entry of the first
static PetscErrorCode compare(MPI_Comm comm, Vec x, std::vector<PetscScalar> *first, double *difference)
{
  const PetscScalar *a;
  PetscInt           n;
  double             most[2] = {0, 0};

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  if (first->size() != static_cast<size_t>(n)) first->assign(a, a + n);
  for (PetscInt i = 0; i < n; i++) {
    const double d = std::fabs(static_cast<double>(a[i]) - static_cast<double>((*first)[i]));

    if (!(d <= most[0])) most[0] = std::isfinite(d) ? d : INFINITY;
    most[1] = std::fmax(most[1], std::fabs(static_cast<double>((*first)[i])));
  }
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, comm));
  *difference = most[0] / most[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_step(MPI_Comm comm, const Problem &p, double damage, PetscReal rtol, Stepper *s, double *residual)
{
  PetscFunctionBeginUser;
  s->turn = 0;
  PetscCall(poison(s->system->x)); // a solve must not start from what another one left
  PetscCall(KSPSetTolerances(s->ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(stepper_step(s));
  PetscCall(reference_residual(comm, p, s->system->x, damage, residual));
  PetscCheck(*residual <= margin * rtol, PETSC_COMM_SELF, PETSC_ERR_PLIB, "wrong answer: true residual %.3g where the solver says %g", *residual,
             static_cast<double>(rtol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode stepper_check(MPI_Comm comm, const Problem &p, double damage, PetscReal rtol, std::vector<PetscScalar> *first, Stepper *s)
{
  double   tight, residual, difference;
  PetscInt iterations;

  PetscFunctionBeginUser;
  PetscCall(check_step(comm, p, damage, rtol, s, &residual));
  iterations = s->iterations;
  PetscCall(check_step(comm, p, damage, PetscMin(rtol, tight_rtol), s, &tight));
  PetscCall(compare(comm, s->system->x, first, &difference));
  PetscCall(KSPSetTolerances(s->ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  s->iterations = iterations;
  s->residual   = std::fmax(residual, std::isnan(s->residual) ? 0 : s->residual);
  s->difference = std::fmax(difference, std::isnan(s->difference) ? 0 : s->difference);
  PetscCheck(difference <= most_different, PETSC_COMM_SELF, PETSC_ERR_PLIB, "wrong answer: it differs by %.3g from the first candidate's", difference);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

/*
   Setting up, solving and checking of one candidate.
*/
#include "solver.hpp"
#include "../common/matrices.hpp"
#include "../common/spec_solver.hpp"
#include <cstdio>
#include <cstdlib>

namespace bench
{

static constexpr bool      double_precision = sizeof(PetscReal) == 8;
static constexpr PetscReal check_rtol       = double_precision ? 1e-8 : 1e-4;
static constexpr double    check_limit      = 10; // times the tolerance, of the true residual: the solver's own is that of its preconditioned system
static constexpr PetscReal never_met        = double_precision ? 1e-200 : 1e-30;
static constexpr PetscInt  check_max_it     = 100000;
static constexpr PetscReal chebyshev_least =
  0.01; // of the largest eigenvalue: with PETSc's 0.1, for smoothers, its coefficients overflow after 1143 iterations

PetscErrorCode matrix_create(MPI_Comm comm, const Problem &p, const std::string &type, Mat *base, Matrix *m)
{
  PetscFunctionBeginUser;
  PetscCall(matrix_make(comm, p, type, base, &m->A));
  PetscCall(MatCreateVecs(m->A, &m->x, &m->b));
  PetscCall(VecDuplicate(m->b, &m->y));
  PetscCall(fill_rhs(p, m->b));
  PetscCall(matrix_on_device(m->A, &m->device));
  PetscCall(MatMult(m->A, m->b, m->y)); // whatever a type puts off until its first product is done
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode matrix_destroy(Matrix *m)
{
  PetscFunctionBeginUser;
  for (Vec *v : {&m->b, &m->x, &m->y}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&m->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solver_create(MPI_Comm comm, const Spec &spec, Matrix *m, int number, Solver *s)
{
  PetscFunctionBeginUser;
  s->spec   = spec;
  s->matrix = m;
  PetscCall(spec_solver(comm, spec, number, m->A, &s->ksp));
  PetscCall(KSPChebyshevEstEigSet(s->ksp, 0, chebyshev_least, 0, 1.1)); // nothing for other methods
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solver_destroy(Solver *s)
{
  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(&s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solver_fix(Solver *s, PetscInt iterations)
{
  PetscFunctionBeginUser;
  s->fixed = iterations;
  PetscCall(KSPSetTolerances(s->ksp, never_met, 0, PETSC_CURRENT, iterations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// pipecg counts and does one iteration more than it is allowed; without norms a solve of all its iterations has converged
PetscErrorCode solver_solve_fixed(Solver *s)
{
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(KSPSolve(s->ksp, s->matrix->b, s->matrix->x));
  PetscCall(KSPGetConvergedReason(s->ksp, &reason));
  PetscCall(KSPGetIterationNumber(s->ksp, &s->done));
  PetscCheck((reason == KSP_DIVERGED_ITS || reason == KSP_CONVERGED_ITS) && (s->done == s->fixed || s->done == s->fixed + 1), PETSC_COMM_SELF,
             PETSC_ERR_NOT_CONVERGED, "a solve of %" PetscInt_FMT " iterations ended after %" PetscInt_FMT ": %s (fewer: -iterations)", s->fixed, s->done,
             KSPConvergedReasons[reason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solver_to(Solver *s, PetscReal rtol)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetTolerances(s->ksp, rtol, 0, PETSC_CURRENT, check_max_it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solver_solve(Solver *s)
{
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(KSPSolve(s->ksp, s->matrix->b, s->matrix->x));
  PetscCall(KSPGetConvergedReason(s->ksp, &reason));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "no convergence: %s", KSPConvergedReasons[reason]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solver_setup(Solver *s)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSetUp(s->ksp));
  PetscCall(KSPSetUpOnBlocks(s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode scale(Matrix *m)
{
  PetscFunctionBeginUser;
  PetscCall(MatScale(m->A, m->scaled ? 0.5 : 2.0)); // exact, and never out of range
  m->scaled = !m->scaled;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solver_change_values(Solver *s)
{
  PetscFunctionBeginUser;
  PetscCall(scale(s->matrix));
  PetscCall(MatMult(s->matrix->A, s->matrix->b, s->matrix->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// What KSPView prints, on every rank
static PetscErrorCode view_text(KSP ksp, std::string *text)
{
  MPI_Comm    comm   = PetscObjectComm((PetscObject)ksp);
  char       *buffer = nullptr;
  size_t      size   = 0;
  PetscViewer viewer;
  PetscMPIInt rank;
  PetscInt    length;
  FILE       *memory = open_memstream(&buffer, &size);

  PetscFunctionBeginUser;
  PetscCheck(memory, PETSC_COMM_SELF, PETSC_ERR_SYS, "no memory for the text of KSPView");
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscViewerASCIIOpenWithFILE(comm, memory, &viewer));
  PetscCall(KSPView(ksp, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  fclose(memory);
  length = static_cast<PetscInt>(size);
  PetscCallMPI(MPI_Bcast(&length, 1, MPIU_INT, 0, comm));
  text->resize(length);
  if (!rank) text->assign(buffer, size);
  free(buffer);
  PetscCallMPI(MPI_Bcast(&(*text)[0], static_cast<PetscMPIInt>(length), MPI_CHAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Lines "fused: mode graph ...", "per iteration: 3 launches, ..., 152 bytes per row", "last solve: 20 iterations, 62 launches, 42 reductions, 3 host waits".
// Bytes are left out if some calls are not counted
static PetscErrorCode view_fused(KSP ksp, FusedView *view)
{
  std::string text;
  char        mode[32];
  double      bytes, iterations, launches, reductions, waits;

  PetscFunctionBeginUser;
  *view = FusedView();
  PetscCall(view_text(ksp, &text));
  const auto after = [&](const char *word) {
    const size_t place = text.find(word);

    return place == std::string::npos ? "" : text.c_str() + place;
  };
  if (sscanf(after("fused: mode "), "fused: mode %31[a-z]", mode) == 1) view->mode = mode;
  else if (*after("fused: twin")) view->mode = "twin";
  if (sscanf(after("per iteration: "), "per iteration: %*f launches, %*d reductions, %*f host waits, %lf bytes", &bytes) == 1 && !*after("not counted)"))
    view->bytes_per_row = bytes;
  if (sscanf(after("last solve: "), "last solve: %lf iterations, %lf launches, %lf reductions, %lf host waits", &iterations, &launches, &reductions, &waits) ==
        4 &&
      iterations > 0) {
    view->launches = launches / iterations;
    view->waits    = waits / iterations;
  }
  if (*after("precision: mixed")) view->precision = "mixed";
  const std::string left = after("precision: double: ");
  if (!left.empty()) view->precision += (view->precision.empty() ? "" : ", ") + left.substr(11, left.find('\n') - 11);
  (void)sscanf(after("residual in double precision: "), "residual in double precision: %d", &view->updates);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A solver without norms cannot tell when it has converged, and runs into zeros and NaN when it goes on for long: it does as many iterations as with norms
static PetscErrorCode solve_to_tolerance(KSP ksp, PetscReal rtol, Vec b, Vec x, KSPConvergedReason *reason)
{
  KSPNormType norm;
  PetscInt    iterations;

  PetscFunctionBeginUser;
  PetscCall(KSPSetTolerances(ksp, rtol, 0, PETSC_CURRENT, check_max_it));
  PetscCall(KSPGetNormType(ksp, &norm));
  if (norm == KSP_NORM_NONE) {
    PetscCall(KSPSetNormType(ksp, KSP_NORM_DEFAULT));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
    PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, iterations));
    PetscCall(poison(x));
  }
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, reason));
  if (norm == KSP_NORM_NONE && *reason == KSP_DIVERGED_ITS) *reason = KSP_CONVERGED_ITS; // it has no other end; the residual tells
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solver_check(MPI_Comm comm, const Problem &p, PetscReal rtol, double damage, Solver *s)
{
  const PetscReal    to = rtol > 0 ? rtol : check_rtol;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  if (s->matrix->scaled) PetscCall(scale(s->matrix));
  PetscCall(poison(s->matrix->x)); // a solve must not start from what another one left
  PetscCall(solve_to_tolerance(s->ksp, to, s->matrix->b, s->matrix->x, &reason));
  PetscCall(KSPGetIterationNumber(s->ksp, &s->iterations));
  PetscCall(view_fused(s->ksp, &s->view));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "no convergence to %g in %" PetscInt_FMT " iterations: %s", (double)to, s->iterations,
             KSPConvergedReasons[reason]);
  PetscCall(reference_residual(comm, p, s->matrix->x, damage, &s->residual));
  PetscCheck(s->residual <= check_limit * to, PETSC_COMM_SELF, PETSC_ERR_PLIB, "wrong answer: true residual %.3g where the solver says %g", s->residual,
             (double)to);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

/* Times, iterations and residuals of a run: gathered during the time steps, printed as a table, residual histories written as CSV. */
#include "reservoir.h"
#include <petscdevice.h>

static const char *const phase_name[PHASE_COUNT] = {"assembly (pattern)", "flow equations (host)", "value update", "preconditioner set-up", "solve"};

PetscErrorCode ReportCreate(MPI_Comm comm, const char history[], Report *r)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(r, sizeof(*r)));
  r->comm = comm;
  for (int p = 0; p < PHASE_COUNT; p++) PetscCall(PetscLogStageRegister(phase_name[p], &r->stage[p]));
  if (history[0]) {
    PetscCall(PetscFOpen(comm, history, "w", &r->history));
    PetscCall(PetscFPrintf(comm, r->history, "solve,step,update,iteration,residual\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportBegin(Report *r, Phase p)
{
  PetscFunctionBeginUser;
  PetscCall(PetscLogStagePush(r->stage[p]));
  PetscCall(PetscTime(&r->started));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ends the phase when its work is done: v, a vector of the type that the matrix works with, says whether a device has to finish first. */
PetscErrorCode ReportEnd(Report *r, Phase p, Vec v)
{
  PetscLogDouble     now;
  const PetscScalar *array;
  PetscMemType       memory;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayReadAndMemType(v, &array, &memory));
  PetscCall(VecRestoreArrayReadAndMemType(v, &array));
#if defined(PETSC_HAVE_DEVICE)
  if (PetscMemTypeDevice(memory)) {
    PetscDeviceContext device;

    PetscCall(PetscDeviceContextGetCurrentContext(&device));
    PetscCall(PetscDeviceContextSynchronize(device));
  }
#endif
  PetscCall(PetscTime(&now));
  r->seconds[p] += now - r->started;
  if (!r->calls[p]++) r->first[p] = now - r->started;
  PetscCall(PetscLogStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts a finished solve of A x = b, computes its true residual and writes its history. Collective. */
PetscErrorCode ReportSolve(Report *r, KSP ksp, Vec b, Vec x, PetscInt step, PetscInt update)
{
  Mat              A;
  Vec              w;
  PetscInt         iterations, n;
  PetscReal        norm, residual;
  const PetscReal *history;

  PetscFunctionBeginUser;
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(VecDuplicate(b, &w));
  PetscCall(MatResidual(A, b, x, w));
  PetscCall(VecNorm(w, NORM_2, &residual));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecDestroy(&w));
  r->solves++;
  r->iterations += iterations;
  if (r->solves == 1) r->first_iterations = iterations;
  r->worst_residual = PetscMax(r->worst_residual, residual / norm);
  PetscCall(
    PetscPrintf(r->comm, "    update %" PetscInt_FMT ": %4" PetscInt_FMT " iterations, true residual %.2e\n", update, iterations, (double)(residual / norm)));
  if (r->history) {
    PetscCall(KSPGetResidualHistory(ksp, &history, &n));
    for (PetscInt k = 0; k < n; k++)
      PetscCall(PetscFPrintf(r->comm, r->history, "%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ",%.8e\n", r->solves, step, update, k,
                             (double)history[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The table at the end: for every phase the longest time of any process, that of the first call by itself, which has work that is done once. Closes the history. Collective. */
PetscErrorCode ReportTable(Report *r, KSP ksp)
{
  Mat         A;
  PC          pc;
  MatType     mat_type;
  VecType     vec_type;
  KSPType     ksp_type;
  PCType      pc_type;
  PetscMPIInt size;
  double      seconds[2 * PHASE_COUNT], *first = seconds + PHASE_COUNT, total = 0;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(r->comm, &size));
  for (int p = 0; p < PHASE_COUNT; p++) {
    seconds[p] = r->seconds[p];
    first[p]   = r->first[p];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 2 * PHASE_COUNT, MPI_DOUBLE, MPI_MAX, r->comm));
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(MatGetType(A, &mat_type));
  PetscCall(MatGetVecType(A, &vec_type));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(PCGetType(pc, &pc_type));
  PetscCall(PetscPrintf(r->comm, "\nmatrix %s, vectors %s, solver %s, preconditioner %s, %d process%s\n", mat_type, vec_type, ksp_type, pc_type, size,
                        size > 1 ? "es" : ""));
  PetscCall(PetscPrintf(r->comm, "  %-24s %6s %11s %11s %11s\n", "", "calls", "seconds", "ms, first", "ms, further"));
  for (int p = 0; p < PHASE_COUNT; p++) {
    PetscCall(PetscPrintf(r->comm, "  %-24s %6" PetscInt_FMT " %11.4f %11.3f", phase_name[p], r->calls[p], seconds[p], 1e3 * first[p]));
    if (r->calls[p] > 1) PetscCall(PetscPrintf(r->comm, " %11.3f", 1e3 * (seconds[p] - first[p]) / (r->calls[p] - 1)));
    PetscCall(PetscPrintf(r->comm, "\n"));
    total += seconds[p];
  }
  PetscCall(PetscPrintf(r->comm, "  %-24s %6s %11.4f\n", "total", "", total));
  PetscCall(PetscPrintf(r->comm, "  %" PetscInt_FMT " solves, %" PetscInt_FMT " iterations (%.1f a solve, %.3f ms an iteration", r->solves, r->iterations,
                        (double)r->iterations / PetscMax(1, r->solves), 1e3 * seconds[PHASE_SOLVE] / PetscMax(1, r->iterations)));
  if (r->iterations > r->first_iterations)
    PetscCall(PetscPrintf(r->comm, "; behind the first solve %.3f", 1e3 * (seconds[PHASE_SOLVE] - first[PHASE_SOLVE]) / (r->iterations - r->first_iterations)));
  PetscCall(PetscPrintf(r->comm, "), largest true residual %.2e\n", (double)r->worst_residual));
  if (r->history) PetscCall(PetscFClose(r->comm, r->history));
  PetscFunctionReturn(PETSC_SUCCESS);
}

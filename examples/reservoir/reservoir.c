static char help[] = "Implicit time steps of a black-oil-like reservoir with 1 to 16 unknowns a cell; see docs/guide/reservoir.md.\n\
  -nc <n>  -grid <J,H,I>  -norne <folder>  or  -perm <file> -poro <file> -actnum <file>  -number all|active\n\n";

/* Main program: options, time steps, Newton updates. The matrix type, the solver and the preconditioner are PETSc options of the user's choice. */
#include "reservoir.h"

typedef struct {
  PetscInt  nc, steps, newton, slice_layer, export_update, systems; /* systems: linear ones so far */
  PetscBool export_mtx;
  PetscReal dt, newton_rtol, compare_tol;
  char      export_name[PETSC_MAX_PATH_LEN], residual_file[PETSC_MAX_PATH_LEN], slice_file[PETSC_MAX_PATH_LEN], solution_file[PETSC_MAX_PATH_LEN];
  char     *compare[2];
  PetscInt  compared;
} Run;

static PetscErrorCode RunGetOptions(MPI_Comm comm, Run *o)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->nc            = 3;
  o->steps         = 3;
  o->newton        = 5;
  o->dt            = 10;
  o->newton_rtol   = PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-6;
  o->compare_tol   = PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-5;
  o->compared      = 2;
  o->slice_layer   = -1;
  o->export_update = 1;
  o->export_mtx    = PETSC_TRUE;
  PetscOptionsBegin(comm, NULL, "Reservoir", NULL);
  PetscCall(PetscOptionsInt("-nc", "Unknowns per cell, 1 to 16", NULL, o->nc, &o->nc, NULL));
  PetscCall(PetscOptionsBoundedInt("-steps", "Time steps", NULL, o->steps, &o->steps, NULL, 1));
  PetscCall(PetscOptionsRangeReal("-dt", "Length of a time step in days", NULL, o->dt, &o->dt, NULL, 1e-6, 1e6));
  PetscCall(PetscOptionsBoundedInt("-newton", "Newton updates of a time step at most", NULL, o->newton, &o->newton, NULL, 1));
  PetscCall(PetscOptionsRangeReal("-newton_rtol", "Reduction of the flow equations' residual that ends a time step", NULL, o->newton_rtol, &o->newton_rtol,
                                  NULL, 0, 1));
  PetscCall(PetscOptionsString("-export", "Write a linear system to <name>.mtx and <name>.petsc", NULL, NULL, o->export_name, sizeof(o->export_name), NULL));
  PetscCall(PetscOptionsBoundedInt("-export_update", "Which one, counted from 1 over all time steps", NULL, o->export_update, &o->export_update, NULL, 1));
  PetscCall(PetscOptionsBool("-export_mtx", "Whether <name>.mtx is written", NULL, o->export_mtx, &o->export_mtx, NULL));
  PetscCall(
    PetscOptionsString("-residual_file", "Write the residual history of every solve as CSV", NULL, NULL, o->residual_file, sizeof(o->residual_file), NULL));
  PetscCall(PetscOptionsString("-slice_file", "Write the permeability of a layer as CSV", NULL, NULL, o->slice_file, sizeof(o->slice_file), NULL));
  PetscCall(
    PetscOptionsBoundedInt("-slice_layer", "Layer of -slice_file, the first is 0, the default is the middle", NULL, o->slice_layer, &o->slice_layer, NULL, -1));
  PetscCall(
    PetscOptionsString("-solution_file", "Write the last state in PETSc's binary format", NULL, NULL, o->solution_file, sizeof(o->solution_file), NULL));
  PetscCall(PetscOptionsStringArray("-compare", "Only compare two files of -solution_file", NULL, o->compare, &o->compared, NULL));
  PetscCall(PetscOptionsRangeReal("-compare_tol", "Relative difference that -compare allows", NULL, o->compare_tol, &o->compare_tol, NULL, 0, 1));
  PetscOptionsEnd();
  PetscCheck(o->nc >= 1 && o->nc <= RESERVOIR_MAX_UNKNOWNS, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-nc %" PetscInt_FMT ": a cell has one unknown for each phase or component, give 1 to %d", o->nc, RESERVOIR_MAX_UNKNOWNS);
  if (o->export_mtx) PetscCall(OutputCheckWritable(comm, "export", o->export_name, ".mtx"));
  PetscCall(OutputCheckWritable(comm, "export", o->export_name, ".petsc"));
  PetscCall(OutputCheckWritable(comm, "residual_file", o->residual_file, ""));
  PetscCall(OutputCheckWritable(comm, "slice_file", o->slice_file, ""));
  PetscCall(OutputCheckWritable(comm, "solution_file", o->solution_file, ""));
  PetscCheck(o->compared == 2 || o->compared == 0, comm, PETSC_ERR_ARG_SIZ, "-compare needs two files with a comma between them");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* BiCGSTAB with point-block Jacobi unless the options say otherwise. */
static PetscErrorCode CreateSolver(MPI_Comm comm, Mat A, KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(comm, ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, KSPBCGS));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCPBJACOBI));
  PetscCall(KSPSetTolerances(*ksp, PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-6, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetResidualHistory(*ksp, NULL, PETSC_DECIDE, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintProblem(const Run *o, const Grid *g, const Wells *w, const System *s)
{
  MatInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatGetInfo(s->A, MAT_GLOBAL_SUM, &info));
  PetscCall(PetscPrintf(g->comm,
                        "reservoir of %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " cells, %" PetscInt_FMT " of %" PetscInt_FMT
                        " active, %" PetscInt_FMT " unknown%s %s cell: %" PetscInt_FMT " rows, %.0f nonzeros\n",
                        g->nj, g->nh, g->ni, g->active, g->cells, o->nc, o->nc > 1 ? "s" : "", g->only_active ? "an active" : "a", g->numbered * o->nc,
                        (double)info.nz_used));
  PetscCall(PetscPrintf(g->comm,
                        "pore volume %.4g m3, %" PetscInt_FMT " well%s with %" PetscInt_FMT " perforations, %" PetscInt_FMT " time steps of %.6g days\n",
                        (double)g->pore_volume, w->n, w->n == 1 ? "" : "s", w->first[w->n], o->steps, (double)o->dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Preconditioner set-up and solve of A du = r, timed apart; a solve that does not converge is an error. */
static PetscErrorCode SolveUpdate(System *s, KSP ksp, Report *report, PetscInt step, PetscInt update)
{
  KSPConvergedReason reason;
  const char        *text;

  PetscFunctionBeginUser;
  PetscCall(ReportBegin(report, PHASE_PCSETUP));
  PetscCall(KSPSetOperators(ksp, s->A, s->A));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(ReportEnd(report, PHASE_PCSETUP, s->r));
  PetscCall(ReportBegin(report, PHASE_SOLVE));
  PetscCall(KSPSolve(ksp, s->r, s->du));
  PetscCall(ReportEnd(report, PHASE_SOLVE, s->du));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetConvergedReasonString(ksp, &text));
  PetscCheck(reason > 0, s->grid->comm, PETSC_ERR_NOT_CONVERGED,
             "step %" PetscInt_FMT ", update %" PetscInt_FMT ": the linear solve ended with %s; try a larger -ksp_max_it, another -pc_type, or a smaller -dt",
             step, update, text);
  PetscCall(ReportSolve(report, ksp, s->r, s->du, step, update));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One implicit time step: Newton updates with the same pattern and new values. */
static PetscErrorCode TimeStep(Run *o, System *s, KSP ksp, Report *report, PetscInt step)
{
  PetscReal norm, norm0 = 0;

  PetscFunctionBeginUser;
  PetscCall(SystemStartStep(s, o->dt));
  for (PetscInt update = 1;; update++) {
    PetscCall(ReportBegin(report, PHASE_VALUES));
    PetscCall(SystemComputeValues(s));
    PetscCall(ReportEnd(report, PHASE_VALUES, s->r));
    PetscCall(VecNorm(s->r, NORM_2, &norm));
    PetscCheck(!PetscIsInfOrNanReal(norm), s->grid->comm, PETSC_ERR_FP,
               "step %" PetscInt_FMT ": the flow equations' residual is not finite; try a smaller -dt or a smaller -well_rate", step);
    if (update == 1) norm0 = norm;
    if (norm <= o->newton_rtol * norm0 || update > o->newton) break;
    PetscCall(ReportBegin(report, PHASE_UPDATE));
    PetscCall(SystemUpdateMatrix(s));
    PetscCall(ReportEnd(report, PHASE_UPDATE, s->r));
    if (++o->systems == o->export_update && o->export_name[0]) PetscCall(OutputExport(o->export_name, o->export_mtx, s->A, s->r));
    PetscCall(SolveUpdate(s, ksp, report, step, update));
    PetscCall(SystemApplyUpdate(s));
  }
  PetscCall(PetscPrintf(s->grid->comm, "  step %" PetscInt_FMT " of %" PetscInt_FMT ", day %.6g: flow residual %.3e -> %.3e m3/day\n", step, o->steps,
                        (double)(step * o->dt), (double)norm0, (double)norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Simulate(MPI_Comm comm, Run *o)
{
  Grid   grid;
  Fluid  fluid;
  Wells  wells;
  System s;
  Report report;
  KSP    ksp;

  PetscFunctionBeginUser;
  PetscCall(ReportCreate(comm, o->residual_file, &report));
  PetscCall(GridCreate(comm, o->nc, &grid));
  PetscCall(FluidCreate(comm, o->nc, &fluid));
  PetscCall(WellsCreate(&grid, &wells));
  PetscCheck(o->slice_layer < grid.ni, comm, PETSC_ERR_ARG_OUTOFRANGE, "-slice_layer %" PetscInt_FMT ": the grid has the layers 0 to %" PetscInt_FMT,
             o->slice_layer, grid.ni - 1);
  if (o->slice_file[0]) PetscCall(OutputSlice(o->slice_file, o->slice_layer < 0 ? grid.ni / 2 : o->slice_layer, &grid));
  PetscCall(SystemCreate(&grid, &fluid, &wells, &s));
  PetscCall(ReportBegin(&report, PHASE_PATTERN));
  PetscCall(SystemPreallocate(&s));
  PetscCall(ReportEnd(&report, PHASE_PATTERN, s.r));
  PetscCall(PrintProblem(o, &grid, &wells, &s));
  PetscCall(CreateSolver(comm, s.A, &ksp));
  for (PetscInt step = 1; step <= o->steps; step++) PetscCall(TimeStep(o, &s, ksp, &report, step));
  PetscCall(ReportTable(&report, ksp));
  if (o->solution_file[0]) PetscCall(OutputSolution(o->solution_file, &s));
  PetscCheck(!o->export_name[0] || o->systems >= o->export_update, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-export_update %" PetscInt_FMT ": there were %" PetscInt_FMT " linear systems, nothing was exported", o->export_update, o->systems);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(SystemDestroy(&s));
  PetscCall(WellsDestroy(&wells));
  PetscCall(GridDestroy(&grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Run o;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(RunGetOptions(PETSC_COMM_WORLD, &o));
  if (o.compared) PetscCall(OutputCompare(PETSC_COMM_WORLD, o.compare[0], o.compare[1], o.compare_tol));
  else PetscCall(Simulate(PETSC_COMM_WORLD, &o));
  for (PetscInt k = 0; k < o.compared; k++) PetscCall(PetscFree(o.compare[k]));
  PetscCall(PetscFinalize());
  return 0;
}

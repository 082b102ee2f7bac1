static char help[] =
  "Random sequences of solves: systems, solvers, preconditioners, and what changes between solves. Each against PETSc's own solver and the true residual.\n"
  "  -first, -number: seeds; -solves: of each; -plain: PETSc's types alone; -refusals: prints errors that are allowed;\n"
  "  -brief: differences without the way to them; -way, -verbose: where a sequence is, for crashes; -errors: where errors come from\n";

#include "common/walk_check.h"

/* The solver has refused: what it was given is as before, and it goes on with another preconditioner */
static PetscErrorCode Refused(Walk *w, Solving *v, Vec x, Vec guess, PetscErrorCode code, PetscBool transpose, PetscBool *end)
{
  const PetscBool may   = (PetscBool)(v->s.pc >= REGISTERS);
  PetscBool       print = CheckOption("-refusals");
  PetscReal       distance;

  PetscFunctionBeginUser;
  PetscCall(Distance(x, guess, &distance));
  PetscCall(Check(w, (PetscBool)(distance == 0 || strstr(walk_error, "transpose")), "error, and the solution has changed"));
  PetscCall(Check(w, may, "error %d: %s", (int)code, walk_error));
  if (may && print)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "refused: seed %d, solve %d, %s%s: %s\n", (int)w->seed, (int)w->at, pc_names[v->s.pc],
                          transpose ? " transposed" : "", walk_error));
  *end = (PetscBool)!may;
  DrawNorm(&v->s);
  DrawTolerances(&v->s);
  PetscCall(DrawFused(w, &v->s));
  v->s.pc            = JACOBI;
  v->s.pc_options[0] = 0;
  PetscCall(MatDestroy(&v->P));
  if (strstr(walk_error, "transpose")) { /* an error within a solve leaves vectors locked */
    PetscCall(SolvingDestroy(v));
    PetscCall(SolvingCreate(w, v, v->prefix));
  }
  PetscCall(EstimateAnew(w, &v->s));
  if (!*end) PetscCall(UseSettings(w, v, PETSC_FALSE));
  PetscCall(Say(w, "refused; "));
  PetscCall(SaySettings(w, &v->s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solve with everything that is checked; end: an error that may not be */
static PetscErrorCode SolveOnce(Walk *w, Solving *v, PetscBool *end)
{
  static Outcome o, t;
  const PetscInt kind = Below(3), at = Below(12);
  Solve          a = {.w = w, .v = v};
  Vec            b, x, guess, y;
  KSP            twin = NULL;
  PetscErrorCode code;

  PetscFunctionBeginUser;
  a.transpose = (PetscBool)(at == 0 && v->s.pc != GRIDMG);
  PetscCall(MatCreateVecs(w->R, &guess, &a.b));
  PetscCall(VecDuplicate(a.b, &y));
  PetscCall(MatCreateVecs(w->A, &x, &b));
  PetscCall(DrawRightHandSide(w, a.b, &a.hard));
  PetscCall(Carry(a.b, b));
  PetscCall(CheckVecFill(guess, 50 + kind));
  if (kind == 2) PetscCall(VecSet(guess, 0.0));
  PetscCall(Carry(guess, x));
  PetscCall(Say(w, a.transpose ? "solve^T %c\n    " : "solve %c\n    ", v == w->of ? 'a' : 'b'));
  if (!v->P || !v->s.reuse) {
    PetscCall(MatDestroy(&v->P));
    PetscCall(MatDuplicate(w->R, MAT_COPY_VALUES, &v->P));
  }
  PetscCall(SolveWith(&a, v->ksp, b, x, &o, &code));
  if (code) PetscCall(Refused(w, v, x, guess, code, a.transpose, end));
  else {
    PetscCall(CheckClaim(&a, &o, x));
    PetscCall(WalkTwinSolve(&a, guess, y, &twin, &t));
    PetscCall(CheckTwin(&a, &o, &t, x, y));
    if (v->s.pc != GRIDMG && o.reason != KSP_DIVERGED_PC_FAILED) PetscCall(CheckPC(&a, twin));
    PetscCall(KSPDestroy(&twin));
  }
  PetscCall(KSPMonitorCancel(v->ksp));
  PetscCall(KSPSetResidualHistory(v->ksp, NULL, 0, PETSC_TRUE));
  PetscCall(CheckDestroy(&b, &x, &y, &guess, &a.b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product in between, which the solver's own must not disturb, nor it them */
static PetscErrorCode Product(Walk *w)
{
  Vec       x, y, xr, yr;
  PetscReal distance;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(w->A, &x, 5, &y, 0));
  PetscCall(CheckVecs(w->R, &xr, 5, &yr, 0));
  PetscCall(MatMult(w->A, x, y));
  PetscCall(MatMult(w->R, xr, yr));
  PetscCall(Distance(y, yr, &distance));
  PetscCall(Check(w, (PetscBool)(distance <= 1e-12), "MatMult is off by %g", (double)distance));
  PetscCall(CheckDestroy(&x, &y, &xr, &yr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Sequence(PetscInt seed, PetscInt solves, PetscBool plain)
{
  static Walk walk;
  Walk       *w   = &walk;
  PetscBool   end = PETSC_FALSE, print = CheckOption("-way");

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(w, sizeof(*w)));
  DrawFrom(seed);
  w->seed  = seed;
  w->plain = plain;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-brief", &w->brief));
  PetscCall(DrawSystem(&w->drawn, (PetscBool)OneIn(2)));
  PetscCall(WalkMatrix(w));
  for (int k = 0; k < 2; k++) {
    PetscCall(SolvingCreate(w, &w->of[k], k ? "b_" : "a_"));
    PetscCall(DrawSolver(w, &w->of[k].s));
    PetscCall(Say(w, "%c: ", k ? 'b' : 'a'));
    PetscCall(SaySettings(w, &w->of[k].s));
    PetscCall(UseSettings(w, &w->of[k], PETSC_FALSE));
  }
  for (w->at = 0; w->at < solves && !end; w->at++) {
    Solving *v = &w->of[OneIn(3)];

    if (w->at && OneIn(2)) PetscCall(StepMatrix(w));
    if (w->at && OneIn(7)) PetscCall(StepAnother(w));
    if (OneIn(6)) PetscCall(Product(w));
    if (w->at && !OneIn(3)) PetscCall(StepSolver(w, v));
    if (print) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n%s\n", w->matrix, w->way));
    PetscCall(SolveOnce(w, v, &end));
  }
  for (int k = 0; k < 2; k++) PetscCall(SolvingDestroy(&w->of[k]));
  PetscCall(CheckDestroy(&w->shell, &w->A, &w->R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  first = 0, number = 20, solves = 8;
  PetscBool plain = PETSC_FALSE, verbose = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-first", &first, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-number", &number, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-solves", &solves, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-plain", &plain, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-verbose", &verbose, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-errors", &walk_errors));
  for (PetscInt seed = first; seed < first + number; seed++) {
    if (verbose) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "seed %d\n", (int)seed));
    PetscCall(Sequence(seed, solves, plain));
  }
  if (check_failures) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d of %d checks failed\n", (int)check_failures, (int)check_count));
  PetscCall(PetscFinalize());
  return check_failures ? 1 : 0;
}

/*TEST
  testset:
    output_file: output/solver_sequence.out
    requires: double
    args: -options_left 0 -checkfunctionlist 0 -malloc_dump 0
    test:
      suffix: 1
      comments: quick
      args: -number 140
    test:
      suffix: groups
      nsize: {{2 3}}
      args: -heptane_groups 2 -first 20000 -number 20
    # slices of sellp whose rows are all empty
    test:
      suffix: empty_slices
      args: -first 50164 -number 8
    test:
      suffix: plain
      args: -plain -first 30000 -number 40
    test:
      suffix: mpi
      nsize: {{2 3}}
      args: -heptane_test_comm_check -heptane_comm mpi -first 20000 -number 60
    test:
      suffix: peer
      nsize: {{2 4}}
      args: -heptane_test_comm_check -heptane_comm peer -first 20100 -number 40
    test:
      suffix: cuda
      requires: cuda
      args: -first 40000 -number 40 -expect_cuda
    test:
      suffix: 2_cuda
      requires: cuda
      nsize: 2
      args: -heptane_test_comm_check -heptane_comm peer -first 40100 -number 20 -expect_cuda
TEST*/

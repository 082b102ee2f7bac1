#include "view.h"

PetscErrorCode Look(KSP ksp, Plan *p)
{
  char      lines[sizeof(p->text)], *line, *end, places[32];
  PetscBool in_steps = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  PetscCall(CheckViewText((PetscObject)ksp, PETSC_VIEWER_ASCII_INFO_DETAIL, p->text, sizeof(p->text)));
  PetscCall(PetscArraycpy(lines, p->text, sizeof(lines)));
  for (line = lines; line && *line; line = end ? end + 1 : NULL) {
    end = strchr(line, '\n');
    if (end) *end = 0;
    if (sscanf(line, " fused: mode %31s on the %31[a-z], convergence tested every %d iteration", p->mode, places, &p->interval) == 3) p->fused = PETSC_TRUE;
    if (strstr(line, "convergence not tested") && sscanf(line, " fused: mode %31s on the %31[a-z],", p->mode, places) == 2) p->fused = PETSC_TRUE;
    (void)sscanf(line, " per iteration: %lf launches, %d reductions, %lf host waits, %lf bytes per row", &p->launches, &p->reductions, &p->waits, &p->bytes);
    if (sscanf(line, " passes per iteration: %d fused", &p->kernels) == 1) in_steps = PETSC_TRUE;
    else if (in_steps && (strstr(line, "preconditioner not in the passes") || strstr(line, "not folded") || strstr(line, "maximum iterations")))
      in_steps = PETSC_FALSE;
    else if (in_steps) p->steps += strncmp(line + strspn(line, " "), "call: ", 6) != 0;
    (void)sscanf(line, " last solve: %ld iterations, %ld launches, %ld reductions, %ld host waits", &p->its, &p->all_launches, &p->all_reductions,
                 &p->all_waits);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LookAtSolve(Mat A, Vec b, const char options[], Plan *p, PetscBool *persistent)
{
  KSP ksp;
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Look(ksp, p));
  PetscCall(PetscStrcmp(p->mode, "persistent", persistent));
  PetscCall(CheckDestroy(&ksp, &x));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckGroups(KSP ksp, PetscBool wanted, const char what[])
{
  static Plan plan;

  PetscFunctionBeginUser;
  PetscCall(Look(ksp, &plan));
  PetscCall(CheckTrue((PetscBool)((strstr(plan.text, "groups: ") != NULL) == wanted), what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

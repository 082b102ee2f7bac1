#include "nest.h"

static PetscErrorCode DoDeed(Mat A, Other *o, PetscInt it)
{
  const PetscScalar more = 2;
  PetscInt          lo, hi;

  PetscFunctionBeginUser;
  if (o->deed == SOLVES) PetscCall(KSPSolve(o->inner, o->b, o->x));
  if (it != 2) PetscFunctionReturn(PETSC_SUCCESS);
  if (o->deed == SCALES) PetscCall(MatScale(A, 0.75));
  if (o->deed == SETS) {
    PetscCall(MatGetOwnershipRange(A, &lo, &hi));
    for (PetscInt i = lo; i < hi; i++) PetscCall(MatSetValues(A, 1, &i, 1, &i, &more, ADD_VALUES));
    PetscCall(CheckAssemble(A));
  }
  if (o->deed == FORMATS) {
    PetscCall(OptionsSwitch("-mat_sellp_block_size 1 -mat_sellp_slice 64 -mat_bdiagh_block_size 1", PETSC_TRUE));
    PetscCall(MatSetFromOptions(A));
    PetscCall(OptionsSwitch("-mat_sellp_block_size 1 -mat_sellp_slice 64 -mat_bdiagh_block_size 1", PETSC_FALSE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Monitor(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  Mat A;

  PetscFunctionBeginUser;
  (void)norm;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(DoDeed(A, (Other *)ctx, it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ShellApply(PC pc, Vec x, Vec y)
{
  Other *o;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &o));
  PetscCall(KSPSolve(o->inner, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ShellApplyTranspose(PC pc, Vec x, Vec y)
{
  Other *o;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &o));
  PetscCall(KSPSolveTranspose(o->inner, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode InnerCreate(const char type[], Nest *n)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(n->A, &n->other.b, 5, &n->other.x, 0));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &n->other.inner));
  PetscCall(KSPSetOptionsPrefix(n->other.inner, "other_"));
  PetscCall(KSPSetOperators(n->other.inner, n->A, n->A));
  PetscCall(KSPSetType(n->other.inner, type));
  PetscCall(KSPSetTolerances(n->other.inner, 1e-1, PETSC_CURRENT, PETSC_CURRENT, 8));
  PetscCall(KSPGetPC(n->other.inner, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetFromOptions(n->other.inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NestCreate(const System *s, const char type[], Deed deed, PetscBool shell, Nest *n)
{
  PC pc;

  PetscFunctionBeginUser;
  n->other.deed = deed;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, s, &n->A));
  if (TwinIs(KSPCG)) PetscCall(MatSetOption(n->A, MAT_SPD, PETSC_TRUE));
  PetscCall(InnerCreate(type, n));
  PetscCall(CheckKSPCreate(n->A, type, NULL, PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-6, deed > SOLVES ? 5 : 60, &n->ksp));
  if (shell) {
    PetscCall(KSPGetPC(n->ksp, &pc));
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetContext(pc, &n->other));
    PetscCall(PCShellSetApply(pc, ShellApply));
    PetscCall(PCShellSetApplyTranspose(pc, ShellApplyTranspose));
  }
  if (deed) PetscCall(KSPMonitorSet(n->ksp, Monitor, &n->other, NULL));
  PetscCall(KSPSetFromOptions(n->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NestDestroy(Nest *n)
{
  return CheckDestroy(&n->ksp, &n->other.inner, &n->other.b, &n->other.x, &n->A);
}

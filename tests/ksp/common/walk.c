#include "walk.h"
#include <petscsys.h>

PetscErrorCode Say(Walk *w, const char format[], ...)
{
  va_list list;
  size_t  n;
  char   *end;

  PetscFunctionBeginUser;
  PetscCall(PetscStrlen(w->way, &n));
  if (n > sizeof(w->way) - 700) { /* the last steps say most */
    PetscCall(PetscMemmove(w->way, w->way + n / 2, n - n / 2 + 1));
    n -= n / 2;
  }
  end = w->way + n;
  va_start(list, format);
  PetscCall(PetscVSNPrintf(end, sizeof(w->way) - n, format, NULL, list));
  va_end(list);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Check(Walk *w, PetscBool good, const char format[], ...)
{
  va_list list;
  char    text[512];

  PetscFunctionBeginUser;
  check_count++;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &good, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  if (good) PetscFunctionReturn(PETSC_SUCCESS);
  va_start(list, format);
  PetscCall(PetscVSNPrintf(text, sizeof(text), format, NULL, list));
  va_end(list);
  if (check_failures++ > 20) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "differs: seed %d, solve %d: %s\n", (int)w->seed, (int)w->at, text));
  if (!w->brief) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %s\n  %s\n", w->matrix, w->way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Carry(Vec x, Vec y)
{
  const PetscScalar *a;
  PetscScalar       *b;
  PetscInt           n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayWrite(y, &b));
  PetscCall(PetscArraycpy(b, a, n));
  PetscCall(VecRestoreArrayWrite(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShellApply(PC pc, Vec x, Vec y)
{
  Walk              *w;
  const PetscScalar *a, *d;
  PetscScalar       *b;
  PetscInt           n;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &w));
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(w->shell, &d));
  PetscCall(VecGetArrayWrite(y, &b));
  for (PetscInt i = 0; i < n; i++) b[i] = a[i] * d[i];
  PetscCall(VecRestoreArrayWrite(y, &b));
  PetscCall(VecRestoreArrayRead(w->shell, &d));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ShellMake(Walk *w)
{
  PetscScalar *d;
  PetscInt     n;

  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&w->shell));
  PetscCall(MatCreateVecs(w->R, &w->shell, NULL));
  PetscCall(MatGetDiagonal(w->R, w->shell));
  PetscCall(VecGetLocalSize(w->shell, &n));
  PetscCall(VecGetArray(w->shell, &d));
  for (PetscInt i = 0; i < n; i++) d[i] = (i % 3 ? 1 : 0.9) / (d[i] != 0.0 ? d[i] : 1);
  PetscCall(VecRestoreArray(w->shell, &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   One or two solvers on their way through random steps: what they are set to, in what they were last set up with, and the text of the way so far.
*/
#pragma once

#include "drawn.h"
#include <petscksp.h>

typedef enum { CG, BCGS, BICG, CHEBYSHEV, SOLVERS } Solver;

typedef enum { NONE, JACOBI, PBJACOBI, BJACOBI, SHELL, REGISTERS, GRIDMG, PCS } Preconditioner;

static const char *const solver_names[SOLVERS][2] = {
  {"fusedcg",        KSPCG       },
  {"fusedbcgs",      KSPBCGS     },
  {"fusedbicg",      KSPBICG     },
  {"fusedchebyshev", KSPCHEBYSHEV}
};
static const char *const pc_names[PCS] = {PCNONE, PCJACOBI, PCPBJACOBI, PCBJACOBI, PCSHELL, "blockjacobireg", "gridmg"};

/* What a solver is set to */
typedef struct {
  Solver         solver;
  Preconditioner pc;
  KSPNormType    norm;
  PCSide         side;
  PetscReal      rtol, atol;
  PetscInt       most, least, check_from; /* iterations; from which on norms are formed */
  PetscBool      guess, knoll, reuse;
  PetscInt       monitor; /* 0 none, 1 norms, 2 reads the solution, 3 the residual */
  PetscInt       test;    /* 0 PETSc's, 1 of the program, 2 of the program, reads the iterate */
  PetscBool      mixed;
  char           pc_options[256], options[128], fused[384]; /* the latter of the fused types alone */
} Settings;

typedef struct {
  KSP       ksp;
  Settings  s;
  PetscBool given;                /* eigenvalues */
  Mat       P;                    /* in AIJ, what the preconditioner was set up with; or NULL */
  char      prefix[8], set[1024]; /* names of options that are set */
} Solving;

typedef struct {
  PetscInt  seed, at;
  PetscBool brief;     /* differences without the way to them */
  PetscBool plain;     /* PETSc's types alone */
  PetscBool symmetric; /* and positive definite, as it is now */
  PetscBool nice;      /* as the system was drawn, without wild values: multigrid has to converge */
  PetscBool coo;       /* MatSetValuesCOO() takes the values of the system drawn */
  Drawn     drawn;
  Mat       A, R; /* of the type under test, and in AIJ on the host */
  Solving   of[2];
  char      matrix[512], way[4096];
  Vec       shell; /* what the shell multiplies with */
} Walk;

static inline PetscErrorCode Say(Walk *w, const char format[], ...)
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

/* One check, which must hold on all processes; prints seed and way where it does not */
static inline PetscErrorCode Check(Walk *w, PetscBool good, const char format[], ...)
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

/* The values of x, whatever type it and y have */
static inline PetscErrorCode Carry(Vec x, Vec y)
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

/* Inverse diagonal of R, other than Jacobi by a factor that differs from row to row */
static inline PetscErrorCode ShellApply(PC pc, Vec x, Vec y)
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

static inline PetscErrorCode ShellMake(Walk *w)
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

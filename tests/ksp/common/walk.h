/*
   One or two solvers on their way through random steps: what they are set to, in what they were last set up with, and the text of the way so far.
*/
#pragma once

#include "drawn.h"
#include "../../mat/common/check.h"

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

PetscErrorCode Say(Walk *w, const char format[], ...);

/* One check, which must hold on all processes; prints seed and way where it does not */
PetscErrorCode Check(Walk *w, PetscBool good, const char format[], ...);

/* The values of x, whatever type it and y have */
PetscErrorCode Carry(Vec x, Vec y);

/* Inverse diagonal of R, other than Jacobi by a factor that differs from row to row */
PetscErrorCode ShellApply(PC pc, Vec x, Vec y);

PetscErrorCode ShellMake(Walk *w);

#include "solve.h"

/* z = D r with a diagonal of the test's own, as a user's preconditioner would */
static PetscErrorCode ShellApply(PC pc, Vec r, Vec z)
{
  Vec d;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &d));
  PetscCall(VecPointwiseMult(z, d, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetShell(KSP ksp, void *ctx)
{
  PC        pc;
  PetscBool shell;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSHELL, &shell));
  if (!shell) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCShellSetApply(pc, ShellApply));
  PetscCall(PCShellSetApplyTranspose(pc, ShellApply));
  PetscCall(PCShellSetContext(pc, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Preconditioners by the name given to -pc */
static const struct {
  const char *name, *options;
  PetscBool   transposed; /* applies transposed, as bicg needs */
} pcs[] = {
  {"none",     "-pc_type none",                                    PETSC_TRUE },
  {"jacobi",   "-pc_type jacobi",                                  PETSC_TRUE },
  {"rowmax",   "-pc_type jacobi -pc_jacobi_type rowmax",           PETSC_TRUE },
  {"rowsum",   "-pc_type jacobi -pc_jacobi_type rowl1",            PETSC_TRUE },
  {"abs",      "-pc_type jacobi -pc_jacobi_abs",                   PETSC_TRUE },
  {"pbjacobi", "-pc_type pbjacobi",                                PETSC_TRUE },
  {"shell",    "-pc_type shell",                                   PETSC_TRUE },
  {"bjacobi",  "-pc_type bjacobi -sub_pc_type ilu",                PETSC_TRUE },
  {"sor",      "-pc_type sor -pc_sor_local_symmetric",             PETSC_FALSE},
  {"asm",      "-pc_type asm -sub_pc_type ilu -pc_asm_type basic", PETSC_TRUE },
};

/* The norms of each built-in, with the side that goes with it; bicg without norms: control.c */
static const char *const norms[][4] = {
  {"-ksp_norm_type preconditioned", "-ksp_norm_type unpreconditioned",                    "-ksp_norm_type none -ksp_max_it 9", "-ksp_norm_type natural"},
  {"-ksp_norm_type preconditioned", "-ksp_pc_side right -ksp_norm_type unpreconditioned", "-ksp_norm_type none -ksp_max_it 9",
   "-ksp_pc_side right -ksp_norm_type none -ksp_max_it 9"                                                                                              },
  {"-ksp_norm_type preconditioned", "-ksp_norm_type unpreconditioned",                    NULL,                                NULL                    },
};

static PetscErrorCode CompareAll(const System *s, PetscInt npcs, char **names, PetscBool every_norm)
{
  const int method = TwinIs(KSPCG) ? 0 : (TwinIs(KSPBCGS) ? 1 : 2);
  Mat       A;
  Vec       b, d;

  PetscFunctionBeginUser;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, s, &A));
  PetscCall(CheckVecs(A, &b, 5, &d, 0));
  PetscCall(MatGetDiagonal(A, d));
  PetscCall(VecReciprocal(d));
  for (PetscInt k = 0; k < npcs; k++)
    for (int norm = 0; norm < (every_norm ? 4 : 1); norm++) {
      size_t pc = 0;

      for (PetscBool same = PETSC_FALSE; !same; pc += !same) {
        PetscCheck(pc < PETSC_STATIC_ARRAY_LENGTH(pcs), PETSC_COMM_WORLD, PETSC_ERR_USER, "-pc: %s is not in the list", names[k]);
        PetscCall(PetscStrcmp(pcs[pc].name, names[k], &same));
      }
      if ((method == 2 && !pcs[pc].transposed) || !norms[method][norm]) continue;
      PetscCall(CompareSolver(s, A, A, b, NULL, CheckText("%s %s", pcs[pc].options, norms[method][norm]), KSPSolve, SetShell, d));
    }
  PetscCall(CheckDestroy(&b, &d, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve(void)
{
  PetscInt  cells[16] = {1, 31, 32, 33, 255, 256, 257}, bs[8] = {1, 3}, splits[3] = {0}, ncells = 16, nbs = 8, nsplits = 3, npcs = 16;
  char     *names[16];
  PetscBool given, every_norm = CheckOption("-every_norm");

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-cells", cells, &ncells, &given));
  if (!given) ncells = 7;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-bs", bs, &nbs, &given));
  if (!given) nbs = 2;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-split", splits, &nsplits, &given));
  if (!given) nsplits = 1;
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-pc", names, &npcs, NULL));
  for (PetscInt k = 0; k < ncells; k++)
    for (PetscInt b = 0; b < nbs; b++)
      for (PetscInt p = 0; p < nsplits; p++) {
        const System s = {.kind = "grid", .cells = cells[k], .bs = bs[b], .split = splits[p], .seed = 1 + k, .symmetric = TwinIs(KSPCG)};

        PetscCall(CompareAll(&s, npcs, names, every_norm));
      }
  for (PetscInt k = 0; k < npcs; k++) PetscCall(PetscFree(names[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

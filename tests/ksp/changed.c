static char help[] =
  "What a fused solver keeps from solve to solve is not used where it does not hold any more: values changed behind the matrix's back, other formats, resets.\n";

#include "common/pair.h"
#include "common/view.h"

static PetscErrorCode BlockArray(Pair *p)
{
  PetscInt minor;

  PetscFunctionBeginUser;
  PetscCall(CheckScaleDiagonal(p->A, 1, 3));
  PetscCall(PetscGetVersionNumber(NULL, &minor, NULL, NULL));
  if (minor < 26) PetscCall(KSPSetOperators(p->ksp[1], p->A, p->A)); /* else PETSc's Chebyshev keeps its estimates */
  p->scale = 0;                                                      /* another system */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Format(Pair *p, const char options[])
{
  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(MatSetFromOptions(p->A));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OtherFormat(Pair *p)
{
  return Format(p, "-mat_sellp_block_size 1 -mat_sellp_slice 64 -mat_sellp_sort_window 256 -mat_bdiagh_block_size 1");
}

static PetscErrorCode FormatAgain(Pair *p)
{
  return Format(p, "-mat_sellp_block_size 0 -mat_sellp_slice 32 -mat_sellp_sort_window 32 -mat_bdiagh_block_size 0");
}

/* The solve before has used what went with the events that wait otherwise */
static PetscErrorCode Blocking(Pair *p)
{
  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch("-ksp_fused_wait blocking", PETSC_TRUE));
  PetscCall(KSPSetFromOptions(p->ksp[0]));
  PetscCall(OptionsSwitch("-ksp_fused_wait blocking", PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Polling(Pair *p)
{
  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch("-ksp_fused_wait polling", PETSC_TRUE));
  PetscCall(KSPSetFromOptions(p->ksp[0]));
  PetscCall(OptionsSwitch("-ksp_fused_wait polling", PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What there is to see of a solver without its vectors: nothing of the last solve, which may have been folded */
static PetscErrorCode ViewAfterReset(Pair *p)
{
  static Plan plan;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) PetscCall(KSPReset(p->ksp[k]));
  PetscCall(Look(p->ksp[0], &plan));
  PetscCall(CheckTrue(strstr(plan.text, "not yet solved") != NULL && !strstr(plan.text, "folded"), "the view after KSPReset()"));
  PetscCall(PairOperators(p, p->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After KSPReset() a system of another size, from a nonzero guess both times */
static PetscErrorCode GuessOtherSize(Pair *p)
{
  Vec guess;

  PetscFunctionBeginUser;
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < 2; k++) PetscCall(KSPSetInitialGuessNonzero(p->ksp[k], PETSC_TRUE));
    PetscCall(CheckVecLike(p->b, 9, &guess));
    PetscCall(ComparePair(&p->s, p->ksp[0], p->ksp[1], KSPSolve, p->scale, p->b, guess, "from a guess"));
    PetscCall(VecDestroy(&guess));
    for (int k = 0; k < 2; k++) PetscCall(KSPSetInitialGuessNonzero(p->ksp[k], PETSC_FALSE));
    for (int k = 0; k < 2; k++) {
      PC pc;

      PetscCall(KSPReset(p->ksp[k]));      /* PETSc's bcgs would add its guess to all later solutions otherwise */
      PetscCall(KSPGetPC(p->ksp[k], &pc)); /* on a GPU PETSc's pbjacobi keeps the memory of the first size */
      PetscCall(PCSetType(pc, PCJACOBI));
    }
    PetscCall(PairOperators(p, p->A));
    if (pass) break;
    PetscCall(CheckDestroy(&p->A, &p->b));
    p->scale = 1;
    p->s.cells += 29;
    PetscCall(SystemCreate(PETSC_COMM_WORLD, &p->s, &p->A));
    PetscCall(CheckVecs(p->A, &p->b, 8, NULL, 0));
    PetscCall(PairOperators(p, p->A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Step steps[] = {
  {"values of the block",          BlockArray    },
  {"values of the block again",    BlockArray    },
  {"another format",               OtherFormat   },
  {"the format before",            FormatAgain   },
  {"blocking wait",                Blocking      },
  {"polling wait",                 Polling       },
  {"the view after a reset",       ViewAfterReset},
  {"another size, from a guess",   GuessOtherSize},
  {"values of the smaller matrix", BlockArray    },
};

/* The diagonal of the preconditioner's matrix, a copy of the system's: some entries are zero, or have their value again */
static PetscErrorCode Diagonal(Pair *p, PetscScalar scale)
{
  Mat          P;
  Vec          d;
  PetscScalar *value;
  PetscInt     n;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(p->ksp[0], NULL, &P));
  PetscCall(MatCreateVecs(P, &d, NULL));
  PetscCall(MatGetDiagonal(p->A, d));
  PetscCall(VecGetLocalSize(d, &n));
  PetscCall(VecGetArray(d, &value));
  for (PetscInt row = 7; row < n; row += 31) value[row] *= scale;
  PetscCall(VecRestoreArray(d, &value));
  PetscCall(MatDiagonalSet(P, d, INSERT_VALUES));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ZerosOnDiagonal(Pair *p)
{
  return Diagonal(p, 0);
}

static PetscErrorCode NoZerosOnDiagonal(Pair *p)
{
  return Diagonal(p, 3);
}

static PetscErrorCode OtherP(Pair *p)
{
  Mat P;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(p->A, MAT_COPY_VALUES, &P));
  PetscCall(PairOperators(p, P));
  PetscCall(MatDestroy(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner's matrix is not told either: the preconditioner is made anew because it was reset */
static PetscErrorCode PreconditionerReset(Pair *p)
{
  Mat P;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(p->ksp[0], NULL, &P));
  PetscCall(PetscObjectReference((PetscObject)P)); /* the resets give it back */
  PetscCall(CheckScaleDiagonal(P, 3, 1.5));
  for (int k = 0; k < 2; k++) {
    PC pc;

    PetscCall(KSPGetPC(p->ksp[k], &pc));
    PetscCall(PCReset(pc));
  }
  PetscCall(PairOperators(p, P));
  PetscCall(MatDestroy(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another solver of PETSc's with the same preconditioner, which it must find as PETSc's set-up leaves it */
static PetscErrorCode ZerosForTwin(Pair *p)
{
  PetscFunctionBeginUser;
  PetscCall(ZerosOnDiagonal(p));
  if (TwinIs(KSPCHEBYSHEV)) PetscFunctionReturn(PETSC_SUCCESS); /* it would estimate eigenvalues anew */
  PetscCall(KSPSetType(p->ksp[0], compare_twin));
  PetscCall(PairSolve(p, "by PETSc's solver"));
  PetscCall(KSPSetType(p->ksp[0], compare_type));
  PetscCall(KSPSetFromOptions(p->ksp[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Step zeros[] = {
  {"another matrix of the preconditioner", OtherP           },
  {"zeros on the diagonal",                ZerosOnDiagonal  },
  {"none any more",                        NoZerosOnDiagonal},
  {"zeros for PETSc's solver",             ZerosForTwin     },
  {"none, at last",                        NoZerosOnDiagonal},
};

static const Step resets[] = {
  {"another matrix of the preconditioner", OtherP             },
  {"its block, and a reset",               PreconditionerReset},
  {"its block, and another reset",         PreconditionerReset},
};

static PetscErrorCode Changed(void)
{
  const char *const options[] = {"-pc_type jacobi", "-pc_type pbjacobi", "-pc_type jacobi -ksp_pc_side right", "-pc_type pbjacobi -ksp_pc_side right"};

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); k++)
    if (k < 2 || TwinIs(KSPBCGS)) PetscCall(PairSteps(steps, PETSC_STATIC_ARRAY_LENGTH(steps), options[k]));
  for (size_t k = 0; k < 2; k++) PetscCall(PairSteps(resets, PETSC_STATIC_ARRAY_LENGTH(resets), options[k]));
  PetscCall(PairSteps(zeros, PETSC_STATIC_ARRAY_LENGTH(zeros), "-pc_type jacobi"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Changed, CompareSmall, "changed", 50000)

/*TEST
  testset:
    output_file: output/changed.out
    test:
      suffix: 1
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}} -options_left 0
    test:
      suffix: groups
      nsize: 2
      args: -mat_type {{bdiagh sellp}} -heptane_groups 2 -options_left 0
    test:
      suffix: fold
      args: -mat_type {{bdiagh sellp mpiaijbdiagh mpiaijsellp}} -ksp_fused_fold yes -options_left 0
    test:
      suffix: fold_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp mpiaijbdiagh mpiaijsellp}} -ksp_fused_fold yes -mode kernels,graph -type fusedcg,fusedbcgs -options_left 0 -expect_cuda
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -mode kernels,graph,persistent -options_left 0 -expect_cuda

  testset:
    output_file: output/changed.out
    args: -type fusedchebyshev -options_left 0
    test:
      suffix: chebyshev
      comments: quick
      nsize: {{1 2}}
    test:
      suffix: chebyshev_cuda
      requires: cuda
      args: -mode kernels,graph -expect_cuda
TEST*/

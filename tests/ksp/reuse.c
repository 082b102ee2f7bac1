static char help[] = "The life of one KSP: other preconditioners, tolerances, types, sizes, and several alive at a time, against PETSc's own.\n";

#include "common/pair.h"

static PetscErrorCode OtherPreconditioners(Pair *p)
{
  const char *types[] = {PCNONE, PCPBJACOBI, PCJACOBI, PCBJACOBI, PCJACOBI, PCNONE, PCJACOBI};

  PetscFunctionBeginUser;
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
    for (int k = 0; k < 2; k++) {
      PC pc;

      PetscCall(KSPGetPC(p->ksp[k], &pc));
      PetscCall(PCSetType(pc, types[t]));
    }
    PetscCall(PairSolve(p, types[t]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpTwice(Pair *p)
{
  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++)
    for (int twice = 0; twice < 2; twice++) {
      PetscCall(KSPSetUp(p->ksp[k]));
      PetscCall(KSPSetUpOnBlocks(p->ksp[k]));
      PetscCall(KSPSetFromOptions(p->ksp[k]));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OtherTolerances(Pair *p)
{
  PetscFunctionBeginUser;
  for (int t = 0; t < 2; t++) {
    for (int k = 0; k < 2; k++) PetscCall(KSPSetTolerances(p->ksp[k], t ? SolverTolerance() : 1e-3, PETSC_CURRENT, PETSC_CURRENT, t ? 500 : 9));
    PetscCall(PairSolve(p, "tolerances"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TypeThereAndBack(Pair *p)
{
  const char *types[] = {compare_twin, KSPGMRES, compare_type, compare_type};

  PetscFunctionBeginUser;
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
    PetscCall(KSPSetType(p->ksp[0], types[t]));
    if (t != 1) PetscCall(PairSolve(p, types[t]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After KSPReset() a system of another size */
static PetscErrorCode ResetOtherSize(Pair *p)
{
  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscBool pbjacobi;
    PC        pc;

    PetscCall(KSPReset(p->ksp[k]));
    /* on a GPU PETSc's pbjacobi keeps the memory of the first size through PCReset() and writes beyond it */
    PetscCall(KSPGetPC(p->ksp[k], &pc));
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCPBJACOBI, &pbjacobi));
    if (pbjacobi) {
      PetscCall(PCSetType(pc, PCNONE));
      PetscCall(PCSetType(pc, PCPBJACOBI));
    }
  }
  PetscCall(CheckDestroy(&p->A, &p->b));
  p->scale = 1;
  p->s.cells += 37;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &p->s, &p->A));
  PetscCall(CheckVecs(p->A, &p->b, 8, NULL, 0));
  PetscCall(PairOperators(p, p->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OverTheSide(KSP ksp, Vec b, Vec x)
{
  PetscFunctionBeginUser;
  PetscCall(VecCopy(b, x));
  PetscCall(KSPSolve(ksp, x, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solution takes the place of the right-hand side */
static PetscErrorCode InPlace(Pair *p)
{
  return ComparePair(&p->s, p->ksp[0], p->ksp[1], OverTheSide, p->scale, p->b, NULL, "in place");
}

/* Other KSPs of the type, on another matrix, between two solves, which must not change a bit */
static PetscErrorCode Interleaved(Pair *p)
{
  static Result r[2];
  Pair          q          = {.s = p->s, .scale = 1};
  PetscBool     repeatable = PETSC_TRUE;

  PetscFunctionBeginUser;
  q.s.cells += 11;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &q.s, &q.A));
  PetscCall(CheckVecs(q.A, &q.b, 6, NULL, 0));
  PetscCall(ResultSolve(p->ksp[0], PETSC_FALSE, KSPSolve, p->b, NULL, &r[0]));
  for (int k = 0; k < 2; k++) PetscCall(SolverCreate(q.A, q.A, k ? compare_twin : compare_type, &q.ksp[k]));
  PetscCall(PairSolve(&q, "the other"));
  PetscCall(ResultSolve(p->ksp[0], PETSC_FALSE, KSPSolve, p->b, NULL, &r[1]));
  PetscCall(Repeatable(p->A, &repeatable));
  if (repeatable) PetscCall(CheckRepeat(&r[1], &r[0], "another solver in between"));
  PetscCall(PairSolve(&q, "the other again"));
  PetscCall(CheckDestroy(&q.ksp[0], &q.ksp[1], &q.b, &q.A));
  for (int k = 0; k < 2; k++) PetscCall(ResultDestroy(&r[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Step steps[] = {
  {"preconditioner again", OtherPreconditioners},
  {"set up twice",         SetUpTwice          },
  {"tolerances again",     OtherTolerances     },
  {"type again",           TypeThereAndBack    },
  {"another size",         ResetOtherSize      },
  {"after in place",       InPlace             },
  {"after another solver", Interleaved         },
};

static PetscErrorCode Reuse(void)
{
  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(pair_variants); k++) PetscCall(PairSteps(steps, PETSC_STATIC_ARRAY_LENGTH(steps), pair_variants[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Reuse, CompareSmall, "reuse", 150000)

/*TEST
  testset:
    output_file: output/reuse.out
    test:
      # PETSc finds its own ILU by the prefix of the type's name: names stay composed on the factor, no memory is lost
      suffix: 1
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}} -checkfunctionlist 0
    test:
      suffix: groups
      nsize: 2
      args: -mat_type bdiagh -checkfunctionlist 0 -heptane_groups 2
    test:
      suffix: fold
      comments: quick
      args: -checkfunctionlist 0 -ksp_fused_fold yes
    test:
      suffix: fold_cuda
      requires: cuda
      args: -checkfunctionlist 0 -ksp_fused_fold yes -mode graph -type fusedcg,fusedbcgs -expect_cuda
    test:
      suffix: cuda
      requires: cuda
      args: -checkfunctionlist 0 -mode kernels,graph,persistent -expect_cuda
    test:
      suffix: cuda_aijcusparse
      # by default cuSPARSE adds up in another order every time, which BiCG may carry further than a nudged right-hand side does
      requires: cuda
      args: -checkfunctionlist 0 -mat_type aijcusparse -mat_cusparse_spmv_alg CSRMV_ALG2 -mat_form_explicit_transpose -mode auto -expect_cuda

  testset:
    output_file: output/reuse.out
    args: -type fusedchebyshev -options_left 0
    test:
      suffix: chebyshev
    test:
      suffix: chebyshev_cuda
      requires: cuda
      args: -mode kernels,graph -expect_cuda
TEST*/

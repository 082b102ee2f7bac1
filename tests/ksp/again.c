static char help[] = "One KSP and matrices whose values, pattern or place change between solves, against PETSc's own.\n";

#include "common/pair.h"

static PetscErrorCode OtherSide(Pair *p)
{
  return CheckVecFill(p->b, 31);
}

static PetscErrorCode Scaled(Pair *p)
{
  PetscFunctionBeginUser;
  p->scale *= 3;
  PetscCall(MatScale(p->A, 3.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries that were not in the pattern */
static PetscErrorCode OtherPattern(Pair *p)
{
  PetscFunctionBeginUser;
  p->s.open = 0;
  PetscCall(MatSetOption(p->A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(PairValues(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another matrix, whose values come by coordinates */
static PetscErrorCode Coordinates(Pair *p)
{
  PetscInt     lo, hi, n = 0, *i, *j;
  PetscScalar *v;

  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&p->A));
  p->scale = 1;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &p->s, &p->A));
  PetscCall(MatGetOwnershipRange(p->A, &lo, &hi));
  PetscCall(PetscMalloc3((hi - lo) * SYSTEM_MAX, &i, (hi - lo) * SYSTEM_MAX, &j, (hi - lo) * SYSTEM_MAX, &v));
  for (int k = 0; k < 2; k++) { /* coordinates with the first values, then other values alone */
    if (k) p->s.seed += 3;
    n = 0;
    for (PetscInt row = lo; row < hi; row++) {
      const PetscInt m = SystemRow(&p->s, row, j + n, v + n);

      for (PetscInt e = 0; e < m; e++) i[n++] = row;
    }
    if (!k) PetscCall(MatSetPreallocationCOO(p->A, n, i, j));
    PetscCall(MatSetValuesCOO(p->A, v, INSERT_VALUES));
    if (!k) PetscCall(PairOperators(p, p->A));
    if (!k) PetscCall(PairSolve(p, "coordinates"));
  }
  PetscCall(PetscFree3(i, j, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner from another matrix, then from this one again */
static PetscErrorCode Precondition(Pair *p)
{
  System s = p->s;
  Mat    P;

  PetscFunctionBeginUser;
  s.seed += 50;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &P));
  PetscCall(PairOperators(p, P));
  PetscCall(PairSolve(p, "preconditioner of another matrix"));
  PetscCall(PairOperators(p, p->A));
  PetscCall(MatDestroy(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other values with the preconditioner of the old ones */
static PetscErrorCode ReusePreconditioner(Pair *p)
{
  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) PetscCall(KSPSetReusePreconditioner(p->ksp[k], PETSC_TRUE));
  PetscCall(PairValues(p));
  PetscCall(PairSolve(p, "old preconditioner"));
  for (int k = 0; k < 2; k++) PetscCall(KSPSetReusePreconditioner(p->ksp[k], PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const Step steps[] = {
  {"right-hand side",    OtherSide          },
  {"MatScale",           Scaled             },
  {"MatSetValues",       PairValues         },
  {"pattern",            OtherPattern       },
  {"MatSetValuesCOO",    Coordinates        },
  {"MatScale after COO", Scaled             },
  {"own preconditioner", Precondition       },
  {"own preconditioner", ReusePreconditioner},
};

/* Guesses made from earlier solutions: no two solves of one KSP are the same */
static PetscErrorCode Guesses(void)
{
  static Result r[2];
  const char   *options = "-pc_type jacobi -ksp_guess_type fischer -ksp_guess_fischer_model 1,5";
  const System  s       = {.kind = "grid", .cells = 130, .bs = 2, .seed = 3, .symmetric = TwinIs(KSPCG)};
  Twins         p       = {.solve = KSPSolve};
  Mat           A;

  PetscFunctionBeginUser;
  PetscCall(Where(&s, "-ksp_guess_type fischer"));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
  PetscCall(MatCreateVecs(A, &p.b, NULL));
  for (int k = 0; k < 2; k++) PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &p.ksp[k]));
  PetscCall(TwinsReference(&p, &s, 1));
  for (int solve = 0; solve < 6; solve++) {
    PetscCall(CheckVecFill(p.b, 5 + solve / 2));
    for (int k = 0; k < 2; k++) PetscCall(ResultSolve(p.ksp[k], (PetscBool)(k == 1), KSPSolve, p.b, NULL, &r[k]));
    PetscCall(CheckWhole(&p, NULL, &r[0], &r[1], "from a guess"));
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPDestroy(&p.ksp[k]));
    PetscCall(ResultDestroy(&r[k]));
  }
  PetscCall(CheckDestroy(&p.b, &p.R, &A));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Again(void)
{
  PetscFunctionBeginUser;
  PetscCall(Guesses());
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(pair_variants); k++) PetscCall(PairSteps(steps, PETSC_STATIC_ARRAY_LENGTH(steps), pair_variants[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Again, CompareSmall, "again", 100000)

/*TEST
  testset:
    output_file: output/again.out
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
      suffix: cuda
      requires: cuda
      args: -checkfunctionlist 0 -mode kernels,graph,persistent -expect_cuda
    test:
      suffix: fold
      comments: quick
      args: -checkfunctionlist 0 -ksp_fused_fold {{yes auto}} -ksp_fused_fold_after 4
    test:
      suffix: fold_cuda
      requires: cuda
      args: -checkfunctionlist 0 -ksp_fused_fold {{yes auto}} -ksp_fused_fold_after 4 -mode kernels,graph -type fusedcg,fusedbcgs -expect_cuda
    test:
      suffix: cuda_sellp
      requires: cuda
      args: -checkfunctionlist 0 -mat_type sellp -mode graph -expect_cuda
    test:
      suffix: cuda_aijcusparse
      # by default cuSPARSE adds up in another order every time, which BiCG may carry further than a nudged right-hand side does
      requires: cuda
      args: -checkfunctionlist 0 -mat_type aijcusparse -mat_cusparse_spmv_alg CSRMV_ALG2 -mat_form_explicit_transpose -mode auto -expect_cuda
    test:
      suffix: cuda_ranks
      nsize: 2
      requires: cuda
      args: -checkfunctionlist 0 -mat_type bdiagh -mode auto -type fusedbcgs -expect_cuda

  test:
    suffix: chebyshev
    args: -type fusedchebyshev
    output_file: output/again.out
TEST*/

#include "pair.h"

PetscErrorCode PairSolve(Pair *p, const char what[])
{
  return ComparePair(&p->s, p->ksp[0], p->ksp[1], KSPSolve, p->scale, p->b, NULL, what);
}

PetscErrorCode PairOperators(Pair *p, Mat P)
{
  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) PetscCall(KSPSetOperators(p->ksp[k], p->A, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PairValues(Pair *p)
{
  PetscFunctionBeginUser;
  p->scale = 1;
  p->s.seed += 10;
  PetscCall(SystemFill(&p->s, p->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PairSteps(const Step steps[], size_t n, const char options[])
{
  Pair p = {
    .s = {.kind = "grid", .cells = 130, .bs = 2, .seed = 3, .symmetric = TwinIs(KSPCG), .open = 60},
      .scale = 1
  };

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(SystemWithSide(&p.s, &p.A, &p.b));
  for (int k = 0; k < 2; k++) PetscCall(SolverCreate(p.A, p.A, k ? compare_twin : compare_type, &p.ksp[k]));
  PetscCall(Where(&p.s, options));
  PetscCall(PairSolve(&p, "first solve"));
  for (size_t k = 0; k < n; k++) {
    PetscCall(steps[k].change(&p));
    PetscCall(PairSolve(&p, steps[k].name));
    PetscCall(PairSolve(&p, "and again"));
  }
  PetscCall(CheckDestroy(&p.ksp[0], &p.ksp[1], &p.b, &p.A));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckScaleDiagonal(Mat A, PetscInt every, PetscReal factor)
{
  Mat             block = A;
  PetscScalar    *a;
  const PetscInt *i, *j;
  PetscInt        n;
  PetscBool       done, mpi;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectHasFunction((PetscObject)A, "MatMPIAIJSetPreallocation_C", &mpi));
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
  PetscCall(MatGetRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCall(MatSeqAIJGetArray(block, &a));
  for (PetscInt row = 0; row < n; row++)
    for (PetscInt k = i[row]; k < i[row + 1]; k++)
      if (j[k] == row && row % every == 0) a[k] *= factor;
  PetscCall(MatSeqAIJRestoreArray(block, &a));
  PetscCall(MatRestoreRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

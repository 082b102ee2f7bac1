static char help[] = "Ways to assemble: without preallocation, by blocks, other ranks' rows, new patterns, direct access to the values of the blocks.\n";

#include "common/block_arrays.h"
#include "common/loop.h"

/* Without preallocation, by blocks of cells where the pattern is dense blocks; twice, the second time with other values */
static PetscErrorCode Blocks(const Problem *p, Mat R)
{
  Problem      q = *p;
  Mat          A;
  PetscInt     lo, hi, *cols, n;
  PetscScalar *v;

  PetscFunctionBeginUser;
  PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, NULL, &A));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(PetscMalloc2(ProblemCols(p), &cols, p->bs * p->bs, &v));
  for (int again = 0; again < 2; again++) {
    q.seed += again;
    for (PetscInt i = lo; i < hi; i += p->bs) {
      n = ProblemRow(p, i, cols);
      for (PetscInt k = 0; k < n; k += p->bs) {
        const PetscInt c = i / p->bs, d = cols[k] / p->bs;

        for (PetscInt t = 0; t < p->bs * p->bs; t++) v[t] = ProblemValue(&q, c * p->bs + t / p->bs, d * p->bs + t % p->bs);
        PetscCall(MatSetValuesBlocked(A, 1, &c, 1, &d, v, INSERT_VALUES));
      }
    }
    PetscCall(CheckAssemble(A));
    PetscCall(ProblemFill(&q, R));
    PetscCall(CheckMat(A, R, again ? "MatSetValuesBlocked again" : "MatSetValuesBlocked"));
  }
  PetscCall(PetscFree2(cols, v));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows set by the rank that comes next, added in two halves with a flush between them */
static PetscErrorCode Elsewhere(const Problem *p, Mat R)
{
  Mat               A;
  const PetscMPIInt size = CheckProcesses(), rank = CheckRank();
  PetscInt         *cols;

  PetscFunctionBeginUser;
  PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, NULL, &A));
  PetscCall(MatSetUp(A));
  PetscCall(PetscMalloc1(ProblemCols(p), &cols));
  for (int half = 0; half < 2; half++) {
    for (PetscInt i = rank; i < ProblemRows(p); i += size) {
      const PetscInt n = ProblemRow(p, i, cols);

      for (PetscInt k = 0; k < n; k++) PetscCall(MatSetValue(A, i, cols[k], (PetscScalar)0.5 * ProblemValue(p, i, cols[k]), ADD_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, half ? MAT_FINAL_ASSEMBLY : MAT_FLUSH_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, half ? MAT_FINAL_ASSEMBLY : MAT_FLUSH_ASSEMBLY));
  }
  PetscCall(ProblemFill(p, R));
  PetscCall(CheckMat(A, R, "rows set by other ranks"));
  PetscCall(PetscFree(cols));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern grows, loses its zeros, and is replaced through a new preallocation */
static PetscErrorCode Patterns(const Problem *p, Mat M, int step)
{
  Problem  q = *p;
  PetscInt n = ProblemCols(p);

  PetscFunctionBeginUser;
  q.seed += 70;
  if (step == 0) {
    q.pattern = "random";
    PetscCall(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(ProblemFill(&q, M));
  } else if (step == 1) {
    PetscCall(MatZeroEntries(M));
    PetscCall(ProblemFill(p, M));
    PetscCall(MatEliminateZeros(M, PETSC_TRUE));
  } else {
    q.pattern = "gh";
    PetscCall(MatSeqAIJSetPreallocation(M, PetscMin(n, 7 * p->bs), NULL));
    PetscCall(MatMPIAIJSetPreallocation(M, PetscMin(n, 7 * p->bs), NULL, PetscMin(n, 7 * p->bs), NULL));
    PetscCall(ProblemFill(&q, M));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values written straight into the arrays of the sequential blocks */
static PetscErrorCode Arrays(Mat M)
{
  Mat          block[2];
  PetscScalar *a;
  PetscInt     n[2];

  PetscFunctionBeginUser;
  PetscCall(SequentialBlocks(M, block, n));
  for (int k = 0; k < 2 && block[k]; k++) {
    PetscCall(MatSeqAIJGetArray(block[k], &a));
    for (PetscInt i = 0; i < n[k]; i++) a[i] = a[i] * 3 + (PetscScalar)(k + 1);
    PetscCall(MatSeqAIJRestoreArray(block[k], &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is kept of a parallel matrix follows its blocks, whose changes do not count as changes of the matrix */
static PetscErrorCode Inverses(Mat A, Mat R)
{
  Mat                M[2];
  const PetscScalar *v[2];
  PetscInt           n, bs;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &M[0]));
  PetscCall(MatDuplicate(R, MAT_COPY_VALUES, &M[1]));
  PetscCall(MatGetLocalSize(R, &n, NULL));
  PetscCall(MatGetBlockSize(R, &bs));
  for (int k = 0; k < 2; k++) PetscCall(MatShift(M[k], 200)); /* no block is singular, before and after */
  for (int again = 0; again < 2; again++) {
    PetscBool same = PETSC_TRUE;
    Mat       fresh; /* that of AIJ itself (3.25) keeps the inverses of the first values */

    PetscCall(MatDuplicate(M[1], MAT_COPY_VALUES, &fresh));
    for (int k = 0; k < 2; k++) PetscCall(MatInvertBlockDiagonal(k ? fresh : M[k], &v[k]));
    for (PetscInt k = 0; k < n * bs; k++)
      if (!(PetscAbsScalar(v[0][k] - v[1][k]) <= CHECK_TOLERANCE * 0.005)) same = PETSC_FALSE;
    PetscCall(CheckTrue(same, again ? "MatInvertBlockDiagonal after values were written into the arrays" : "MatInvertBlockDiagonal"));
    PetscCall(MatDestroy(&fresh));
    for (int k = 0; k < 2; k++) PetscCall(Arrays(M[k]));
  }
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&M[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Assembly(const Problem *p, Mat A, Mat R)
{
  const PetscBool dense =
    (PetscBool)(!p->ragged && (ProblemIs(p, "gh") || ProblemIs(p, "wells") || ProblemIs(p, "shifted") || ProblemIs(p, "rectangle") || ProblemIs(p, "empty")));
  const char *steps[] = {"the pattern grows", "zeros eliminated", "preallocated again"};

  PetscFunctionBeginUser;
  PetscCall(CheckProducts(A, R, "first"));
  PetscCall(Arrays(A));
  PetscCall(Arrays(R));
  PetscCall(CheckMat(A, R, "values written into the arrays"));
  PetscCall(MatBindToCPU(A, PETSC_TRUE));
  PetscCall(MatScale(A, 0.5));
  PetscCall(MatScale(R, 0.5));
  PetscCall(CheckMat(A, R, "bound to the host"));
  PetscCall(MatBindToCPU(A, PETSC_FALSE));
  PetscCall(CheckMat(A, R, "not bound to the host any more"));
  if (dense) PetscCall(Inverses(A, R));
  if (dense) PetscCall(Blocks(p, R));
  PetscCall(Elsewhere(p, R));
  PetscCall(ProblemFill(p, A));
  for (int step = 0; step < 3; step++) {
    PetscCall(Patterns(p, A, step));
    PetscCall(Patterns(p, R, step));
    PetscCall(CheckMat(A, R, steps[step]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Assembly, "assembly")

/*TEST
  testset:
    nsize: {{1 2}}
    args: -bs 1,3,8
    output_file: output/assembly.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  testset:
    nsize: 4
    args: -bs 2,17 -pattern gh,wells,banded
    output_file: output/assembly_4.out
    test:
      suffix: 4
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 4_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda
TEST*/

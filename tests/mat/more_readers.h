/*
   The operations of AIJ that readers.h leaves out, in the same form: they read values, or change the matrix on from the values that it has, or give it another pattern.
*/
#pragma once

#include "readers.h"

/* The matrix as it is now, by a product; readers end with it after they changed the matrix */
static PetscErrorCode Now(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(Apply(&(Mat){A}, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ColumnReductions(Mat A, Vec *y)
{
  PetscReal   *norms;
  PetscScalar *v;
  PetscInt     N;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, NULL, &N));
  PetscCall(PetscMalloc2(N, &norms, N, &v));
  PetscCall(MatGetColumnNorms(A, NORM_2, norms));
  for (PetscInt k = 0; k < N; k++) v[k] = norms[k];
  PetscCall(Local(A, N, v, y));
  PetscCall(PetscFree2(norms, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of one operation after the other, so that the first does not bring the values up to date for the rest */
#define ROW_READER(name) \
  static PetscErrorCode Row##name(Mat A, Vec *y) \
  { \
    PetscFunctionBeginUser; \
    PetscCall(MatCreateVecs(A, NULL, y)); \
    PetscCall(MatGetRow##name(A, *y, NULL)); \
    PetscFunctionReturn(PETSC_SUCCESS); \
  }
ROW_READER(Min)
ROW_READER(MinAbs)
#undef ROW_READER

static PetscErrorCode RowMaximum(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, NULL, y));
  PetscCall(MatGetRowMax(A, *y, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RowSumAbs(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, NULL, y));
  PetscCall(MatGetRowSumAbs(A, *y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Truth(Mat A, PetscBool truth, Vec *y)
{
  const PetscScalar v = truth ? 1 : 2;

  PetscFunctionBeginUser;
  PetscCall(Local(A, 1, &v, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of C times 3, set by coordinates */
static PetscErrorCode Ahead(Mat C)
{
  PetscInt           lo, hi, n, most = 0, *i, *j;
  const PetscInt    *cols;
  const PetscScalar *vals;
  PetscScalar       *v;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(C, &lo, &hi));
  for (PetscInt r = lo; r < hi; r++) {
    PetscCall(MatGetRow(C, r, &n, NULL, NULL));
    most += n;
    PetscCall(MatRestoreRow(C, r, &n, NULL, NULL));
  }
  PetscCall(PetscMalloc3(most, &i, most, &j, most, &v));
  most = 0;
  for (PetscInt r = lo; r < hi; r++) {
    PetscCall(MatGetRow(C, r, &n, &cols, &vals));
    for (PetscInt k = 0; k < n; k++, most++) {
      i[most] = r;
      j[most] = cols[k];
      v[most] = 3 * vals[k];
    }
    PetscCall(MatRestoreRow(C, r, &n, &cols, &vals));
  }
  PetscCall(MatSetPreallocationCOO(C, most, i, j));
  PetscCall(MatSetValuesCOO(C, v, INSERT_VALUES));
  PetscCall(PetscFree3(i, j, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EqualToCopy(Mat A, Vec *y)
{
  Mat       C;
  PetscBool equal, not_equal;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &C));
  PetscCall(MatEqual(A, C, &not_equal));
  PetscCall(MatCopy(A, C, SAME_NONZERO_PATTERN));
  PetscCall(MatEqual(A, C, &equal));
  PetscCall(MatDestroy(&C));
  PetscCall(Truth(A, (PetscBool)(equal && !not_equal), y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TransposeOf(Mat A, Vec *y)
{
  Mat       C;
  PetscBool yes, no;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatTranspose(C, MAT_INPLACE_MATRIX, &C));
  PetscCall(MatIsTranspose(A, C, 1e-6, &yes));
  PetscCall(MatScale(C, 1.5));
  PetscCall(MatIsTranspose(A, C, 1e-6, &no));
  PetscCall(MatDestroy(&C));
  PetscCall(Truth(A, (PetscBool)(yes && !no), y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For sequential matrices alone */
static PetscErrorCode HermitianTransposeOf(Mat A, Vec *y)
{
  Mat         C;
  PetscBool   yes = PETSC_TRUE, no = PETSC_FALSE;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) {
    PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &C));
    PetscCall(Ahead(C));
    PetscCall(MatIsHermitianTranspose(A, C, 1e-6, &no));
    PetscCall(MatScale(C, 1.0 / 3.0));
    PetscCall(MatIsHermitianTranspose(C, A, 1e-5, &yes));
    PetscCall(MatDestroy(&C));
  }
  PetscCall(Truth(A, (PetscBool)(yes && !no), y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Symmetry(Mat A, Vec *y)
{
  PetscBool symmetric;

  PetscFunctionBeginUser;
  PetscCall(MatIsSymmetric(A, 1e-6, &symmetric));
  PetscCall(Truth(A, symmetric, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Hermiticity(Mat A, Vec *y)
{
  PetscBool   hermitian;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  hermitian = PETSC_FALSE;
  if (size == 1) PetscCall(MatIsHermitian(A, 1e-6, &hermitian));
  PetscCall(Truth(A, hermitian, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Permuted(Mat A, Vec *y)
{
  Mat      C;
  IS       is;
  PetscInt lo, hi, *index;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(PetscMalloc1(hi - lo, &index));
  for (PetscInt i = lo; i < hi; i++) index[i - lo] = hi - 1 - (i - lo);
  PetscCall(ISCreateGeneral(PETSC_COMM_WORLD, hi - lo, index, PETSC_OWN_POINTER, &is));
  PetscCall(ISSetPermutation(is));
  PetscCall(MatPermute(A, is, is, &C));
  PetscCall(ISDestroy(&is));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RowsColumnsZeroed(Mat A, Vec *y)
{
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatZeroRowsColumns(A, hi > lo ? 1 : 0, &lo, 2.0, NULL, NULL));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DiagonalAdded(Mat A, Vec *y)
{
  Vec d;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &d, NULL));
  PetscCall(CheckVecFill(d, 97));
  PetscCall(MatDiagonalSet(A, d, ADD_VALUES));
  PetscCall(VecDestroy(&d));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MPIAIJ's keeps maps of the first matrix for all later ones, so that it serves one matrix per program */
static PetscErrorCode ScaledLocally(Mat A, Vec *y)
{
  PetscMPIInt size;
  Vec         d;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) {
    PetscCall(MatCreateVecs(A, &d, NULL));
    PetscCall(CheckVecFill(d, 90));
    PetscCall(MatDiagonalScaleLocal(A, d));
    PetscCall(VecDestroy(&d));
  }
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RowSet(Mat A, Vec *y)
{
  PetscInt           lo, hi, n;
  const PetscScalar *v;
  PetscScalar       *w = NULL;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  if (hi > lo) {
    PetscCall(MatGetRow(A, lo, &n, NULL, &v));
    PetscCall(PetscMalloc1(n, &w));
    for (PetscInt k = 0; k < n; k++) w[k] = 3 - v[k];
    PetscCall(MatRestoreRow(A, lo, &n, NULL, &v));
    PetscCall(MatSetValuesRow(A, lo, w));
    PetscCall(PetscFree(w));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ZerosEliminated(Mat A, Vec *y)
{
  MatInfo     info;
  PetscScalar v;

  PetscFunctionBeginUser;
  PetscCall(MatEliminateZeros(A, PETSC_TRUE));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  v = info.nz_used;
  PetscCall(Local(A, 1, &v, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SizeOf(Mat A, IS *is, Vec *y)
{
  PetscInt    n = -1;
  PetscScalar v;

  PetscFunctionBeginUser;
  if (*is) PetscCall(ISGetLocalSize(*is, &n));
  PetscCall(ISDestroy(is));
  v = n;
  PetscCall(Local(A, 1, &v, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ZeroDiagonals(Mat A, Vec *y)
{
  IS is = NULL;

  PetscFunctionBeginUser;
  PetscCall(MatFindZeroDiagonals(A, &is));
  PetscCall(SizeOf(A, &is, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NonzeroRows(Mat A, Vec *y)
{
  IS is = NULL;

  PetscFunctionBeginUser;
  PetscCall(MatFindNonzeroRows(A, &is));
  PetscCall(SizeOf(A, &is, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MPIAIJ's faults where a process has none */
static PetscErrorCode OffBlockDiagonal(Mat A, Vec *y)
{
  IS          is = NULL;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscCall(MatFindOffBlockDiagonalEntries(A, &is));
  PetscCall(SizeOf(A, &is, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Column(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, NULL, y));
  PetscCall(MatGetColumnVector(A, *y, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode InverseVariableBlocks(Mat A, Vec *y)
{
  PetscInt     m, bs, n, *sizes;
  PetscScalar *v;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetBlockSize(A, &bs));
  n = m / bs;
  PetscCall(PetscMalloc2(n, &sizes, m * bs, &v));
  for (PetscInt k = 0; k < n; k++) sizes[k] = bs;
  PetscCall(MatInvertVariableBlockDiagonal(A, n, sizes, v));
  PetscCall(Local(A, m * bs, v, y));
  PetscCall(PetscFree2(sizes, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Graph(Mat A, Vec *y)
{
  Mat C;

  PetscFunctionBeginUser;
  PetscCall(MatCreateGraph(A, PETSC_FALSE, PETSC_FALSE, -1, 0, NULL, &C));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TransposeTimes(Mat A, Vec *y)
{
  Mat C;

  PetscFunctionBeginUser;
  PetscCall(MatTransposeMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Factored(Mat A, MatFactorType type, Vec *y)
{
  Mat           C;
  IS            row, col;
  Vec           b;
  MatFactorInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &C));
  PetscCall(MatGetOrdering(C, MATORDERINGNATURAL, &row, &col));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 5;
  PetscCall(MatCreateVecs(A, y, &b));
  PetscCall(CheckVecFill(b, 98));
  if (type == MAT_FACTOR_LU) PetscCall(MatLUFactor(C, row, col, &info));
  else PetscCall(MatILUFactor(C, row, col, &info));
  PetscCall(MatSolve(C, b, *y));
  PetscCall(VecDestroy(&b));
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&col));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FactoredInPlace(Mat A, Vec *y)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscCall(Now(A, y)); /* MPIAIJ has none */
  else PetscCall(Factored(A, MAT_FACTOR_LU, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Random(Mat A, Vec *y)
{
  PetscRandom r;

  PetscFunctionBeginUser;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &r));
  PetscCall(MatSetRandom(A, r));
  PetscCall(PetscRandomDestroy(&r));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix with dof unknowns per row that reads A's values at each product, made before they change */
static PetscErrorCode MultipleOfA(Mat A, Vec *y)
{
  Mat      M;
  Vec      x;
  PetscInt m, n;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(MatCreateMAIJ(A, 2, &M));
  PetscCall(MatScale(A, 1.25));
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)A), 2 * n, PETSC_DETERMINE, &x));
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)A), 2 * m, PETSC_DETERMINE, y));
  PetscCall(CheckVecFill(x, 99));
  PetscCall(MatMult(M, x, *y));
  PetscCall(MatScale(A, 0.5));
  PetscCall(MatMultAdd(M, x, *y, *y));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LocalRows(Mat A, Vec *y)
{
  Mat         C;
  PetscReal   norm;
  PetscBool   seq;
  PetscScalar v;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
  if (seq) PetscCall(PetscObjectReference((PetscObject)(C = A)));
  else PetscCall(MatMPIAIJGetLocalMat(A, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatNorm(C, NORM_FROBENIUS, &norm));
  PetscCall(MatDestroy(&C));
  v = norm;
  PetscCall(Local(A, 1, &v, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Imaginary(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatImaginaryPart(A));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a communicator of all ranks */
static PetscErrorCode MultiProcBlock(Mat A, Vec *y)
{
  Mat      C;
  MPI_Comm comm;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_dup(PETSC_COMM_WORLD, &comm));
  PetscCall(MatGetMultiProcBlock(A, comm, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatScale(A, 0.5));
  PetscCall(MatGetMultiProcBlock(A, comm, MAT_REUSE_MATRIX, &C));
  PetscCall(Apply(&C, y));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ParallelSubMatrices(Mat A, Vec *y)
{
  Mat        *C;
  IS          is;
  PetscInt    lo, hi;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) { /* SEQAIJ has none */
    PetscCall(Now(A, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, hi - lo, lo, 1, &is));
  PetscCall(MatCreateSubMatricesMPI(A, 1, &is, &is, MAT_INITIAL_MATRIX, &C));
  PetscCall(ISDestroy(&is));
  PetscCall(PetscObjectReference((PetscObject)C[0]));
  PetscCall(Apply(&(Mat){C[0]}, y));
  PetscCall(MatDestroySubMatrices(1, &C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of one process, whose matrix has all columns */
static PetscErrorCode Concatenated(Mat A, Vec *y)
{
  Mat         C;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) {
    PetscCall(MatCreateMPIMatConcatenateSeqMat(PETSC_COMM_WORLD, A, PETSC_DECIDE, MAT_INITIAL_MATRIX, &C));
    PetscCall(Apply(&C, y));
  } else PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Doubled(void *ctx, Vec x, Vec f, void *unused)
{
  PetscFunctionBeginUser;
  (void)ctx;
  (void)unused;
  PetscCall(VecAXPBY(f, 2.0, 0.0, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Differences(Mat A, Vec *y)
{
  MatColoring   coloring;
  ISColoring    colors;
  MatFDColoring fd;
  Vec           x;

  PetscFunctionBeginUser;
  PetscCall(MatColoringCreate(A, &coloring));
  PetscCall(MatColoringSetType(coloring, MATCOLORINGGREEDY));
  PetscCall(MatColoringApply(coloring, &colors));
  PetscCall(MatColoringDestroy(&coloring));
  PetscCall(MatFDColoringCreate(A, colors, &fd));
  PetscCall(MatFDColoringSetFunction(fd, (MatFDColoringFn *)Doubled, NULL));
  PetscCall(MatFDColoringSetUp(A, colors, fd));
  PetscCall(ISColoringDestroy(&colors));
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatScale(A, 3.0));
  PetscCall(MatFDColoringApply(A, fd, x, NULL));
  PetscCall(MatFDColoringDestroy(&fd));
  PetscCall(VecDestroy(&x));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values on a new pattern with five entries per row */
static PetscErrorCode FiveEachRow(Mat A)
{
  PetscInt lo, hi, N;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatGetSize(A, NULL, &N));
  for (PetscInt i = lo; i < hi; i++)
    for (PetscInt k = 0; k < 5; k++) PetscCall(MatSetValue(A, i, (i + 3 * k * k) % N, (PetscScalar)(1 + k + i % 7), INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PreallocatedAgain(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatSeqAIJSetPreallocation(A, 5, NULL));
  PetscCall(MatMPIAIJSetPreallocation(A, 5, NULL, 5, NULL));
  PetscCall(FiveEachRow(A));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HashedAgain(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatResetHash(A));
  PetscCall(FiveEachRow(A));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RowsGiven(Mat A, Vec *y)
{
  PetscInt     m, N, *ptr, *col;
  PetscScalar *v;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetSize(A, NULL, &N));
  PetscCall(PetscMalloc3(m + 1, &ptr, 2 * m, &col, 2 * m, &v));
  for (PetscInt i = 0; i < m; i++) {
    ptr[i]         = 2 * i;
    col[2 * i]     = i % (N - 1);
    col[2 * i + 1] = N - 1;
    v[2 * i]       = 2 + i % 3;
    v[2 * i + 1]   = 1;
  }
  ptr[m] = 2 * m;
  PetscCall(MatSeqAIJSetPreallocationCSR(A, ptr, col, v));
  PetscCall(MatMPIAIJSetPreallocationCSR(A, ptr, col, v));
  PetscCall(PetscFree3(ptr, col, v));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetFromCoordinatesAgain(Mat A, Vec *y)
{
  PetscInt     lo, hi, N, n = 0, *i, *j;
  PetscScalar *v;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatGetSize(A, NULL, &N));
  PetscCall(PetscMalloc3((hi - lo) * N, &i, (hi - lo) * N, &j, (hi - lo) * N, &v));
  for (PetscInt r = lo; r < hi; r++)
    for (PetscInt c = 0; c < N; c++, n++) {
      i[n] = r;
      j[n] = c;
      v[n] = (PetscScalar)(r + 2 * c) / N;
    }
  PetscCall(MatSetPreallocationCOO(A, n, i, j));
  PetscCall(MatSetValuesCOO(A, v, INSERT_VALUES));
  PetscCall(PetscFree3(i, j, v));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReorderedForDiagonal(Mat A, Vec *y)
{
  IS          row, col;
  PetscMPIInt size;
  PetscScalar v = 1;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) {
    const PetscInt *index;
    PetscInt        n;

    PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &row, &col));
    PetscCall(MatReorderForNonzeroDiagonal(A, 1e-3, row, col));
    PetscCall(ISGetLocalSize(col, &n));
    PetscCall(ISGetIndices(col, &index));
    for (PetscInt k = 0; k < n; k++) v += (PetscScalar)(index[k] * (k % 5));
    PetscCall(ISRestoreIndices(col, &index));
    PetscCall(ISDestroy(&row));
    PetscCall(ISDestroy(&col));
  }
  PetscCall(Local(A, 1, &v, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A result that is written again by PETSc after its own values were last set by coordinates */
typedef PetscErrorCode ResultFn(Mat, MatReuse, Mat *);

static PetscErrorCode Again(Mat A, ResultFn *result, Vec *y)
{
  Mat C;

  PetscFunctionBeginUser;
  PetscCall(result(A, MAT_INITIAL_MATRIX, &C));
  PetscCall(Ahead(C));
  PetscCall(MatScale(A, 0.5));
  PetscCall(result(A, MAT_REUSE_MATRIX, &C));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeTranspose(Mat A, MatReuse reuse, Mat *C)
{
  return MatTranspose(A, reuse, C);
}

static PetscErrorCode MakeSquare(Mat A, MatReuse reuse, Mat *C)
{
  return MatMatMult(A, A, reuse, PETSC_DETERMINE, C);
}

static PetscErrorCode MakePtAP(Mat A, MatReuse reuse, Mat *C)
{
  return MatPtAP(A, A, reuse, PETSC_DETERMINE, C);
}

static PetscErrorCode MakeAtB(Mat A, MatReuse reuse, Mat *C)
{
  return MatTransposeMatMult(A, A, reuse, PETSC_DETERMINE, C);
}

static PetscErrorCode MakeSubMatrix(Mat A, MatReuse reuse, Mat *C)
{
  IS       is;
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, (hi - lo + 1) / 2, lo, 2, &is));
  PetscCall(MatCreateSubMatrix(A, is, is, reuse, C));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeAIJ(Mat A, MatReuse reuse, Mat *C)
{
  MatType type;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(A, &type));
  PetscCall(MatConvert(A, type, reuse, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeLoaded(Mat A, MatReuse reuse, Mat *C)
{
  PetscViewer viewer;

  PetscFunctionBeginUser;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, C));
  else {
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, "again.bin", FILE_MODE_WRITE, &viewer));
    PetscCall(MatView(A, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, "again.bin", FILE_MODE_READ, &viewer));
    PetscCall(MatLoad(*C, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(CheckRemove("again.bin"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeCopy(Mat A, MatReuse reuse, Mat *C)
{
  PetscFunctionBeginUser;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, C));
  else PetscCall(MatCopy(A, *C, SAME_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeSum(Mat A, MatReuse reuse, Mat *C)
{
  PetscFunctionBeginUser;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, C));
  else PetscCall(MatAXPY(*C, 0.25, A, SUBSET_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define AGAIN(make) \
  static PetscErrorCode Again##make(Mat A, Vec *y) \
  { \
    return Again(A, Make##make, y); \
  }
AGAIN(Transpose)
AGAIN(Square)
AGAIN(PtAP)
AGAIN(AtB)
AGAIN(SubMatrix)
AGAIN(AIJ)
AGAIN(Loaded)
AGAIN(Copy)
AGAIN(Sum)
#undef AGAIN

static const struct {
  const char *name;
  ReaderFn   *read;
} more_readers[] = {
  {"MatGetColumnNorms",                   ColumnReductions       },
  {"MatGetRowMax",                        RowMaximum             },
  {"MatGetRowMin",                        RowMin                 },
  {"MatGetRowMinAbs",                     RowMinAbs              },
  {"MatGetRowSumAbs",                     RowSumAbs              },
  {"MatEqual",                            EqualToCopy            },
  {"MatIsTranspose",                      TransposeOf            },
  {"MatIsHermitianTranspose",             HermitianTransposeOf   },
  {"MatIsSymmetric",                      Symmetry               },
  {"MatIsHermitian",                      Hermiticity            },
  {"MatPermute",                          Permuted               },
  {"MatZeroRowsColumns",                  RowsColumnsZeroed      },
  {"MatDiagonalSet",                      DiagonalAdded          },
  {"MatDiagonalScaleLocal",               ScaledLocally          },
  {"MatSetValuesRow",                     RowSet                 },
  {"MatEliminateZeros",                   ZerosEliminated        },
  {"MatFindZeroDiagonals",                ZeroDiagonals          },
  {"MatFindNonzeroRows",                  NonzeroRows            },
  {"MatFindOffBlockDiagonalEntries",      OffBlockDiagonal       },
  {"MatGetColumnVector",                  Column                 },
  {"MatInvertVariableBlockDiagonal",      InverseVariableBlocks  },
  {"MatCreateGraph",                      Graph                  },
  {"MatTransposeMatMult",                 TransposeTimes         },
  {"MatLUFactor in place",                FactoredInPlace        },
  {"MatSetRandom",                        Random                 },
  {"MatCreateMAIJ",                       MultipleOfA            },
  {"MatImaginaryPart",                    Imaginary              },
  {"MatGetMultiProcBlock",                MultiProcBlock         },
  {"MatCreateSubMatricesMPI",             ParallelSubMatrices    },
  {"MatCreateMPIMatConcatenateSeqMat",    Concatenated           },
  {"MatFDColoringApply",                  Differences            },
  {"MatMPIAIJGetLocalMat",                LocalRows              },
  {"MatReorderForNonzeroDiagonal",        ReorderedForDiagonal   },
  {"MatSeqAIJSetPreallocation",           PreallocatedAgain      },
  {"MatResetHash",                        HashedAgain            },
  {"MatSeqAIJSetPreallocationCSR",        RowsGiven              },
  {"MatSetPreallocationCOO",              SetFromCoordinatesAgain},
  {"MatTranspose into its result",        AgainTranspose         },
  {"MatMatMult into its result",          AgainSquare            },
  {"MatPtAP into its result",             AgainPtAP              },
  {"MatTransposeMatMult into its result", AgainAtB               },
  {"MatCreateSubMatrix into its result",  AgainSubMatrix         },
  {"MatConvert into its result",          AgainAIJ               },
  {"MatLoad into a matrix with values",   AgainLoaded            },
  {"MatCopy into a matrix with values",   AgainCopy              },
  {"MatAXPY into a matrix with values",   AgainSum               },
};

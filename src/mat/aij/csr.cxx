/*
   MatSeqAIJSetPreallocationCSR(): rows with ascending columns, the usual case, are copied directly. The base class
   calls MatSetValues() for every row, which searches the place of every entry: four fifths of the time of a new matrix
   and its first product.
*/
#include "derived.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

/* Whether the columns of each row ascend and exist */
bool are_ascending(PetscInt rows, PetscInt cols, const PetscInt ptr[], const PetscInt col[])
{
  if (ptr[0] != 0) return false;
  for (PetscInt row = 0; row < rows; row++) {
    const PetscInt first = ptr[row], end = ptr[row + 1];
    bool           descends = false;

    if (end < first) return false;
    if (end == first) continue;
    if (col[first] < 0 || col[end - 1] >= cols) return false;
    for (PetscInt k = first + 1; k < end; k++) descends |= col[k] <= col[k - 1];
    if (descends) return false;
  }
  return true;
}

/* Whether A, which has room in rows of these lengths and no entries, would drop zeros off the diagonal
   (MAT_IGNORE_ZERO_ENTRIES, which cannot be queried): tries one. The entries later overwrite it. */
PetscErrorCode LeavesZerosOut(Mat A, const PetscInt length[], PetscBool *leaves)
{
  const PetscScalar zero = 0;
  PetscInt          row  = 0;
  MatInfo           info;
  DerivedMat       *m;

  PetscFunctionBegin;
  while (row < A->rmap->n && !length[row]) row++;
  if (row == A->rmap->n || A->cmap->n < 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DerivedQuery(A, &m));
  const struct _MatOps *const ops    = m ? &m->base : A->ops; /* a block of a parallel matrix has PETSc's own */
  const PetscInt              column = row ? 0 : 1;
  PetscCall((*ops->setvalues)(A, 1, &row, 1, &column, &zero, INSERT_VALUES));
  PetscCall((*ops->getinfo)(A, MAT_LOCAL, &info));
  if (info.nz_used == 0) *leaves = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode DerivedPreallocateRows(Mat A, const PetscInt ptr[], std::vector<PetscInt> *length)
{
  PetscFunctionBegin;
  length->resize(static_cast<std::size_t>(A->rmap->n));
  for (std::size_t row = 0; row < length->size(); row++) (*length)[row] = ptr[row + 1] - ptr[row];
  PetscCall(MatSeqAIJSetPreallocation(A, 0, length->data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedCopyRows(Mat A, const PetscInt ptr[], const PetscInt col[], const PetscScalar v[], PetscBool *done)
{
  std::vector<PetscInt> length;
  PetscScalar          *values;
  PetscBool             leaves = PETSC_FALSE;
  PetscInt              rows, cols;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  PetscCall(PetscLayoutSetUp(A->rmap));
  PetscCall(PetscLayoutSetUp(A->cmap));
  PetscCall(MatGetSize(A, &rows, &cols));
  if (!are_ascending(rows, cols, ptr, col)) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt nnz = ptr[rows];
  PetscCall(DerivedPreallocateRows(A, ptr, &length));
  if (!A->structure_only && nnz && (!v || std::find(v, v + nnz, PetscScalar(0)) != v + nnz)) PetscCall(LeavesZerosOut(A, length.data(), &leaves));
  if (leaves) PetscFunctionReturn(PETSC_SUCCESS);
  if (nnz) PetscCall(MatSeqAIJSetColumnIndices(A, const_cast<PetscInt *>(col))); /* which reads them */
  if (!A->structure_only) {
    PetscCall(MatSeqAIJGetArrayWrite(A, &values));
    if (v) PetscCall(PetscArraycpy(values, v, nnz));
    else PetscCall(PetscArrayzero(values, nnz));
    PetscCall(MatSeqAIJRestoreArrayWrite(A, &values));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  *done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc makes new blocks and restarts the count of their patterns. The number of A's pattern would repeat an old value,
   and data cached for the old pattern would be used for the new one. An assembly adds the numbers of all blocks. */
PetscErrorCode DerivedCountPattern(Mat A, PetscObjectState before)
{
  Mat         block;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  if (!rank) block->nonzerostate += before + 2; /* on all processes, the number would grow by their number each time */
  A->nonzerostate = PetscMax(A->nonzerostate, before) + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

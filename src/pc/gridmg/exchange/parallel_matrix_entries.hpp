/*
   Loops over the entries of the local rows of a parallel matrix: see parallel_matrix.hpp.
*/
#pragma once

#include "parallel_matrix.hpp"

namespace heptane
{

/* f(local row, local column, distance of cells, value) for the entries of a part; cell_of(column) */
template <class CellOf, class F>
PetscErrorCode GridParallelMatrix::ForEachEntryOf(Mat M, bool values, CellOf cell_of, F f)
{
  const PetscInt    *ptr, *col;
  const PetscScalar *a = nullptr;
  PetscInt           n;
  PetscBool          done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(M, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A part of a parallel matrix has no compressed rows");
  if (values) PetscCall(MatSeqAIJGetArrayRead(M, &a));
  for (PetscInt r = 0; r < n; r++) {
    const PetscInt cell = row_cell[static_cast<std::size_t>(r / block)];

    for (PetscInt e = ptr[r]; e < ptr[r + 1]; e++) f(r, col[e], cell_of(col[e]) - cell, a ? a[e] : PetscScalar(0));
  }
  if (values) PetscCall(MatSeqAIJRestoreArrayRead(M, &a));
  PetscCall(MatRestoreRowIJ(M, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f(local row, column's component, distance of cells, value): entries in columns of other processes */
template <class F>
PetscErrorCode GridParallelMatrix::ForEachInterface(bool values, F f)
{
  const PetscInt *of_others;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(matrix, NULL, &parts[1], &of_others));
  PetscCall(ForEachEntryOf(
    parts[1], values, [&](PetscInt col) { return column_cell[static_cast<std::size_t>(col)]; },
    [&](PetscInt r, PetscInt col, PetscInt distance, PetscScalar a) { f(r, static_cast<int>(of_others[col] % block), distance, a); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for all entries, without values */
template <class F>
PetscErrorCode GridParallelMatrix::ForEachEntry(F f)
{
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(matrix, &parts[0], NULL, NULL));
  PetscCall(ForEachEntryOf(
    parts[0], false, [&](PetscInt col) { return row_cell[static_cast<std::size_t>(col / block)]; },
    [&](PetscInt r, PetscInt col, PetscInt distance, PetscScalar a) { f(r, static_cast<int>(col % block), distance, a); }));
  PetscCall(ForEachInterface(false, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

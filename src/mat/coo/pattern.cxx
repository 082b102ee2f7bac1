/*
   The compressed-row pattern of a list of entries.
*/
#include "map.hpp"
#include <algorithm>

namespace heptane
{

PetscErrorCode CooPattern(PetscInt rows, PetscInt cols, PetscCount n, const PetscInt i[], const PetscInt j[], PetscInt **ptr_out, PetscInt **col_out)
{
  PetscInt  *ptr, *col = NULL, *next;
  PetscBool  sorted = PETSC_TRUE; /* already unique compressed rows */
  PetscCount used = 0, last = -1;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(rows + 1, &ptr));
  for (PetscCount k = 0; k < n; k++) {
    if (i[k] < 0 || j[k] < 0) continue;
    PetscCheck(i[k] < rows, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "COO row index %" PetscInt_FMT " is >= the matrix row size %" PetscInt_FMT, i[k], rows);
    PetscCheck(j[k] < cols, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "COO column index %" PetscInt_FMT " is >= the matrix column size %" PetscInt_FMT, j[k],
               cols);
    if (last >= 0 && (i[k] < i[last] || (i[k] == i[last] && j[k] <= j[last]))) sorted = PETSC_FALSE;
    last = k;
    ptr[i[k] + 1]++;
    used++;
  }
  PetscCheck(used <= PETSC_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscCount_FMT " entries on one process: configure PETSc with --with-64-bit-indices, or use more processes", used);
  for (PetscInt r = 0; r < rows; r++) ptr[r + 1] += ptr[r];
  if (!sorted || used < n) {
    PetscInt filled = 0;

    PetscCall(PetscMalloc1(used, &col));
    PetscCall(PetscMalloc1(rows, &next));
    PetscCall(PetscArraycpy(next, ptr, rows));
    for (PetscCount k = 0; k < n; k++)
      if (i[k] >= 0 && j[k] >= 0) col[next[i[k]]++] = j[k];
    PetscCall(PetscFree(next));
    for (PetscInt r = 0; r < rows; r++) { /* sort and compress each row in place; the write position never passes unread rows */
      PetscInt *begin = col + ptr[r], *end = col + ptr[r + 1];

      if (std::adjacent_find(begin, end, [](PetscInt a, PetscInt b) { return a >= b; }) != end) {
        std::sort(begin, end);
        end = std::unique(begin, end);
      }
      std::copy(begin, end, col + filled);
      ptr[r] = filled;
      filled += static_cast<PetscInt>(end - begin);
    }
    ptr[rows] = filled;
  }
  *ptr_out = ptr;
  *col_out = col;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

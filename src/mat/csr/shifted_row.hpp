/*
   Whether a row of a compressed-row pattern is the previous row shifted by some columns, like most rows of a grid;
   groups of such rows. No PETSc objects.
*/
#pragma once

#include "csr.hpp"
#include <vector>

namespace heptane
{

/* Whether every column k of the row is column k of the previous row plus step, and both have equally many */
inline bool is_shifted_row(const Csr &A, PetscInt row, PetscInt step)
{
  if (row == 0) return false;
  const PetscInt before = A.ptr[row - 1], first = A.ptr[row], width = first - before;

  if (A.ptr[row + 1] - first != width) return false;
  for (PetscInt k = first; k < first + width; k++)
    if (A.col[k] - A.col[k - width] != step) return false;
  return true;
}

/* The end of the rows from this one on that equal the previous row shifted by one column. Rows of one width are
   compared as one array, many entries at once. */
inline PetscInt end_of_shifted(const Csr &A, PetscInt row)
{
  constexpr PetscInt most = 64; /* rows compared at once */

  while (row < A.rows && is_shifted_row(A, row, 1)) {
    const PetscInt before = A.ptr[row - 1], first = A.ptr[row], width = first - before;
    PetscInt       end = row, differ = 0;

    while (end < A.rows && end < row + most && A.ptr[end + 1] - A.ptr[end] == width) end++;
    const PetscInt *c = A.col + first, *b = A.col + before;
    const PetscInt  n = (end - row) * width;
    for (PetscInt k = 0; k < n; k++) differ |= c[k] - b[k] - 1;
    if (differ) {
      while (is_shifted_row(A, row, 1)) row++;
      return row;
    }
    if (end < row + most) return end;
    row = end;
  }
  return row;
}

/* The first rows of groups: every other row is the previous row, shifted by b columns if it begins a cell of b rows,
   else by none */
inline std::vector<PetscInt> row_groups(const Csr &A, PetscInt b)
{
  std::vector<PetscInt> first;

  if (!A.rows) return first;
  if (b == 1) {
    for (PetscInt row = 0; row < A.rows; row = end_of_shifted(A, row + 1)) first.push_back(row);
    return first;
  }
  first.push_back(0);
  for (PetscInt row = 1, i = 1; row < A.rows; row++, i = i + 1 < b ? i + 1 : 0)
    if (!is_shifted_row(A, row, i ? 0 : b)) first.push_back(row);
  return first;
}

/* Whether there are few enough groups to pay; if so, only they are stored */
inline bool few_groups(const std::vector<PetscInt> &first, PetscInt rows)
{
  return 8 * first.size() <= static_cast<std::size_t>(rows);
}

/* For loops over first rows of groups, which are too far apart for hardware prefetching: prefetches the data needed
   soon after group g */
inline void ask_for_group(const Csr &A, const std::vector<PetscInt> &first, std::size_t g)
{
#if defined(__GNUC__)
  if (g + 8 >= first.size() || first[g + 4] >= A.rows) return;
  __builtin_prefetch(&A.ptr[first[g + 8]]);
  __builtin_prefetch(&A.col[A.ptr[first[g + 4]]]);
#else
  (void)A, (void)first, (void)g;
#endif
}

/* For loops over entries that may call something else for such rows: they do not */
struct EveryRow {
  void operator()(PetscInt) const {}
};

} // namespace heptane

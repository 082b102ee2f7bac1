/*
   Whether the rows of a cell, or a list of rows, consist of whole blocks. No PETSc objects.
*/
#pragma once

#include "csr.hpp"
#include <algorithm>
#include <cstddef>
#include <vector>

namespace heptane
{

/* Whether the b rows of a cell have the same columns, and these form at least one whole aligned block, block after
   block */
inline bool is_dense_cell(const Csr &A, PetscInt cell, PetscInt b)
{
  const PetscInt  row0 = cell * b, n = A.ptr[row0 + 1] - A.ptr[row0];
  const PetscInt *first = A.col + A.ptr[row0];

  if (n == 0 || n % b) return false;
  for (PetscInt k = 0; k < n; k += b) {
    if (first[k] % b) return false;
    for (PetscInt s = 1; s < b; s++)
      if (first[k + s] != first[k] + s) return false;
  }
  for (PetscInt row = row0 + 1; row < row0 + b; row++)
    if (A.ptr[row + 1] - A.ptr[row] != n || !std::equal(first, first + n, A.col + A.ptr[row])) return false;
  return true;
}

/* Whether the rows form whole cells of b, all rows of a cell have the same columns, and these form whole cells in
   order. List entry k is row row[k] with entries first[k] .. first[k + 1] - 1 in columns column[]; component(c): index
   of column c in its cell */
template <class Component>
bool in_whole_blocks(const std::vector<int> &row, const std::vector<int> &first, const std::vector<int> &column, int b, Component component)
{
  for (std::size_t k = 0; k < row.size(); k++) {
    const std::size_t corner = k - k % b;
    const int         length = first[k + 1] - first[k];

    if (row[k] != row[corner] + (int)(k - corner) || row[corner] % b || length % b || corner + b > row.size() || length != first[corner + 1] - first[corner])
      return false;
    for (int e = 0; e < length; e++) {
      const int c = column[first[k] + e];

      if (c != column[first[corner] + e] || c != column[first[k] + e - e % b] + e % b || component(c) != e % b) return false;
    }
  }
  return true;
}

} // namespace heptane

/*
   Looks for dense aligned blocks in a compressed-row pattern.
*/
#include "find_block.hpp"
#include "../../device/with_block.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

enum class CellKind { dense, single, other };

/* What the b rows of one cell look like: dense aligned blocks, nothing but entries in the own cell (at most one per row), or neither */
CellKind classify_cell(const Csr &A, PetscInt cell, int b)
{
  const PetscInt  row0 = cell * b, n = A.ptr[row0 + 1] - A.ptr[row0];
  const PetscInt *first = A.col + A.ptr[row0];
  bool            dense = n > 0 && n % b == 0, single = true;

  for (PetscInt k = 0; dense && k < n; k++) dense = first[k] == first[k - k % b] + k % b && first[k - k % b] % b == 0;
  for (int i = 0; i < b && (dense || single); i++) {
    const PetscInt  len = A.ptr[row0 + i + 1] - A.ptr[row0 + i];
    const PetscInt *col = A.col + A.ptr[row0 + i];
    dense               = dense && len == n && std::equal(first, first + n, col);
    single              = single && (len == 0 || (len == 1 && *col / b == cell));
  }
  return dense ? CellKind::dense : single ? CellKind::single : CellKind::other;
}

} // namespace

int find_block(const Csr &A)
{
  for (int b = compiled_blocks; b > 1; b--) {
    if (!A.rows || A.rows % b || A.cols % b) continue;
    const PetscInt cells = A.rows / b, most = cells / 50; /* cells that may disagree: 2 % */
    PetscInt       dense = 0, other = 0;
    for (PetscInt cell = 0; cell < cells && other <= most; cell++) {
      const CellKind kind = classify_cell(A, cell, b);
      dense += kind == CellKind::dense;
      other += kind == CellKind::other;
    }
    if (other <= most && dense > 0 && other * 50 <= dense) return b;
  }
  return 1;
}

} // namespace heptane

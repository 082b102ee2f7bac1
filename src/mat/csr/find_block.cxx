/*
   Detects dense aligned blocks in a compressed-row pattern.
*/
#include "find_block.hpp"
#include "../../device/with_block.hpp"
#include "whole_blocks.hpp"

namespace heptane
{

namespace
{

enum class CellKind { dense, single, other };

/* Kind of the b rows of one cell: dense aligned blocks, only entries in their own cell (at most one per row), or
   neither */
CellKind classify_cell(const Csr &A, PetscInt cell, int b)
{
  if (is_dense_cell(A, cell, b)) return CellKind::dense;
  for (PetscInt row = cell * b; row < (cell + 1) * b; row++) {
    const PetscInt len = A.ptr[row + 1] - A.ptr[row];
    if (len > 1 || (len == 1 && A.col[A.ptr[row]] / b != cell)) return CellKind::other;
  }
  return CellKind::single;
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

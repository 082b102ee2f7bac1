/*
   Whether a row of a compressed-row pattern is the row before moved on by some columns, as most rows of a grid are. Knows no PETSc objects.
*/
#pragma once

#include "csr.hpp"

namespace heptane
{

/* Column k of the row is column k of the row before plus step, for all of them, and both have as many */
inline bool is_shifted_row(const Csr &A, PetscInt row, PetscInt step)
{
  if (row == 0) return false;
  const PetscInt before = A.ptr[row - 1], first = A.ptr[row], width = first - before;

  if (A.ptr[row + 1] - first != width) return false;
  for (PetscInt k = first; k < first + width; k++)
    if (A.col[k] - A.col[k - width] != step) return false;
  return true;
}

/* For loops over entries that may call something else for such rows: they do not */
struct EveryRow {
  void operator()() const {}
};

} // namespace heptane

/*
   Whether a row of a compressed-row pattern has a column twice, which MatCreateSeqAIJWithArrays() and MatLoad() accept. Such entries are summed by products of compressed
   rows; formats with one place for each row and column cannot hold them. Knows no PETSc objects.
*/
#pragma once

#include "csr.hpp"
#include <vector>

namespace heptane
{

/* Rows that ascend need one look at each column; others a note of the last row for each column of the matrix */
inline bool has_repeated_columns(const Csr &A)
{
  std::vector<PetscInt> last;

  for (PetscInt row = 0; row < A.rows; row++) {
    const PetscInt begin = A.ptr[row], end = A.ptr[row + 1];
    bool           ascends = true;

    for (PetscInt k = begin + 1; k < end; k++) ascends &= A.col[k - 1] < A.col[k];
    if (ascends) continue;
    if (last.empty()) last.assign(static_cast<std::size_t>(A.cols), -1);
    for (PetscInt k = begin; k < end; k++) {
      if (last[A.col[k]] == row) return true;
      last[A.col[k]] = row;
    }
  }
  return false;
}

} // namespace heptane

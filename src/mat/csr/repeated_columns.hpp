/*
   Whether a row of a compressed-row pattern has a column twice, which MatCreateSeqAIJWithArrays() and MatLoad() accept.
   Compressed-row products sum such entries; formats with one place per row and column cannot hold them. No PETSc
   objects.
*/
#pragma once

#include "shifted_row.hpp"
#include <vector>

namespace heptane
{

/* Ascending rows need one comparison per column; other rows a record of the last row for each column of the matrix.
   groups: row_groups(), one row of each is checked */
inline bool has_repeated_columns(const Csr &A, const std::vector<PetscInt> &groups)
{
  std::vector<PetscInt> last;

  for (std::size_t g = 0; g < groups.size(); g++) {
    const PetscInt row = groups[g], begin = A.ptr[row], end = A.ptr[row + 1];
    bool           ascends = true;

    ask_for_group(A, groups, g);
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

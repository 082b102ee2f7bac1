/*
   Blocks of a problem's compressed rows.
*/
#include "block_format.hpp"
#include "candidate.hpp"
#include <algorithm>

namespace bench
{

PetscErrorCode block_format(const Problem &p, HostFormat *f)
{
  const PetscInt   b = p.block, cells = p.rows / b;
  const size_t     area = static_cast<size_t>(b) * b;
  std::vector<int> place(p.cols / b, -1); // where a block column of the current block row lies in f->columns

  PetscFunctionBeginUser;
  PetscCheck(b > 1 && p.rows % b == 0 && p.cols % b == 0, PETSC_COMM_SELF, PETSC_ERR_SUP, "%sBSR needs a block size of at least 2 that divides the matrix",
             not_applicable);
  f->offsets.assign(1, 0);
  f->columns.reserve(p.nnz / area + cells);
  f->values.reserve(p.nnz);
  for (PetscInt cell = 0; cell < cells; cell++) {
    const size_t first = f->columns.size();

    for (PetscInt k = p.i[cell * b]; k < p.i[(cell + 1) * b]; k++) {
      const int column = static_cast<int>(p.j[k] / b);

      if (place[column] < 0) {
        place[column] = 0;
        f->columns.push_back(column);
      }
    }
    std::sort(f->columns.begin() + static_cast<std::ptrdiff_t>(first), f->columns.end());
    for (size_t k = first; k < f->columns.size(); k++) place[f->columns[k]] = static_cast<int>(k);
    f->offsets.push_back(static_cast<int>(f->columns.size()));
    f->values.resize(f->columns.size() * area, 0);
    for (PetscInt row = cell * b; row < (cell + 1) * b; row++) {
      for (PetscInt k = p.i[row]; k < p.i[row + 1]; k++) f->values[place[p.j[k] / b] * area + (row % b) * b + p.j[k] % b] = p.a[k];
    }
    for (size_t k = first; k < f->columns.size(); k++) place[f->columns[k]] = -1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

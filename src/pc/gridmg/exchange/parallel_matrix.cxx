/*
   A parallel matrix in slabs: its unknowns, its side, the cells of its rows and columns. See parallel_matrix.hpp.
*/
#include "parallel_matrix.hpp"
#include "../grid/numbering.hpp"
#include "../grid/tuning.hpp"
#include "parallel_matrix_entries.hpp"
#include <algorithm>
#include <limits>

namespace heptane
{

PetscErrorCode GridParallelMatrix::Open(Mat A, DM grid, bool on_host, GridDistribution *distribution)
{
  const MPI_Comm  comm = PetscObjectComm((PetscObject)A);
  const PetscInt *of_others;
  PetscInt        lo, hi, first, n, count;

  PetscFunctionBegin;
  matrix          = A;
  host_only       = on_host;
  numbering       = grid;
  interface_known = false;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &parts[0], &parts[1], &of_others));
  BlockDiagonals D;
  PetscBool      there;
  bool           ours;
  PetscCall(LocalBlock(&D, &there, &ours));
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatGetOwnershipRangeColumn(A, &first, NULL));
  const int has_rows = hi > lo, unknowns = has_rows && ours ? D.block : 0;
  int       most[5] = {unknowns, has_rows ? -unknowns : -std::numeric_limits<int>::max(), has_rows && there, has_rows ? -(int)there : -1, 0};
  most[4]           = has_rows && (!unknowns || lo % unknowns || hi % unknowns);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 5, MPI_INT, MPI_MAX, comm));
  least = has_rows ? D.least : 0;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MAX, comm));
  block  = most[0];
  device = most[2] > 0;
  PetscCall(MatGetSize(A, &n, NULL));
  if (most[0] != -most[1] || most[0] < 1 || n % most[0]) distribution->ToRoot("processes find other numbers of unknowns per cell");
  else if (most[4]) distribution->ToRoot("processes divide a cell");
  else if (most[0] > GridTuning::most_unknowns) distribution->ToRoot("there are more unknowns per cell than PCGRIDMG supports");
  else if (n > std::numeric_limits<int>::max()) distribution->ToRoot("there are more rows than 32 bits count");
  else if (most[2] != -most[3]) distribution->ToRoot("products run on the host and on devices");
  if (!distribution->Is(GridDistribution::slabs)) PetscFunctionReturn(PETSC_SUCCESS);
  cells         = n / block;
  moved_to_root = static_cast<double>(n - (hi - lo));
  PetscCallMPI(MPI_Bcast(&moved_to_root, 1, MPI_DOUBLE, 0, comm));
  /* numbers of cells: of local rows, of columns of other processes */
  row_cell.clear();
  row_cell.reserve(static_cast<std::size_t>((hi - lo) / block));
  for (PetscInt r = lo; r < hi; r += block) row_cell.push_back(r);
  PetscCall(grid_renumber(grid, &row_cell, false));
  PetscCall(MatGetLocalSize(parts[1], NULL, &count));
  column_cell.assign(of_others, of_others + count);
  PetscCall(grid_renumber(grid, &column_cell, false));
  for (PetscInt &c : row_cell) c /= block;
  for (PetscInt &c : column_cell) c /= block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int GridParallelMatrix::Side(PetscInt offset) const
{
  for (int q = 0; q < 7; q++)
    if (shape.diagonal[q] >= 0 && offset_of[static_cast<std::size_t>(shape.diagonal[q])] == offset) return q;
  return -1;
}

} // namespace heptane

/*
   The local rows of a parallel matrix in slabs: unknowns and side, the cells of rows and columns, and the values in their
   memory space. See parallel_matrix.hpp.
*/
#include "parallel_matrix.hpp"
#include "../../../sys/collective.hpp"
#include "../grid/numbering.hpp"
#include "../grid/tuning.hpp"
#include <algorithm>
#include <cstdlib>
#include <limits>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

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
  PetscCall(CollectiveReduce(comm, most, 5, MPI_INT, MPI_MAX));
  least = has_rows ? D.least : 0;
  PetscCall(CollectiveReduce(comm, &least, 1, MPI_DOUBLE, MPI_MAX));
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

int GridParallelMatrix::LocalSide(int offset) const
{
  if (offset == 0) return 0;
  for (int a = 0; a < 3; a++)
    if (region.extent[a] > 1 && static_cast<std::size_t>(std::abs(offset)) == region.stride(a)) return 1 + 2 * a + (offset > 0);
  return -1;
}

PetscErrorCode GridParallelMatrix::FindRegion(GridDistribution *distribution)
{
  const MPI_Comm  comm = PetscObjectComm((PetscObject)matrix);
  const PetscInt *first;
  PetscMPIInt     size, rank;
  PetscBool       found = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRanges(matrix, &first));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  all_have_rows = true;
  for (PetscMPIInt p = 0; p < size; p++) all_have_rows = all_have_rows && first[p] < first[p + 1];
  if (numbering) {
    PetscCall(grid_numbering_box(numbering, shape.extent, &region, &found));
    found = (PetscBool)(found && region.cells == row_cell.size());
  } else region = GridRegion::Run(shape.extent, static_cast<std::size_t>(first[rank] / block), row_cell.size());
  PetscCall(CollectiveReduce(comm, &found, 1, MPI_C_BOOL, MPI_LAND));
  if (!found) distribution->ToRoot("the rows of the processes do not form boxes of the DMDA");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Separates the entries in columns of other processes: couplings between neighbours across the border, and remainder
   entries */
PetscErrorCode GridParallelMatrix::FindInterface()
{
  const PetscInt *of_others, *ptr, *col;
  GridFaces       faces[3];
  PetscInt        n;
  PetscBool       done;

  PetscFunctionBegin;
  for (int a = 0; a < 3; a++) faces[a] = GridFaces::Of(region, a, block);
  for (std::vector<PetscInt> &entry : interface_entry) entry.clear();
  remainder_entry.clear();
  remainder_places.clear();
  PetscCall(MatMPIAIJGetSeqAIJ(matrix, NULL, &parts[1], &of_others));
  PetscCall(MatGetRowIJ(parts[1], 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A part of a parallel matrix has no compressed rows");
  for (PetscInt r = 0; r < n; r++)
    for (PetscInt e = ptr[r]; e < ptr[r + 1]; e++) {
      const PetscInt       row = row_cell[static_cast<std::size_t>(r / block)], to = column_cell[static_cast<std::size_t>(col[e])];
      const PetscInt       s     = of_others[col[e]] % block;
      const int            q     = Side(to - row);
      const GridFaces     &of    = faces[q > 0 ? (q - 1) / 2 : 0];
      const std::ptrdiff_t at    = q > 0 ? of.number(static_cast<std::size_t>(r), (q - 1) % 2) : -1;
      const std::size_t    count = of.count();

      if (at < 0) {
        remainder_entry.push_back(e);
        remainder_places.push_back({static_cast<int>(row * block + r % block), static_cast<int>(to * block + s)});
        continue;
      }
      std::vector<PetscInt> &entry = interface_entry[q - 1];
      if (entry.empty()) entry.assign(static_cast<std::size_t>(block) * count, -1);
      entry[static_cast<std::size_t>(s) * count + static_cast<std::size_t>(at)] = e;
    }
  PetscCall(MatRestoreRowIJ(parts[1], 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
  interface_known = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The block diagonals of the local rows, and whether they are on the device; ours: the local matrix has one of our
   formats */
PetscErrorCode GridParallelMatrix::LocalBlock(BlockDiagonals *D, PetscBool *there, bool *ours)
{
  BlockDiagonalsSource *source;

  PetscFunctionBegin;
  *D     = BlockDiagonals();
  *there = (PetscBool)!host_only;
  PetscCall(MatGetDiagonalBlock(matrix, &parts[0]));
  PetscCall(PetscObjectContainerQuery((PetscObject)parts[0], block_diagonals_name, &source));
  if (source) PetscCall((*source->get)(matrix, D, there)); /* of the matrix, because its local block does not record where products run */
  else *there = PETSC_FALSE;
  *ours = source != nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pinned if devices read it; grows on demand */
PetscErrorCode GridParallelMatrix::InterfaceMemory(std::size_t numbers, Scalar **at)
{
  void *made = nullptr;

  PetscFunctionBegin;
  if (numbers > interface_size) {
    interface_memory.reset();
    interface_size = 0;
    if (!device) {
      PetscCall(PetscMalloc(numbers * sizeof(Scalar), &made));
      interface_memory = std::shared_ptr<void>(made, [](void *a) { PetscCallAbort(PETSC_COMM_SELF, PetscFree(a)); });
    }
#if PetscDefined(HAVE_CUDA)
    else {
      PetscCallCUDA(cudaMallocHost(&made, numbers * sizeof(Scalar)));
      interface_memory = std::shared_ptr<void>(made, [](void *a) { (void)cudaFreeHost(a); });
    }
#endif
    interface_size = numbers;
  }
  *at = static_cast<Scalar *>(interface_memory.get());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridParallelMatrix::LocalDiagonals(BlockDiagonals *D, int diagonal[7], const Scalar *interface[6], bool *usable)
{
  PetscBool  there;
  bool       ours;
  int        others = 0;
  const bool rows   = !row_cell.empty();

  PetscFunctionBegin;
  PetscCall(LocalBlock(D, &there, &ours));
  std::fill(diagonal, diagonal + 7, -1);
  std::fill(interface, interface + 6, nullptr);
  if (rows) others = !ours || D->block != block || static_cast<bool>(there) != device || (!has_remainder && D->remainder_row && !D->remainder_row->empty());
  for (int r = 0; r < D->ndiag && rows && !others; r++) {
    const int q = LocalSide(D->offset[r]);

    if (q < 0 || shape.diagonal[q] < 0) others = 1;
    else diagonal[q] = r;
  }
  if (!others && rows && !interface_known) PetscCall(FindInterface());
  if (!others && rows) others = !has_remainder && !remainder_places.empty();
  if (!others && rows) {
    const PetscScalar *a;
    std::size_t        count = 0;
    Scalar            *to;

    for (const std::vector<PetscInt> &entry : interface_entry) count += entry.size();
    PetscCall(InterfaceMemory(std::max<std::size_t>(1, count), &to));
    PetscCall(MatMPIAIJGetSeqAIJ(matrix, NULL, &parts[1], NULL));
    PetscCall(MatSeqAIJGetArrayRead(parts[1], &a));
    for (int side = 0; side < 6; side++) {
      const std::vector<PetscInt> &entry = interface_entry[side];

      for (std::size_t k = 0; k < entry.size(); k++) to[k] = entry[k] < 0 ? Scalar(0) : a[entry[k]];
      if (!entry.empty()) interface[side] = to;
      to += entry.size();
    }
    PetscCall(MatSeqAIJRestoreArrayRead(parts[1], &a));
  }
  PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)matrix), &others, 1, MPI_INT, MPI_MAX));
  *usable = !others;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridParallelMatrix::RemainderPlaces(const BlockDiagonals &D, std::vector<GridEntryPlace> *places, bool *neighbours) const
{
  PetscFunctionBegin;
  places->clear();
  *neighbours = false;
  for (std::size_t r = 0; D.remainder_row && r < D.remainder_row->size(); r++) {
    const int row = (*D.remainder_row)[r], cell = static_cast<int>(row_cell[static_cast<std::size_t>(row / block)]);

    for (int e = (*D.remainder_ptr)[r]; e < (*D.remainder_ptr)[r + 1]; e++) {
      const int col = (*D.remainder_col)[e], to = static_cast<int>(row_cell[static_cast<std::size_t>(col / block)]);

      if (Side(to - cell) >= 0) *neighbours = true;
      places->push_back({cell * block + row % block, to * block + col % block});
    }
  }
  places->insert(places->end(), remainder_places.begin(), remainder_places.end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridParallelMatrix::RemainderValues(std::vector<Scalar> *values)
{
  BlockDiagonals     D;
  PetscBool          there;
  bool               ours;
  const PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(LocalBlock(&D, &there, &ours));
  const std::size_t local = D.remainder_ptr && !D.remainder_ptr->empty() ? static_cast<std::size_t>(D.remainder_ptr->back()) : 0;
  values->resize(local + remainder_entry.size());
  if (device && local) PetscCall(CopyToHost(values->data(), D.remainder_values, local));
  else std::copy_n(D.remainder_values, local, values->begin());
  if (remainder_entry.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAIJGetSeqAIJ(matrix, NULL, &parts[1], NULL));
  PetscCall(MatSeqAIJGetArrayRead(parts[1], &a));
  for (std::size_t k = 0; k < remainder_entry.size(); k++) (*values)[local + k] = a[remainder_entry[k]];
  PetscCall(MatSeqAIJRestoreArrayRead(parts[1], &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

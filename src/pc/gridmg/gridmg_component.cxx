/*
   Multigrid for one component: see gridmg_component.hpp.
*/
#include "gridmg_component.hpp"
#include "gridmg_system.hpp"
#include <algorithm>
#include <tuple>

namespace heptane
{

GridComponentStage::~GridComponentStage()
{
  PetscCallAbort(PETSC_COMM_SELF, Reset());
}

PetscErrorCode GridComponentStage::Reset()
{
  PetscFunctionBegin;
  hierarchy.reset();
  memory.Free();
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&left));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

/* An entry beside the diagonals; what is sorted by row and column */
struct Entry {
  int row, col, source;

  bool operator<(const Entry &o) const { return std::tie(row, col, source) < std::tie(o.row, o.col, o.source); }
};

/* The lists of GridComponentLists */
struct Lists {
  std::vector<std::uint32_t> mask;
  std::vector<int>           base, by_ptr{0}, by_entry, ptr{0}, source, row;
};

/* Which entries lie in the columns of a cell: row is the cell */
void list_columns(std::vector<Entry> &columns, std::size_t cells, Lists *to)
{
  to->mask.assign((cells + 31) / 32, 0);
  to->base.assign((cells + 31) / 32, 0);
  std::sort(columns.begin(), columns.end());
  for (std::size_t e = 0; e < columns.size(); e++) {
    if (e == 0 || columns[e].row != columns[e - 1].row) to->by_ptr.push_back(to->by_ptr.back());
    to->by_entry.push_back(columns[e].source);
    to->by_ptr.back()++;
    to->mask[static_cast<std::size_t>(columns[e].row) / 32] |= std::uint32_t(1) << columns[e].row % 32;
  }
  for (std::size_t w = 1; w < to->mask.size(); w++) to->base[w] = to->base[w - 1] + count_bits(to->mask[w - 1]);
}

} // namespace

/* Entries of the component by cells: those of its matrix, and what they are sums of */
static void list_entries(std::vector<Entry> &mine, std::vector<int> *rem_row, std::vector<int> *rem_ptr, std::vector<int> *rem_col, Lists *to)
{
  std::sort(mine.begin(), mine.end());
  rem_row->clear();
  rem_col->clear();
  rem_ptr->assign(1, 0);
  for (std::size_t e = 0; e < mine.size(); e++) {
    const bool same_row = e > 0 && mine[e].row == mine[e - 1].row, same = same_row && mine[e].col == mine[e - 1].col;

    if (!same_row) {
      rem_row->push_back(mine[e].row);
      rem_ptr->push_back(rem_ptr->back());
    }
    if (!same) {
      rem_col->push_back(mine[e].col);
      rem_ptr->back()++;
      to->ptr.push_back(to->ptr.back());
    }
    to->source.push_back(mine[e].source);
    to->ptr.back()++;
  }
}

PetscErrorCode GridComponentStage::MakeLists(const BlockDiagonals &D)
{
  std::vector<Entry> mine, columns;
  std::vector<int>   all;
  Lists              made;
  const int         *at;
  std::size_t        first[9];

  PetscFunctionBegin;
  for (std::size_t r = 0; r < D.rem_row->size(); r++)
    for (int e = (*D.rem_ptr)[r]; e < (*D.rem_ptr)[r + 1]; e++) {
      const int row = (*D.rem_row)[r], col = (*D.rem_col)[e];

      made.row.push_back(row);
      columns.push_back({col / B, 0, e});
      if (col % B == C.component) mine.push_back({row / B, col / B, e});
    }
  list_entries(mine, &rem_row, &rem_ptr, &rem_col, &made);
  list_columns(columns, C.cells, &made);
  const std::vector<int> *const lists[] = {&made.base, &made.by_ptr, &made.by_entry, &made.ptr, &made.source, &made.row, D.rem_col, D.rem_row, D.rem_ptr};
  for (int k = 0; k < 9; k++) {
    first[k] = all.size();
    all.insert(all.end(), lists[k]->begin(), lists[k]->end());
  }
  numbers.Free();
  mask.Free();
  PetscCall(numbers.Assign(Place(), all));
  PetscCall(mask.Assign(Place(), made.mask));
  at                 = numbers.At(Place());
  C.lists.by_column  = {columns.empty() ? nullptr : mask.At(Place()), at + first[0], at + first[1], at + first[2], nullptr, 0, 1, {}};
  C.lists.ptr        = at + first[3];
  C.lists.source     = at + first[4];
  C.lists.row        = at + first[5];
  C.lists.col        = at + first[6];
  C.lists.linked_row = at + first[7];
  C.lists.linked_ptr = at + first[8];
  C.lists.entries    = static_cast<int>(rem_col.size());
  C.lists.linked     = static_cast<int>(D.rem_row->size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridComponentStage::Plan(const BlockDiagonals &D, bool single)
{
  const std::size_t n = C.cells, all = static_cast<std::size_t>(B) * n;
  Scalar           *at;

  PetscFunctionBegin;
  PetscCall(Reset());
  offset.assign(D.offset, D.offset + D.ndiag);
  C.ndiag = D.ndiag;
  PetscCheck(C.ndiag <= 7, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d block diagonals of a grid", C.ndiag);
  std::copy(offset.begin(), offset.end(), C.offset);
  PetscCall(MakeLists(D));
  memory.Resize(all + static_cast<std::size_t>(C.ndiag) * n + rem_col.size() + (device ? 2 * n + all : 0));
  PetscCall(memory.Zeros(Place(), &at));
  C.weights          = at;
  C.reduced          = C.weights + all;
  C.reduced_beside   = C.reduced + static_cast<std::size_t>(C.ndiag) * n;
  reduced            = BlockDiagonals();
  reduced.rows       = static_cast<int>(n);
  reduced.ndiag      = C.ndiag;
  reduced.ld         = n;
  reduced.offset     = offset.data();
  reduced.values     = C.reduced;
  reduced.rem_row    = &rem_row;
  reduced.rem_ptr    = &rem_ptr;
  reduced.rem_col    = &rem_col;
  reduced.rem_values = C.reduced_beside;
  reduced.layout     = D.layout;
#if PetscDefined(HAVE_CUDA)
  device_b    = C.reduced_beside + rem_col.size();
  device_x    = device_b + n;
  device_left = device_x + n;
#endif
  if (!device) {
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, (PetscInt)n, &b));
    PetscCall(VecDuplicate(b, &x));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, (PetscInt)all, &left));
  }
  hierarchy = GridHierarchy::Make(single);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridComponentStage::SetUp(const BlockDiagonals &D, bool on_device, const GridShape &shape, const GridOptions &options, bool single,
                                         int component, bool again, GridReport *report)
{
  const bool plan = again || !hierarchy;

  PetscFunctionBegin;
  device      = on_device;
  B           = D.block;
  C.component = component;
  C.cells     = static_cast<std::size_t>(D.rows / D.block);
  C.ld        = D.ld;
  C.values    = D.values;
  C.beside    = D.rem_values;
  if (plan) PetscCall(Plan(D, single));
  if (!device)
    with_unknowns(B, [&](auto unknowns) {
      for (std::size_t cell = 0; cell < C.cells; cell++) {
        grid_component_weights<unknowns()>(C, cell);
        grid_component_row<unknowns()>(C, cell);
      }
      for (int t = 0; t < C.lists.entries; t++) grid_component_beside(C, t);
    });
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(launch_component_setup(B, C, stream));
  }
#endif
  if (plan) PetscCall(hierarchy->Plan(reduced, device, shape, options)); /* which looks at the values */
  PetscCall(hierarchy->Factor(reduced, report));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridComponentStage::Apply(GridHierarchy &second, Vec r, Vec y)
{
  const Scalar *from, *of_x;
  Scalar       *to;

  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (device) {
    PcPasses    *both = Passes(second);
    PetscMemType mr, my;
    cudaStream_t stream;
    Vec          place[2] = {r, y};

    PetscCheck(both, PETSC_COMM_SELF, PETSC_ERR_SUP, "-pc_gridmg_component and -pc_gridmg_log do not go together on a device: use one of them");
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(VecGetArrayReadAndMemType(place[0], &from, &mr));
    PetscCall(VecGetArrayWriteAndMemType(place[1], &to, &my));
    PetscCheck(PetscMemTypeDevice(mr) && PetscMemTypeDevice(my), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "-pc_gridmg_component of a matrix on the device needs vectors there: use those of MatCreateVecs()");
    PetscCallCUDA(both->Launch(from, to, stream));
    PetscCall(VecRestoreArrayReadAndMemType(place[0], &from));
    PetscCall(VecRestoreArrayWriteAndMemType(place[1], &to));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(VecGetArrayRead(r, &from));
  PetscCall(VecGetArrayWrite(b, &to));
  with_unknowns(B, [&](auto unknowns) {
    for (std::size_t cell = 0; cell < C.cells; cell++) grid_component_restrict<unknowns()>(C, from, to, cell);
  });
  PetscCall(VecRestoreArrayWrite(b, &to));
  PetscCall(hierarchy->Apply(b, x));
  PetscCall(VecGetArrayRead(x, &of_x));
  PetscCall(VecGetArrayWrite(left, &to));
  with_unknowns(B, [&](auto unknowns) {
    for (std::size_t cell = 0; cell < C.cells; cell++) grid_component_residual<unknowns()>(C, from, of_x, to, cell);
  });
  for (int k = 0; k < C.lists.linked; k++) grid_component_linked(C, B, of_x, to, k);
  PetscCall(VecRestoreArrayWrite(left, &to));
  PetscCall(VecRestoreArrayRead(r, &from));
  PetscCall(second.Apply(left, y));
  PetscCall(VecGetArray(y, &to));
  for (std::size_t cell = 0; cell < C.cells; cell++) to[cell * B + C.component] += of_x[cell];
  PetscCall(VecRestoreArray(y, &to));
  PetscCall(VecRestoreArrayRead(x, &of_x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PcPasses *GridComponentStage::Passes(GridHierarchy &second)
{
#if PetscDefined(HAVE_CUDA)
  passes.of     = this;
  passes.first  = hierarchy ? hierarchy->Passes() : nullptr;
  passes.second = second.Passes();
  if (passes.first && passes.second) return &passes;
#else
  (void)second;
#endif
  return nullptr;
}

#if PetscDefined(HAVE_CUDA)
cudaError_t GridComponentStage::Launched::Launch(const Scalar *r, Scalar *z, cudaStream_t stream) const
{
  const GridComponent &C   = of->C;
  cudaError_t          err = launch_component_restrict(of->B, C, r, of->device_b, stream);

  if (err == cudaSuccess) err = first->Launch(of->device_b, of->device_x, stream);
  if (err == cudaSuccess) err = launch_component_residual(of->B, C, r, of->device_x, of->device_left, stream);
  if (err == cudaSuccess) err = second->Launch(of->device_left, z, stream);
  return err != cudaSuccess ? err : launch_component_add(of->B, C, of->device_x, z, stream);
}

double GridComponentStage::Launched::Flops() const
{
  return first->Flops() + second->Flops() + 2.0 * of->B * (of->C.ndiag + 1) * static_cast<double>(of->C.cells);
}
#endif

} // namespace heptane

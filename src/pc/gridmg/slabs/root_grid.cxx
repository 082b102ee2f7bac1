/*
   A parallel system on the first process: see root_grid.hpp.
*/
#include "root_grid.hpp"
#include "../grid/numbering.hpp"
#include "../../../device/vector_array.hpp"
#include <vector>
#if PetscDefined(HAVE_CUDA)
  #include "../device/record.hpp"
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

RootGrid::~RootGrid()
{
  PetscCallAbort(PETSC_COMM_SELF, Reset());
}

PetscErrorCode RootGrid::Reset()
{
  PetscFunctionBegin;
  PetscCall(matrix.Reset());
  PetscCall(ResetVectors());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootGrid::ResetVectors()
{
  PetscFunctionBegin;
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&in));
  PetscCall(VecDestroy(&out));
  nccl = RootGridNccl();
  for (Buffer<Scalar> &b : whole) b.Free();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All rows on the first process, none on other processes: in their numbering, or in that of the grid, in blocks */
static PetscErrorCode all_rows(Mat A, DM grid, IS *rows)
{
  PetscMPIInt           rank;
  PetscInt              count, bs;
  std::vector<PetscInt> row, block;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCall(MatGetSize(A, &count, NULL));
  PetscCall(MatGetBlockSize(A, &bs));
  if (rank) count = 0;
  if (!grid) {
    PetscCall(ISCreateStride(PETSC_COMM_SELF, count, 0, 1, rows));
    PetscCall(ISSetBlockSize(*rows, bs));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < count; i++) row.push_back(i);
  PetscCall(grid_renumber(grid, &row, true)); /* collective */
  for (PetscInt i = 0; i < count; i += bs) block.push_back(row[static_cast<std::size_t>(i)] / bs);
  PetscCall(ISCreateBlock(PETSC_COMM_SELF, bs, count / bs, block.data(), PETSC_COPY_VALUES, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootGrid::Make(Mat A, DM grid, Mat on_first)
{
  IS  rows;
  Vec x;

  PetscFunctionBegin;
  PetscCall(ResetVectors());
  PetscCall(nccl.SetRows(A, grid));
  PetscCall(MatCreateVecs(on_first, &in, &out));
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(all_rows(A, grid, &rows));
  PetscCall(VecScatterCreate(x, rows, in, NULL, &scatter));
  PetscCall(ISDestroy(&rows));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootGrid::Gather(Mat A, DM grid, MatType type, Mat *on_first)
{
  PetscBool made;

  PetscFunctionBegin;
  PetscCall(matrix.Gather(A, grid, type, on_first, &made));
  if (made || !scatter) PetscCall(Make(A, grid, *on_first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Passes exist on the first process, or none there either */
PetscErrorCode RootGrid::LinkNccl(Mat A, GridHierarchy *on, Where side, bool in_stream, PetscBool *linked)
{
  PetscFunctionBegin;
  nccl.Unlink();
  *linked = PETSC_FALSE;
  if (in_stream) PetscCall(nccl.Link(PetscObjectComm((PetscObject)A), side, linked));
#if PetscDefined(HAVE_CUDA)
  if (!*linked || side == Where::host) PetscFunctionReturn(PETSC_SUCCESS);
  PetscInt rows;

  PetscCall(MatGetSize(A, &rows, NULL));
  passes.by    = &nccl;
  passes.cycle = on ? on->Passes() : nullptr;
  for (Buffer<Scalar> &b : whole) b.Resize(on ? static_cast<std::size_t>(rows) : 0);
  PetscCall(whole[0].Memory(side, &passes.in));
  PetscCall(whole[1].Memory(side, &passes.out));
#else
  (void)on;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PcPasses *RootGrid::Passes()
{
#if PetscDefined(HAVE_CUDA)
  if (nccl.InUse() && nccl.Side() == Where::device) return &passes;
#endif
  return nullptr;
}

#if PetscDefined(HAVE_CUDA)
cudaError_t RootGrid::Launched::Launch(const Scalar *r, Scalar *z, cudaStream_t stream) const
{
  cudaError_t err = reported(by->ToRoot(r, in, stream));

  if (!err && cycle) err = cycle->Launch(in, out, stream);
  return err ? err : reported(by->FromRoot(out, z, stream));
}
#endif

PetscErrorCode RootGrid::ApplyByNccl(GridHierarchy *on, Vec x, Vec y)
{
  VectorArray   of_x, of_y;
  const Scalar *from, *result = nullptr;
  Scalar       *to = nullptr, *begin = nullptr;

  PetscFunctionBegin;
  PetscCall(of_x.Read(nccl.Side(), x, &from));
  PetscCall(of_y.Write(nccl.Side(), y, false, &to));
#if PetscDefined(HAVE_CUDA)
  if (nccl.Side() == Where::device) {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(nccl.ToRoot(from, passes.in, stream)); /* not Launch(), whose errors are of CUDA only */
    if (passes.cycle) PetscCall(of_launch(passes.cycle->Launch(passes.in, passes.out, stream)));
    PetscCall(nccl.FromRoot(passes.out, to, stream));
    PetscCall(PetscLogGpuFlops(passes.Flops()));
  }
#endif
  if (nccl.Side() == Where::host) {
    if (on) PetscCall(VecGetArrayWrite(in, &begin));
    PetscCall(nccl.ToRoot(from, begin, nullptr));
    if (on) PetscCall(VecRestoreArrayWrite(in, &begin));
    if (on) PetscCall(on->Apply(in, out));
    if (on) PetscCall(VecGetArrayRead(out, &result));
    PetscCall(nccl.FromRoot(result, to, nullptr));
    if (on) PetscCall(VecRestoreArrayRead(out, &result));
  }
  PetscCall(of_y.Restore());
  PetscCall(of_x.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootGrid::Apply(GridHierarchy *on, Vec x, Vec y)
{
  PetscFunctionBegin;
  if (nccl.InUse()) {
    PetscCall(ApplyByNccl(on, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecScatterBegin(scatter, x, in, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, x, in, INSERT_VALUES, SCATTER_FORWARD));
  if (on) PetscCall(on->Apply(in, out));
  PetscCall(VecScatterBegin(scatter, out, y, INSERT_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterEnd(scatter, out, y, INSERT_VALUES, SCATTER_REVERSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

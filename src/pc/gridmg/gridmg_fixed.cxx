/*
   Fixed values in CG without red columns: memory, and the passes of the host. See gridmg_fixed.hpp.
*/
#include "gridmg_fixed.hpp"
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif
#include <algorithm>

namespace heptane
{

PetscErrorCode GridFixed::Find(const GridMatrix &A, const int extent[3], std::size_t of_rows, Where where, bool *got)
{
  PetscFunctionBegin;
  *got          = true;
  lists.most[0] = lists.most[1] = 0;
  if (!of_rows) PetscFunctionReturn(PETSC_SUCCESS);
  for (int a = 0; a < 3; a++) {
    lists.at.extent[a] = static_cast<std::size_t>(extent[a]);
    lists.at.stride[a] = A.stride[a];
  }
  rows.Resize(of_rows);
  cells.Resize(std::min(lists.at.cells(), grid_pivot * of_rows));
  left.Resize(lists.at.cells());
  PetscCall(rows.TryMemory(where, &lists.rows));
  PetscCall(cells.TryMemory(where, &lists.cells));
  PetscCall(count.TryMemory(where, &lists.count));
  PetscCall(left.TryMemory(where, &lists.left));
  *got = lists.rows && lists.cells && lists.count && lists.left;
  if (!*got) PetscFunctionReturn(PETSC_SUCCESS);
  lists.most[0] = rows.Size();
  lists.most[1] = cells.Size();
  if (where == Where::host) {
    lists.count[0] = lists.count[1] = 0;
    for (std::size_t cell = 0; cell < lists.at.cells(); cell++) {
      if (lists.count[0] < lists.most[0] && grid_fixed_row(A, lists.at, cell, lists.rows[lists.count[0]])) lists.count[0]++;
      if (lists.count[1] < lists.most[1] && grid_fixed_cell(A, lists.at, cell, lists.cells[lists.count[1]])) lists.count[1]++;
    }
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemsetAsync(lists.count, 0, 2 * sizeof(*lists.count), stream));
    PetscCallCUDA(launch_grid_fixed_find(A, lists, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Scalar *GridFixed::HostLeft(const Scalar *r)
{
  std::copy_n(r, lists.at.cells(), lists.left);
  for (std::size_t k = 0; k < lists.count[0]; k++) lists.left[lists.rows[k].cell] = grid_left_of(lists.rows[k], lists.at, r);
  for (std::size_t k = 0; k < lists.count[1]; k++) {
    GridFixedCell &fixed = lists.cells[k];

    fixed.more             = fixed.inverse * r[fixed.cell];
    lists.left[fixed.cell] = 0;
  }
  return lists.left;
}

void GridFixed::HostAdd(Scalar *x) const
{
  for (std::size_t k = 0; k < lists.count[1]; k++) x[lists.cells[k].cell] += lists.cells[k].more;
}

#if PetscDefined(HAVE_CUDA)
cudaError_t GridFixed::LaunchLeft(const Scalar *r, const Scalar **of_r, cudaStream_t stream)
{
  const cudaError_t err = cudaMemcpyAsync(lists.left, r, lists.at.cells() * sizeof(Scalar), cudaMemcpyDeviceToDevice, stream);

  *of_r = lists.left;
  return err != cudaSuccess ? err : launch_grid_fixed_left(lists, r, stream);
}

cudaError_t GridFixed::LaunchAdd(Scalar *x, cudaStream_t stream) const
{
  return launch_grid_fixed_add(lists, x, stream);
}
#endif

} // namespace heptane

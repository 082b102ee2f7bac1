/*
   Copies of a list, on the host or by kernels: see copy_list.hpp.
*/
#include "copy_list.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

template <class T>
PetscErrorCode grid_copy_list(Where side, const std::vector<GridCopy<T>> &copies, [[maybe_unused]] bool early, [[maybe_unused]] GridStream stream)
{
  PetscFunctionBegin;
  if (side == Where::host) grid_copy_on_host(copies);
#if PetscDefined(HAVE_CUDA)
  for (std::size_t k = 0; side == Where::device && k < copies.size(); k += GridBarrier::most) {
    const std::vector<GridCopy<T>> some(copies.begin() + k, copies.begin() + std::min(copies.size(), k + GridBarrier::most));
    const MetricsPass              metrics(true, [&] { return grid_copies_cost(some, "rows between processes"); });

    PetscCallCUDA(launch_grid_copy(grid_kernel_copies(some), early, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode grid_copy_list(Where side, const std::vector<GridValueCopy> &copies, bool, [[maybe_unused]] GridStream stream)
{
  PetscFunctionBegin;
  for (const GridValueCopy &copy : copies) {
    for (int k = 0; side == Where::host && k < 7 * copy.block; k++)
      for (std::size_t line = 0; line < copy.lines(); line++)
        for (std::size_t e = 0; e < copy.common.width; e++) copy.move(k, line, e);
#if PetscDefined(HAVE_CUDA)
    if (side == Where::host) continue;
    const MetricsPass metrics(true, [&] {
      return DeclaredPass{"gridmg: values of a slab", 14. * sizeof(Scalar) * copy.block * static_cast<double>(copy.lines() * copy.common.width)};
    });

    PetscCallCUDA(launch_grid_values(copy, stream));
#endif
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template PetscErrorCode grid_copy_list(Where, const std::vector<GridCopy<float>> &, bool, GridStream);
template PetscErrorCode grid_copy_list(Where, const std::vector<GridCopy<double>> &, bool, GridStream);

} // namespace heptane

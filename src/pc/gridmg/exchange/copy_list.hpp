/*
   Lists of copies: run on the host, or as the parameters of a kernel.
*/
#pragma once

#include "../../../device/space.hpp"
#include "../../../metrics/metrics.hpp"
#include "../device/copies.hpp"
#include <petscsys.h>
#include <string>
#include <vector>

namespace heptane
{

#if PetscDefined(HAVE_CUDA)
using GridStream = cudaStream_t;
#else
using GridStream = void *; /* there is none */
#endif

template <class T>
void grid_copy_on_host(const std::vector<GridCopy<T>> &copies)
{
  for (const GridCopy<T> &copy : copies)
    for (std::size_t line = 0; line < copy.lines(); line++)
      for (std::size_t e = 0; e < copy.width; e++) copy.move(line, e);
}

/* At most GridBarrier::most */
template <class T>
GridCopies<T> grid_kernel_copies(const std::vector<GridCopy<T>> &copies)
{
  GridCopies<T> parameters;

  for (const GridCopy<T> &copy : copies) parameters.Add(copy);
  return parameters;
}

/* For -heptane_metrics: numbers are read and written */
template <class T>
DeclaredPass grid_copies_cost(const std::vector<GridCopy<T>> &copies, const char *text)
{
  double numbers = 0;

  for (const GridCopy<T> &copy : copies) numbers += static_cast<double>(copy.lines() * copy.width);
  return {std::string("gridmg: ") + text, 2. * sizeof(T) * numbers};
}

/* Any number, in the order of a stream; on the host at once. early: as in launch_grid_copy() */
template <class T>
PetscErrorCode grid_copy_list(Where side, const std::vector<GridCopy<T>> &copies, bool early, GridStream stream);
PetscErrorCode grid_copy_list(Where side, const std::vector<GridValueCopy> &copies, bool early, GridStream stream);

} // namespace heptane

/*
   Lists of copies: run on the host, or as the parameters of a kernel.
*/
#pragma once

#include "../device/copies.hpp"
#include <vector>

namespace heptane
{

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

} // namespace heptane

/*
   Whether a list of rows is one of whole blocks. Knows no PETSc objects.
*/
#pragma once

#include <cstddef>
#include <vector>

namespace heptane
{

/*
   Whether the rows come in whole cells of b, all rows of a cell have the same columns, and these are those of whole cells in order. List entry k is row row[k] with entries
   first[k] .. first[k + 1] - 1 in columns column[]; component(c): which of its cell a column is
*/
template <class Component>
bool in_whole_blocks(const std::vector<int> &row, const std::vector<int> &first, const std::vector<int> &column, int b, Component component)
{
  for (std::size_t k = 0; k < row.size(); k++) {
    const std::size_t corner = k - k % b;
    const int         length = first[k + 1] - first[k];

    if (row[k] != row[corner] + (int)(k - corner) || row[corner] % b || length % b || corner + b > row.size() || length != first[corner + 1] - first[corner])
      return false;
    for (int e = 0; e < length; e++) {
      const int c = column[first[k] + e];

      if (c != column[first[corner] + e] || c != column[first[k] + e - e % b] + e % b || component(c) != e % b) return false;
    }
  }
  return true;
}

} // namespace heptane

/*
   A whole matrix in compressed rows on the device: groups of rows whose entries fit into the shared memory of a thread block are multiplied in the order of memory, which reads at
   bandwidth whatever the rows' lengths, then each row is summed. Knows no PETSc objects and no launch syntax; the launcher is as those of csr_rows.hpp.
*/
#pragma once

#include "csr_rows.hpp"
#include <vector>

namespace heptane
{

/* Entries of a group at most, no row may have more; threads of a block. Guesses: eight entries a thread under way, two thirds of the shared memory used */
constexpr int csr_group_entries = 2048, csr_group_threads = 256;
/* Rows of a group at most: a few for each thread */
constexpr int csr_group_rows = 1024;

/* The first row of each group of a list with these beginnings, and the number of rows */
inline std::vector<int> csr_groups(const std::vector<int> &ptr)
{
  std::vector<int> group(1, 0);
  const int        rows = static_cast<int>(ptr.size()) - 1;

  for (int k = 0; k < rows; k++)
    if (ptr[k + 1] - ptr[group.back()] > csr_group_entries || k + 1 - group.back() > csr_group_rows) group.push_back(k);
  group.push_back(rows);
  return group;
}

/* Neighbouring lanes that share each of so many rows: a power of two, all rows at once unless it is one */
HEPTANE_HD int csr_group_lanes(int rows)
{
  int lanes = 32;

  while (lanes > 1 && rows * lanes > csr_group_threads) lanes /= 2;
  return lanes;
}

/* What lane of lanes adds up of a row's products, which are first .. last - 1 of a group's */
HEPTANE_HD Scalar csr_group_sum(const Scalar *product, int first, int last, int lane, int lanes)
{
  Scalar sum = 0;

  for (int p = first + lane; p < last; p += lanes) sum += product[p];
  return sum;
}

#if defined(PETSC_HAVE_CUDA)
/* z[row[k]] = (A x)_k, or += with add; A without perm; group: on the device */
cudaError_t launch_csr_groups(const CsrRows &A, const int *group, int groups, bool add, const Scalar *x, Scalar *z, cudaStream_t stream);
#endif

} // namespace heptane

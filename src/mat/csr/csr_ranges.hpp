/*
   A whole matrix in compressed rows on the device whose rows have columns near each other: each multiprocessor takes one range of the groups of csr_groups.hpp, one after the other, so that what they
   read of x stays in its first-level cache. The sums are those of csr_groups.hpp, bit for bit. Knows no PETSc objects and no launch syntax.
*/
#pragma once

#include "csr_groups.hpp"
#include <algorithm>

namespace heptane
{

struct CsrRanges {
  static constexpr int teams = 4; /* of csr_group_threads threads in a block, one block on a multiprocessor: groups that are under way there; guess */
  static constexpr int columns =
    16384; /* from the first to the last of a group, on average: 128 KiB of x, what the first-level cache has beside the groups; guess */
  static constexpr int least = 2048; /* groups, four for each team of 132 multiprocessors: with fewer a part of them ends long before the others; guess */
  static constexpr int looks = 64;   /* groups that are looked at */
};

/* Whether a matrix with these groups is for ranges; ptr: where its rows, or cuts of them, begin */
inline bool csr_groups_near(const std::vector<int> &ptr, const std::vector<int> &group, const int col[])
{
  const int groups = static_cast<int>(group.size()) - 1, step = std::max(groups / CsrRanges::looks, 1);
  double    spans = 0, looked = 0;

  if (groups < CsrRanges::least) return false;
  for (int g = 0; g < groups; g += step, looked++) {
    const int *const begin = col + ptr[group[g]], *const end = col + ptr[group[g + 1]];

    if (begin == end) continue;
    const auto ends = std::minmax_element(begin, end);
    spans += *ends.second - *ends.first + 1.0;
  }
  return spans <= CsrRanges::columns * looked;
}

#if defined(PETSC_HAVE_CUDA)
/* As launch_csr_groups(), of A without perm */
cudaError_t launch_csr_ranges(const CsrRows &A, const int *group, int groups, bool uneven, bool add, const Scalar *x, Scalar *z, Scalar *sums,
                              cudaStream_t stream);
#endif

} // namespace heptane

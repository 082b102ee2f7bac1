/*
   A whole matrix in compressed rows on the device. A group of rows fits into the shared memory of a thread block: its
   entries are multiplied in memory order, at bandwidth for any row lengths, then each row is summed. Longer rows are
   cut. No PETSc objects, no launch syntax; the launcher follows rows.hpp.
*/
#pragma once

#include "rows.hpp"
#include <vector>

namespace heptane
{

/* The columns of a matrix: column row[k] has entries ptr[k] .. ptr[k + 1] - 1, entry p in row col[p] with the value
   values[perm[p]] */
struct CsrColumns {
  int              cols = 0;
  std::vector<int> row, ptr, col, perm;
};

/* Most entries of a group, longer rows are cut; threads of a block. Up to 1.7 times as fast as 2048 and 256 (H100,
   2026-11, prototypes) */
constexpr int csr_group_entries = 512, csr_group_threads = 128;
/* Rows of a group at most: a few for each thread */
constexpr int csr_group_rows = 512;

/* A list of rows whose long ones are cut, so that each fits into a group */
struct CsrCuts {
  std::vector<int> row, ptr;        /* of cut k: its row if that has one cut, or ~i for the i-th cut of the long rows; entries ptr[k] .. ptr[k + 1] - 1 */
  std::vector<int> long_row, first; /* the long rows, in their order; the cuts of the j-th are those i with first[j] <= i < first[j + 1] */
  std::vector<int> owner;           /* and back: j of each i */
};

inline CsrCuts csr_cuts(const std::vector<int> &row, const std::vector<int> &ptr)
{
  CsrCuts c;

  c.first.assign(1, 0);
  for (std::size_t k = 0; k < row.size(); k++) {
    const int entries = ptr[k + 1] - ptr[k], cuts = (entries + csr_group_entries - 1) / csr_group_entries;

    if (cuts > 1) {
      c.long_row.push_back(row[k]);
      c.first.push_back(c.first.back() + cuts);
    }
    for (int i = 0; i < (cuts > 1 ? cuts : 1); i++) {
      c.row.push_back(cuts > 1 ? ~(c.first.back() - cuts + i) : row[k]);
      if (cuts > 1) c.owner.push_back(static_cast<int>(c.long_row.size()) - 1);
      c.ptr.push_back(ptr[k] + i * csr_group_entries);
    }
  }
  c.ptr.push_back(ptr.back());
  return c;
}

/* The first row of each group, at most csr_group_entries entries each, of a list with these row offsets; last, the
   number of rows */
inline std::vector<int> csr_groups(const std::vector<int> &ptr)
{
  std::vector<int> group(1, 0);
  const int        rows = static_cast<int>(ptr.size()) - 1;

  for (int k = 0; k < rows; k++)
    if (ptr[k + 1] - ptr[group.back()] > csr_group_entries || k + 1 - group.back() > csr_group_rows) group.push_back(k);
  group.push_back(rows);
  return group;
}

/* Adjacent lanes that share each of `rows` rows: a power of two. If it exceeds one, all rows are summed at once. */
HEPTANE_HD int csr_group_lanes(int rows)
{
  int lanes = 32;

  while (lanes > 1 && rows * lanes > csr_group_threads) lanes /= 2;
  return lanes;
}

/* Entries per lane above which a whole warp sums a row of a group, so that other rows need not wait for it. At least 2
   csr_group_entries / csr_group_threads = 8, which rows of equal length reach. Up to 20 % faster than 8 (H200,
   2026-11-27, compressed-rows) */
constexpr int   csr_group_turns = 16;
HEPTANE_HD bool csr_group_long(int entries, int lanes)
{
  return lanes < 32 && entries > csr_group_turns * lanes;
}

/* Whether a group of these has such a row */
inline bool csr_groups_uneven(const std::vector<int> &ptr, const std::vector<int> &group)
{
  for (std::size_t g = 0; g + 1 < group.size(); g++)
    for (int k = group[g], lanes = csr_group_lanes(group[g + 1] - group[g]); k < group[g + 1]; k++)
      if (csr_group_long(ptr[k + 1] - ptr[k], lanes)) return true;
  return false;
}

/* The part of lane `lane` of `lanes` of a row's sum; the row's products are first .. last - 1 of its group */
HEPTANE_HD Scalar csr_group_sum(const Scalar *product, int first, int last, int lane, int lanes)
{
  Scalar sum = 0;

  for (int p = first + lane; p < last; p += lanes) sum += product[p];
  return sum;
}

/* The first row of a group and its first entry; the array of groups ends with a sentinel */
struct alignas(8) CsrGroup {
  int row, entry;
};
struct CsrGroupList {
  const CsrGroup *group;
  int             count;
  bool            uneven; /* csr_groups_uneven(), or there are cuts */
};
/* Counters for ranges of groups by multiprocessor (ranges.hpp), one per multiprocessor and one more, all zero between
   products; without ranges `taken` is null */
struct CsrRanges {
  unsigned *taken;
  int       processors;
};

#if defined(PETSC_HAVE_CUDA)
/* to[p] = values[perm[p]], p < n */
cudaError_t launch_csr_order(const Scalar *values, const int *perm, std::size_t n, Scalar *to, cudaStream_t stream);
/* z[row[k]] = (A x)_k, or += with add, if row[k] >= 0; else it is piece ~row[k] of cuts, whose row is
   z[cuts.list.row[...]]. ranges: used if A has no perm */
cudaError_t launch_csr_groups(const CsrRows &A, const CsrGroupList &groups, const CsrPieces &cuts, const CsrRanges &ranges, bool add, const Scalar *x,
                              Scalar *z, cudaStream_t stream);
#endif

} // namespace heptane

/*
   Assigns the groups of a whole matrix in compressed rows (groups.hpp) to multiprocessors. If neighbouring rows share
   columns, each multiprocessor has one range of groups, so that its first-level cache holds their part of x. No PETSc
   objects, no launch syntax.
*/
#pragma once

#include "../../device/scalar.hpp"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heptane
{

/*
   A block on multiprocessor s claims a place of that multiprocessor, or one left elsewhere. There are as many places as
   blocks, so each is claimed once wherever the blocks run, without waiting. take(s): the number of earlier claims on s
*/
template <class Take>
HEPTANE_HD int csr_place(int s, int processors, int per, const Take &take)
{
  for (s %= processors;; s = s + 1 == processors ? 0 : s + 1) {
    const int before = static_cast<int>(take(s));

    if (before < per) return s * per + before;
  }
}

/* The groups of a place: first, first + step, ... below end; the places of a multiprocessor interleave in its range */
struct CsrTurns {
  int first, end, step;
};
HEPTANE_HD CsrTurns csr_turns(int place, int groups, int processors, int per)
{
  const int s = place / per;

  return {static_cast<int>(static_cast<std::int64_t>(groups) * s / processors) + place % per,
          static_cast<int>(static_cast<std::int64_t>(groups) * (s + 1) / processors), per};
}

struct CsrRangesTuning {
  static constexpr int    sector = 32;   /* bytes that a cache reads at least */
  static constexpr int    kept   = 8192; /* entries after which a sector is no longer in the first-level cache: of 128 kB or more; guess */
  static constexpr double fewer =
    0.75; /* ranges are used if they leave this share of the reads from the second-level cache, or less; guess. Banded 0.2, random and power law over 0.9 */
};

/* Share of the entries of groups first, first + step, ..., `count` of them, whose element of x was not read by previous
   entries. group, ptr, col: see csr_groups() */
inline double csr_missed(const std::vector<int> &group, const std::vector<int> &ptr, const int *col, int first, int step, int count)
{
  constexpr int    columns = CsrRangesTuning::sector / static_cast<int>(sizeof(Scalar));
  std::vector<int> last;
  int              entry = 0, missed = 0;

  for (int k = 0, g = first; k < count && g + 1 < static_cast<int>(group.size()); k++, g += step)
    for (int p = ptr[group[g]]; p < ptr[group[g + 1]]; p++, entry++) {
      const auto s = static_cast<std::size_t>(col[p] / columns);

      if (s >= last.size()) last.resize(2 * s + 1, -CsrRangesTuning::kept - 1);
      if (entry - last[s] > CsrRangesTuning::kept) missed++;
      last[s] = entry;
    }
  return entry ? static_cast<double>(missed) / entry : 0;
}

/* Whether ranges pay: the groups of one multiprocessor in the middle, as a range and as they come in turns */
inline bool csr_ranges_pay(const std::vector<int> &group, const std::vector<int> &ptr, const int *col, int processors)
{
  const int groups = static_cast<int>(group.size()) - 1, each = groups / processors;

  if (each < 2) return false;
  return csr_missed(group, ptr, col, processors / 2 * each, 1, each) <= CsrRangesTuning::fewer * csr_missed(group, ptr, col, processors / 2, processors, each);
}

} // namespace heptane

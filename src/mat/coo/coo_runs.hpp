/*
   LocalPart::EntryRuns() for formats that can walk their entries in order.
*/
#pragma once

#include <petscsystypes.h>
#include <cstddef>
#include <vector>

namespace heptane
{

/*
   walk(f) calls f(k, row, group, s) for every entry k of the pattern in order: it is component s of a group (its number as LocalPart::Groups
   counts them), or group is -1 and it lies beyond the groups, in the order of the entries. It stops, and is false, when f is. width: of a
   group. start[groups] and tail[beyond] hold -1 on entry.
*/
template <class Index, class Walk>
bool entry_runs(int width, const Index entry[], std::vector<Index> &start, std::vector<Index> &tail, std::size_t *step, Walk &&walk)
{
  int         next  = width; /* component that must come next; width: a group begins */
  PetscInt    last  = -1;
  Index       first = -1, stride = 0;
  std::size_t t = 0;

  const bool runs = walk([&](PetscInt k, PetscInt row, std::ptrdiff_t group, int s) {
    const Index e = entry ? entry[k] : static_cast<Index>(k);

    if (group < 0) {
      tail[t++] = e;
      return next == width;
    }
    if (s == 0) {
      if (next != width || e < 0) return false;
      start[static_cast<std::size_t>(group)] = first = e;
      last                                           = row;
      next                                           = 1;
      return true;
    }
    if (s != next || row != last || e <= first) return false;
    if (!stride) stride = (e - first) / s;
    next = s + 1;
    return e - first == stride * s;
  });
  *step           = static_cast<std::size_t>(stride);
  return runs && next == width;
}

} // namespace heptane

/*
   Runs of a caller's entries: FormatLayout::entry_runs() for formats that can walk their entries in order, and runs of
   repeated entries.
*/
#pragma once

#include <petscsystypes.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heptane
{

/* walk(f) calls f(k, row, group, s) for every entry k of the pattern in order: the entry is component s of a group (its
   index in SlotGroups), or group is -1 and the entry is after the groups, in the order of the entries. walk() stops and
   returns false when f does. width: of a group. start[groups] and tail[beyond] hold -1 on entry. */
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

/* The shape of groups of slots (SlotGroups), and the index of a slot among them; slots after the groups are groups by
   themselves */
struct SlotShape {
  std::size_t columns, stride, width;

  std::size_t in_groups() const { return columns * stride * width; }
  std::size_t groups(std::size_t values) const { return columns * stride + values - in_groups(); }
  /* s: which of its group's slots */
  std::size_t group_of(std::size_t slot, std::size_t *s) const
  {
    const std::size_t column = slot < in_groups() ? slot / stride : 0;

    *s = column % width;
    return slot < in_groups() ? column / width * stride + (slot - column * stride) : slot - in_groups() + columns * stride;
  }
};

/* sum_runs() of groups of one slot, which are the slots */
template <class Index>
void sum_slots(std::size_t values, const Index slot[], PetscCount entries, const PetscInt place[], std::vector<Index> &begin, std::vector<Index> &run)
{
  begin.assign(values + 2, 0); /* while it counts, two further */
  for (PetscCount k = 0; k < entries; k++)
    if (place[k] >= 0) begin[static_cast<std::size_t>(slot[place[k]]) + 2]++;
  for (std::size_t g = 1; g < begin.size(); g++) begin[g] += begin[g - 1];
  run.resize(static_cast<std::size_t>(begin.back()));
  for (PetscCount k = 0; k < entries; k++)
    if (place[k] >= 0) run[static_cast<std::size_t>(begin[static_cast<std::size_t>(slot[place[k]]) + 1]++)] = static_cast<Index>(k);
  begin.pop_back();
}

/*
   Repeated entries: run[begin[g]..begin[g + 1]) are the entries of the first slot of group g, in the caller's order;
   the entries of its slot s are run[p] + s * step. Returns false if a slot has fewer entries than another of its group,
   or its j-th entry differs from this rule; groups of one slot always satisfy it. slot[p]: of place p < places of the
   pattern, below values; place[k]: place of entry k < entries, -1 for none.
*/
template <class Index>
bool sum_runs(const SlotShape &shape, std::size_t values, const Index slot[], std::size_t places, PetscCount entries, const PetscInt place[],
              std::vector<Index> &begin, std::vector<Index> &run, std::size_t *step)
{
  if (shape.width == 1) {
    sum_slots(values, slot, entries, place, begin, run);
    *step = 0;
    return true;
  }
  std::vector<Index>         group(places), given(places, 0); /* of a place; entries of it that came */
  std::vector<std::uint16_t> which(places);                   /* of its group's slots it is */

  begin.assign(shape.groups(values) + 1, 0);
  for (std::size_t p = 0; p < places; p++) {
    std::size_t s;

    group[p] = static_cast<Index>(shape.group_of(static_cast<std::size_t>(slot[p]), &s));
    which[p] = static_cast<std::uint16_t>(s);
  }
  for (PetscCount k = 0; k < entries; k++)
    if (place[k] >= 0) given[place[k]]++;
  for (std::size_t p = 0; p < places; p++)
    if (which[p] == 0) begin[group[p] + 1] = given[p];
  std::size_t lacking = 0; /* slots of groups with entries that are no places of the pattern */
  for (std::size_t p = 0; p < places; p++) {
    if (given[p] != begin[group[p] + 1]) return false;
    if (given[p] && static_cast<std::size_t>(slot[p]) < shape.in_groups()) lacking += which[p] == 0 ? shape.width - 1 : std::size_t(-1);
  }
  if (lacking) return false;
  for (std::size_t g = 1; g < begin.size(); g++) begin[g] += begin[g - 1];
  run.resize(static_cast<std::size_t>(begin.back()));
  std::fill(given.begin(), given.end(), 0);
  for (PetscCount k = 0; k < entries; k++) {
    const PetscInt p = place[k];

    if (p >= 0 && which[p] == 0) run[begin[group[p]] + given[p]++] = static_cast<Index>(k);
  }
  *step = 0;
  for (PetscCount k = 0; k < entries; k++) {
    const PetscInt p = place[k];

    if (p < 0 || which[p] == 0) continue;
    const Index first = run[begin[group[p]] + given[p]++], distance = static_cast<Index>(k) - first;
    if (distance <= 0) return false;
    if (!*step) *step = static_cast<std::size_t>(distance) / which[p];
    if (static_cast<std::size_t>(distance) != *step * which[p]) return false;
  }
  return true;
}

} // namespace heptane

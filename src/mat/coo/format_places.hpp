/*
   The places of a format's entries, written once for all formats. A format's source includes this, defines the walks of
   its layout and instantiates FormatLayoutOf:
   each_slot(A, f, follow)  f(k, slot) for every entry k of the pattern in order; if `rows` rows have the previous row's
                            places, each plus one, follow(rows) is called instead (follow may be EveryRow)
   each_slot_anyhow(A, f)   the same in any order
   each_of_groups(A, f)     as entry_runs() requires, in order; stops and returns false when f does
*/
#pragma once

#include "../csr/shifted_row.hpp"
#include "../values/format_layout.hpp"
#include "../values/value_runs.hpp"
#include "runs.hpp"

namespace heptane
{

template <class Layout>
template <class Index>
void FormatLayoutOf<Layout>::slots_as(const Csr &A, Index slot[]) const
{
  self().each_slot(
    A, [&](PetscInt k, std::size_t s) { slot[k] = static_cast<Index>(s); }, EveryRow());
}

template <class Layout>
void FormatLayoutOf<Layout>::places(const Csr &A, ValueRunsMaker *maker) const
{
  self().each_slot(
    A, [&](PetscInt, std::size_t s) { maker->Entry(static_cast<std::int64_t>(s)); }, [&](PetscInt rows) { maker->Follow(rows); });
}

template <class Layout>
template <class Index>
bool FormatLayoutOf<Layout>::runs_as(const Csr &A, const Index entry[], std::vector<Index> &start, std::vector<Index> &tail, std::size_t *step) const
{
  const SlotGroups groups = slot_groups();

  start.assign(groups.columns * groups.stride, -1);
  tail.assign(remainder_values(), -1);
  return heptane::entry_runs(groups.width, entry, start, tail, step, [&](auto f) { return self().each_of_groups(A, f); });
}

template <class Layout>
void FormatLayoutOf<Layout>::slots(const Csr &A, int slot[]) const
{
  slots_as(A, slot);
}

template <class Layout>
void FormatLayoutOf<Layout>::slots(const Csr &A, std::int64_t slot[]) const
{
  slots_as(A, slot);
}

template <class Layout>
bool FormatLayoutOf<Layout>::entry_runs(const Csr &A, const int entry[], std::vector<int> &start, std::vector<int> &tail, std::size_t *step) const
{
  return runs_as(A, entry, start, tail, step);
}

template <class Layout>
bool FormatLayoutOf<Layout>::entry_runs(const Csr &A, const std::int64_t entry[], std::vector<std::int64_t> &start, std::vector<std::int64_t> &tail,
                                        std::size_t *step) const
{
  return runs_as(A, entry, start, tail, step);
}

template <class Layout>
void FormatLayoutOf<Layout>::put(const Csr &A, const Scalar a[], Scalar values[]) const
{
  self().each_slot_anyhow(A, [&](PetscInt k, std::size_t s) { values[s] = a[k]; });
}

template <class Layout>
void FormatLayoutOf<Layout>::extract(const Csr &A, const Scalar values[], Scalar a[]) const
{
  self().each_slot_anyhow(A, [&](PetscInt k, std::size_t s) { a[k] = values[s]; });
}

} // namespace heptane

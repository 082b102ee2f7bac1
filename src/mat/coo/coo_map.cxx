/*
   Builds and applies the map from a caller's list of entries to the places of a format.
*/
#include "coo_map.hpp"
#include "../../metrics/metrics.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "coo_kernels.hpp"
#endif
#include <algorithm>
#include <climits>
#include <new>

namespace heptane
{

namespace
{

/* The entry at each compressed-row place, -1 for none; false if a place has more than one */
template <class Index>
bool entry_of_place(PetscCount entries, const PetscInt place[], std::vector<Index> &entry)
{
  for (PetscCount k = 0; k < entries; k++) {
    if (place[k] < 0) continue;
    if (entry[place[k]] >= 0) return false;
    entry[place[k]] = static_cast<Index>(k);
  }
  return true;
}

template <class Index>
PetscErrorCode BuildSums(const std::vector<Index> &slot, PetscCount entries, const PetscInt place[], CooIndices<Index> &map)
{
  std::vector<Index> count(slot.size() + 1, 0), sum_slot, begin, perm;

  PetscFunctionBegin;
  for (PetscCount k = 0; k < entries; k++)
    if (place[k] >= 0) count[place[k] + 1]++;
  for (std::size_t p = 0; p < slot.size(); p++) count[p + 1] += count[p];
  perm.resize(count.back());
  for (std::size_t p = 0; p < slot.size(); p++) {
    if (count[p + 1] == count[p]) continue;
    sum_slot.push_back(slot[p]);
    begin.push_back(count[p]);
  }
  begin.push_back(count.back());
  for (PetscCount k = 0; k < entries; k++)
    if (place[k] >= 0) perm[count[place[k]]++] = static_cast<Index>(k);
  map.slot.Take(std::move(sum_slot));
  map.begin.Take(std::move(begin));
  map.perm.Take(std::move(perm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Index>
PetscErrorCode BuildIndices(const LocalPart &part, const Csr &A, PetscCount entries, const PetscInt place[], std::size_t *step, std::size_t *first_single,
                            CooIndices<Index> &map)
{
  const LocalPart::Groups groups = part.SlotGroups();
  std::vector<Index>      slot, entry, start, single;

  PetscFunctionBegin;
  *first_single = 0;
  if (place) {
    entry.assign(A.nnz(), -1);
    if (!entry_of_place(entries, place, entry)) {
      slot.resize(A.nnz());
      part.Slots(A, slot.data());
      PetscCall(BuildSums(slot, entries, place, map));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  if (groups.columns && part.EntryRuns(A, place ? entry.data() : nullptr, start, single, step)) {
    *first_single = groups.columns * groups.width * groups.stride;
    map.pairs     = groups.width % 2 == 0 && *step == 1 && std::all_of(start.begin(), start.end(), [](Index e) { return e < 0 || e % 2 == 0; });
    map.start.Take(std::move(start));
    map.single.Take(std::move(single));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  single.assign(part.NumValues(), -1);
  slot.resize(A.nnz());
  part.Slots(A, slot.data());
  for (PetscInt k = 0; k < A.nnz(); k++) single[slot[k]] = place ? entry[k] : static_cast<Index>(k);
  map.single.Take(std::move(single));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool ADD, class Index, class Source>
void apply_host(const CooIndices<Index> &map, const LocalPart::Groups &groups, std::size_t step, std::size_t first_single, const Source &source,
                Scalar values[])
{
  constexpr std::size_t tile = 64; /* groups whose entries stay in the first-level cache while the value columns are written one after another */

  const Index *starts = map.start.At(Where::host), *single = map.single.At(Where::host), *slot = map.slot.At(Where::host);

  for (std::size_t c = 0; c < (map.start.Size() ? groups.columns : 0); c++) {
    const Index *start = starts + c * groups.stride;
    Scalar      *v     = values + c * groups.width * groups.stride;
    for (std::size_t q0 = 0; q0 < groups.stride; q0 += tile) {
      const std::size_t q1 = std::min(q0 + tile, groups.stride);
      for (int s = 0; s < groups.width; s++)
        for (std::size_t q = q0; q < q1; q++)
          if (start[q] >= 0) coo_group<ADD>(v + q, s, groups.stride, start[q], step, source);
    }
  }
  for (std::size_t q = 0; q < map.single.Size(); q++) coo_single<ADD>(values, first_single, q, single, source);
  for (std::size_t t = 0; t < map.slot.Size(); t++) coo_sum<ADD>(values, t, slot, map.begin.At(Where::host), map.perm.At(Where::host), source);
}

/* What a kind of map has not is null */
template <class Index>
PetscErrorCode ReadMade(Buffer<Index> &made, const Index **array)
{
  PetscFunctionBegin;
  *array = nullptr;
  if (made.Size()) PetscCall(made.Read(Where::device, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Index>
PetscErrorCode ApplyDevice(CooIndices<Index> &map, const LocalPart::Groups &groups, std::size_t step, std::size_t first_single, const CooSource &source,
                           bool add, Scalar values[])
{
  const Index *start, *single, *slot, *begin, *perm;

  PetscFunctionBegin;
  PetscCall(ReadMade(map.start, &start));
  PetscCall(ReadMade(map.single, &single));
  PetscCall(ReadMade(map.slot, &slot));
  PetscCall(ReadMade(map.begin, &begin));
  PetscCall(ReadMade(map.perm, &perm));
#if PetscDefined(HAVE_CUDA)
  cudaStream_t stream;

  PetscCall(PetscGetCurrentCUDAStream(&stream));
  const double moved = sizeof(Scalar) * (2. + add); /* of a value */
  {
    const std::size_t columns = map.start.Size() ? groups.columns : 0;
    const MetricsPass metrics(true, [&] { return DeclaredPass{"COO values in groups", (sizeof(Index) + groups.width * moved) * columns * groups.stride}; });
    PetscCallCUDA(launch_coo_groups(values, columns, groups.stride, groups.width, start, step, map.pairs, source, add, stream));
  }
  {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"COO values one by one", (sizeof(Index) + moved) * map.single.Size()}; });
    PetscCallCUDA(launch_coo_single(values, first_single, map.single.Size(), single, source, add, stream));
  }
  const MetricsPass metrics(true, [&] {
    return DeclaredPass{"sums of COO values",
                        (2. * sizeof(Index) + sizeof(Scalar) * (1. + add)) * map.slot.Size() + (1. * sizeof(Index) + sizeof(Scalar)) * map.perm.Size()};
  });
  PetscCallCUDA(launch_coo_sums(values, map.slot.Size(), slot, begin, perm, source, add, stream));
#else
  (void)groups, (void)step, (void)first_single, (void)source, (void)add, (void)values;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode CooMap::Build(const LocalPart &part, const Csr &A, PetscCount entries, const PetscInt place[])
{
  PetscFunctionBegin;
  wide   = entries > INT_MAX || part.NumValues() > INT_MAX;
  groups = part.SlotGroups();
  try {
    if (wide) PetscCall(BuildIndices(part, A, entries, place, &step, &first_single, wide_map));
    else PetscCall(BuildIndices(part, A, entries, place, &step, &first_single, narrow_map));
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory left for the map of %" PetscCount_FMT " entries", entries);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CooMap::Apply(Where where, const CooSource &source, PetscBool add, Scalar values[])
{
  PetscFunctionBegin;
  if (where == Where::host) {
    with_coo_source(source, add, [&](auto ADD, const auto &s) {
      if (wide) apply_host<ADD()>(wide_map, groups, step, first_single, s, values);
      else apply_host<ADD()>(narrow_map, groups, step, first_single, s, values);
    });
  } else if (wide) {
    PetscCall(ApplyDevice(wide_map, groups, step, first_single, source, add, values));
  } else {
    PetscCall(ApplyDevice(narrow_map, groups, step, first_single, source, add, values));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *CooMap::Kind() const
{
  if (narrow_map.slot.Size() || wide_map.slot.Size()) return "sums of repeated entries";
  if (narrow_map.start.Size() || wide_map.start.Size()) return groups.width > 1 ? "runs, one index per block row" : "one index per value";
  return "one index per value";
}

} // namespace heptane

/*
   Builds and applies the map from a caller's list of entries to the places of a format.
*/
#include "map.hpp"
#include "../../metrics/metrics.hpp"
#include "runs.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "kernels.hpp"
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

/* Repeated entries; groups: on return the shape of the groups whose runs the map has */
template <class Index>
PetscErrorCode BuildSums(const LocalPart &part, const Csr &A, PetscCount entries, const PetscInt place[], SlotGroups *groups, std::size_t *step,
                         CooIndices<Index> &map)
{
  std::vector<Index> slot(A.nnz()), begin, run;

  PetscFunctionBegin;
  part.Format().slots(A, slot.data());
  const auto find = [&] {
    return sum_runs<Index>({groups->columns, groups->stride, static_cast<std::size_t>(groups->width)}, part.NumValues(), slot.data(), slot.size(), entries,
                           place, begin, run, step);
  };
  if (!find()) {
    groups->columns *= static_cast<std::size_t>(groups->width);
    groups->width = 1;
    find();
  }
  map.begin.Take(std::move(begin));
  map.run.Take(std::move(run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Index>
PetscErrorCode BuildIndices(const LocalPart &part, const Csr &A, PetscCount entries, const PetscInt place[], SlotGroups *groups, std::size_t *step,
                            std::size_t *first_single, CooIndices<Index> &map)
{
  std::vector<Index> slot, entry, start, single;

  PetscFunctionBegin;
  *first_single = groups->columns * groups->width * groups->stride;
  if (place) {
    entry.assign(A.nnz(), -1);
    if (!entry_of_place(entries, place, entry)) {
      PetscCall(BuildSums(part, A, entries, place, groups, step, map));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  if (groups->columns && part.Format().entry_runs(A, place ? entry.data() : nullptr, start, single, step)) {
    map.pairs = groups->width % 2 == 0 && *step == 1 && std::all_of(start.begin(), start.end(), [](Index e) { return e < 0 || e % 2 == 0; });
    map.start.Take(std::move(start));
    map.single.Take(std::move(single));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *first_single = 0;
  single.assign(part.NumValues(), -1);
  slot.resize(A.nnz());
  part.Format().slots(A, slot.data());
  for (PetscInt k = 0; k < A.nnz(); k++) single[slot[k]] = place ? entry[k] : static_cast<Index>(k);
  map.single.Take(std::move(single));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Repeated entries: all columns of groups of a tile of rows together, whose entries are usually close in a caller's
   list */
template <bool ADD, class Index, class Source>
void sum_host(const CooIndices<Index> &map, const SlotGroups &groups, std::size_t step, const Source &source, Scalar values[])
{
  const Index      *begins = map.begin.At(Where::host), *run = map.run.At(Where::host);
  const std::size_t in_groups = groups.columns * groups.stride;
  /* Consecutive rows of groups per tile: 8 of long columns, 64 were slower by a fifth; all of short columns, as slices
     have them, one slice after the other */
  const std::size_t tile = groups.stride < 2048 ? groups.stride : 8;

  for (std::size_t q0 = 0; q0 < groups.stride; q0 += tile) {
    const std::size_t q1 = std::min(q0 + tile, groups.stride);
    for (std::size_t c = 0; c < groups.columns; c++) {
      const Index *begin = begins + c * groups.stride;
      Scalar      *v     = values + c * groups.width * groups.stride;
      for (std::size_t q = q0; q < q1; q++) {
        if (groups.width == 1) coo_sum<ADD, 1>(v + q, 0, 1, groups.stride, begin[q], begin[q + 1], run, step, source);
        for (int s = 0; groups.width > 1 && s < groups.width; s += 4)
          coo_sum<ADD, 4>(v + q, s, groups.width, groups.stride, begin[q], begin[q + 1], run, step, source);
      }
    }
  }
  for (std::size_t g = in_groups; g + 1 < map.begin.Size(); g++)
    coo_sum<ADD, 1>(values + in_groups * groups.width + (g - in_groups), 0, 1, 0, begins[g], begins[g + 1], run, 0, source);
}

template <bool ADD, class Index, class Source>
void apply_host(const CooIndices<Index> &map, const SlotGroups &groups, std::size_t step, std::size_t first_single, const Source &source, Scalar values[])
{
  constexpr std::size_t tile   = 64; /* groups whose entries stay in the first-level cache while the value columns are written one after another */
  const Index          *starts = map.start.At(Where::host), *single = map.single.At(Where::host);

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
  if (map.begin.Size()) sum_host<ADD>(map, groups, step, source, values);
}

/* Null for the arrays that a kind of map does not have */
template <class Index>
PetscErrorCode ReadMade(Buffer<Index> &made, const Index **array)
{
  PetscFunctionBegin;
  *array = nullptr;
  if (made.Size()) PetscCall(made.Read(Where::device, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Index>
PetscErrorCode ApplyDevice(CooIndices<Index> &map, const SlotGroups &groups, std::size_t step, std::size_t first_single, const CooSource &source, bool add,
                           Scalar values[])
{
  const Index *start, *single, *begin, *run;

  PetscFunctionBegin;
  PetscCall(ReadMade(map.start, &start));
  PetscCall(ReadMade(map.single, &single));
  PetscCall(ReadMade(map.begin, &begin));
  PetscCall(ReadMade(map.run, &run));
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
  if (begin) {
    const std::size_t in_groups = groups.columns * groups.stride, beyond = map.begin.Size() - 1 - in_groups;
    const MetricsPass metrics(true, [&] {
      const double places = 1. * in_groups * groups.width + beyond;
      return DeclaredPass{"sums of COO values", 1. * sizeof(Index) * (in_groups + beyond + map.run.Size()) +
                                                  (places * (1. + add) + 1. * map.run.Size() * groups.width) * sizeof(Scalar)};
    });
    PetscCallCUDA(launch_coo_sums(values, groups.columns, groups.stride, groups.width, begin, run, step, source, add, stream));
    PetscCallCUDA(launch_coo_sums(values + first_single, 1, beyond, 1, begin + in_groups, run, 0, source, add, stream));
  }
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
  groups = part.Format().slot_groups();
  try {
    if (wide) PetscCall(BuildIndices(part, A, entries, place, &groups, &step, &first_single, wide_map));
    else PetscCall(BuildIndices(part, A, entries, place, &groups, &step, &first_single, narrow_map));
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
  if (narrow_map.begin.Size() || wide_map.begin.Size()) return groups.width > 1 ? "sums of repeated runs, one index per block row" : "sums of repeated entries";
  if (narrow_map.start.Size() || wide_map.start.Size()) return groups.width > 1 ? "runs, one index per block row" : "one index per value";
  return "one index per value";
}

} // namespace heptane

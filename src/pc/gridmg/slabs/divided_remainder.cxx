/*
   Remainder entries in a divided hierarchy: see divided_remainder.hpp.
*/
#include "divided_remainder.hpp"
#include "../../../sys/collective.hpp"
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#if PetscDefined(HAVE_CUDA)
  #include "../device/device.hpp"
#endif

namespace heptane
{

PetscErrorCode GridReplicatedRemainder::Places(MPI_Comm c, const GridParallelMatrix &parallel, const BlockDiagonals &D, GridDistribution *distribution)
{
  std::vector<GridEntryPlace> mine, all;
  PetscMPIInt                 size, count;
  MPI_Datatype                unit;
  bool                        neighbours;

  PetscFunctionBegin;
  comm = c;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(parallel.RemainderPlaces(D, &mine, &neighbours));
  PetscBool some = (PetscBool)neighbours;
  PetscCall(CollectiveReduce(comm, &some, 1, MPI_C_BOOL, MPI_LOR));
  if (some) distribution->ToRoot("processes store couplings of neighbours in the remainder");
  if (some) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMPIIntCast(static_cast<PetscCount>(mine.size()), &count));
  counts.assign(static_cast<std::size_t>(size), 0);
  first.assign(static_cast<std::size_t>(size) + 1, 0);
  PetscCallMPI(MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm));
  std::partial_sum(counts.begin(), counts.end(), first.begin() + 1);
  all.resize(static_cast<std::size_t>(first.back()));
  PetscCallMPI(MPI_Type_contiguous(2, MPI_INT, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCallMPI(MPI_Allgatherv(mine.data(), count, unit, all.data(), counts.data(), first.data(), unit, comm));
  PetscCallMPI(MPI_Type_free(&unit));
  std::vector<std::pair<std::uint64_t, int>> keys; /* row and column in one number with the same order */
  for (std::size_t k = 0; k < all.size(); k++)
    keys.emplace_back(static_cast<std::uint64_t>(all[k].row) << 32 | static_cast<std::uint32_t>(all[k].col), static_cast<int>(k));
  std::sort(keys.begin(), keys.end());
  order.clear();
  for (const auto &k : keys) order.push_back(k.second);
  const auto place = [&](int k) { return std::make_pair(all[static_cast<std::size_t>(k)].row, all[static_cast<std::size_t>(k)].col); };
  remainder_row.clear();
  remainder_col.clear();
  remainder_ptr.assign(1, 0);
  for (int k : order) {
    if (remainder_row.empty() || remainder_row.back() != place(k).first) {
      remainder_row.push_back(place(k).first);
      remainder_ptr.push_back(remainder_ptr.back());
    }
    remainder_col.push_back(place(k).second);
    remainder_ptr.back()++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridReplicatedRemainder::Values(GridParallelMatrix *parallel, std::vector<Scalar> *values) const
{
  std::vector<Scalar> mine, all(order.size());
  PetscMPIInt         count;

  PetscFunctionBegin;
  PetscCall(parallel->RemainderValues(&mine));
  PetscCall(PetscMPIIntCast(static_cast<PetscCount>(mine.size()), &count));
  PetscCallMPI(MPI_Allgatherv(mine.data(), count, MPIU_SCALAR, all.data(), counts.data(), first.data(), MPIU_SCALAR, comm));
  values->resize(order.size());
  for (std::size_t k = 0; k < order.size(); k++) (*values)[k] = all[static_cast<std::size_t>(order[k])];
  PetscFunctionReturn(PETSC_SUCCESS);
}

void GridReplicatedRemainder::Fill(BlockDiagonals *D) const
{
  D->remainder_row = &remainder_row;
  D->remainder_ptr = &remainder_ptr;
  D->remainder_col = &remainder_col;
}

template <class Real>
PetscErrorCode GridDividedRemainder<Real>::Find(MPI_Comm comm, GridParallelMatrix *parallel, const GridPlan &plan, bool wanted, GridDistribution *distribution)
{
  BlockDiagonals D;
  const Scalar  *interface[6];
  int            diagonal[7];
  bool           usable;

  PetscFunctionBegin;
  entries.clear();
  levels.clear();
  dense.clear();
  if (!parallel->HasRemainder()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(parallel->LocalDiagonals(&D, diagonal, interface, &usable));
  if (usable) PetscCall(replicated.Places(comm, *parallel, D, distribution));
  else distribution->ToRoot(GridParallelMatrix::not_usable);
  if (!distribution->Is(GridDistribution::slabs)) PetscFunctionReturn(PETSC_SUCCESS);
  D.block = parallel->Unknowns();
  replicated.Fill(&D);
  entries = grid_remainder_entries(D, parallel->Shape(), plan);
  if (!std::all_of(entries.begin(), entries.end(), [](const GridEntry &e) { return e.row.j == e.col.j && e.row.i == e.col.i; }))
    distribution->ToRoot("entries off the block diagonals couple cells of several lines");
  else levels = grid_remainder_levels(D.block, entries, plan);
  if (wanted) dense = grid_dense_lines(plan, D.block, levels);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
std::vector<bool> GridDividedRemainder<Real>::HasRemainder(const GridPlan &plan) const
{
  std::vector<bool> has_remainder(plan.levels.size(), false);

  for (std::size_t l = 0; l < levels.size(); l++) has_remainder[l] = !levels[l].row.empty() && !Lines(l);
  return has_remainder;
}

template <class Real>
std::vector<bool> GridDividedRemainder<Real>::Joined() const
{
  std::vector<bool> joined;

  for (const GridRemainderList &l : levels) joined.push_back(!l.blocks.place.empty());
  return joined;
}

/* Elements from, ..., to - 1, as far as there are some */
static std::vector<int> grid_part(const std::vector<int> &of, std::size_t from, std::size_t to)
{
  std::vector<int> part;

  for (std::size_t k = from; k < to && k < of.size(); k++) part.push_back(of[k]);
  return part;
}

template <class Real>
PetscErrorCode GridDividedRemainder<Real>::Place(Where where, const GridPieces &all, int rank, GridSystem<Real> *slab, GridSystem<Real> *coarse)
{
  const GridRows         rows = all.division.Rows(all.plan, 0, rank);
  std::vector<GridEntry> mine;
  std::vector<int>       of_slab; /* entries in rows of the slab, overlap rows included */
  std::size_t            total = 0;
  Real                  *at;

  PetscFunctionBegin;
  before.clear();
  divided                 = all.division.levels;
  const std::size_t first = static_cast<std::size_t>(divided);
  if (!Any()) PetscFunctionReturn(PETSC_SUCCESS);
  for (std::size_t e = 0; e < entries.size(); e++) {
    GridEntry local = entries[e];
    const int j     = local.row.j - rows.offset();

    if (j < 0 || j >= rows.all()) continue;
    local.row.j = local.col.j = j;
    of_slab.push_back(static_cast<int>(e));
    mine.push_back(local);
  }
  if (!slab->levels.empty()) {
    std::vector<GridRemainderList> lists = grid_remainder_levels(all.unknowns, mine, slab->plan);

    for (int &source : lists[0].values.source) source = of_slab[static_cast<std::size_t>(source)]; /* index among the values of all processes */
    slab_lists.Take(lists);
    PetscCall(slab_lists.View(where, &slab->remainder));
    PetscCall(slab_dense.Place(where, grid_part(dense, 0, first), lists, slab));
  }
  if (!coarse->levels.empty()) {
    const std::vector<GridRemainderList> lists(levels.begin() + divided, levels.end());

    coarse_lists.Take(lists);
    PetscCall(coarse_lists.View(where, &coarse->remainder));
    PetscCall(coarse_dense.Place(where, grid_part(dense, first, dense.size()), lists, coarse));
    before_lists.Take({levels.begin(), levels.begin() + divided + 1});
    PetscCall(before_lists.View(where, &before));
  }
  for (GridSystem<Real> *S : {slab, coarse})
    for (const GridRemainder<Real> &K : S->remainder) total += static_cast<std::size_t>(K.entries + K.rows);
  for (const GridRemainder<Real> &K : before) total += static_cast<std::size_t>(K.entries);
  memory.Free();
  memory.Resize(std::max<std::size_t>(total, 1));
  PetscCall(memory.Zeros(where, &at));
  for (GridSystem<Real> *S : {slab, coarse})
    for (GridRemainder<Real> &K : S->remainder) {
      K.value = at;
      K.b     = at + K.entries;
      at += K.entries + K.rows;
    }
  for (GridRemainder<Real> &K : before) {
    K.value  = at;
    K.blocks = GridSums(); /* couplings come with the level */
    at += K.entries;
  }
  if (!before.empty()) before.back().value = coarse->remainder[0].value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From level to level as on one process, with bitwise equal results */
template <class Real>
PetscErrorCode GridDividedRemainder<Real>::Values(Where where, Scalar scale, GridParallelMatrix *parallel, const Scalar **at)
{
  std::vector<Scalar> all;

  PetscFunctionBegin;
  *at = nullptr;
  if (!Any()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(replicated.Values(parallel, &all));
  PetscCall(values.Assign(where, all));
  *at = values.At(where);
  if (where == Where::host) {
    for (std::size_t l = 0; l < before.size(); l++)
      for (int t = 0; t < before[l].values.count; t++) {
        if (l) grid_remainder_sum(before[l].values, before[l - 1].value, 1, false, before[l].value, t);
        else grid_remainder_sum(before[l].values, *at, scale, false, before[l].value, t);
      }
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    for (std::size_t l = 0; l < before.size(); l++) {
      if (l) PetscCallCUDA(launch_grid_remainder_coarsen(before[l - 1], GridLevel<Real>(), before[l], stream));
      else PetscCallCUDA(launch_grid_remainder_values(before[l], *at, scale, stream));
    }
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template class GridDividedRemainder<float>;
template class GridDividedRemainder<double>;

} // namespace heptane

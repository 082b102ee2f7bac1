/*
   Transfers between the steps of a cycle, and in CG without red columns, between processes that share memory: see
   peers.hpp.
*/
#include "peers.hpp"
#include <algorithm>

namespace heptane
{

/* Copy of rows of an array. swapped: both levels have opposite colours in the same row */
template <class Real>
GridCopy<Real> GridPeers<Real>::Rows(const GridLevel<Real> &to, int to_row, const GridLevel<Real> &from, int from_row, int number, bool swapped,
                                     GridArray which)
{
  GridCopy<Real> copy; /* a place is a colour */

  copy.to         = grid_array(to, which) + static_cast<std::size_t>(to_row) * to.H;
  copy.from       = grid_array(from, which) + (swapped ? from.columns : 0) + static_cast<std::size_t>(from_row) * from.H;
  copy.width      = static_cast<std::size_t>(number) * to.H;
  copy.height     = static_cast<std::size_t>(grid_parts(to, which)) * to.K;
  copy.to_pitch   = 2 * to.columns;
  copy.from_pitch = 2 * from.columns;
  copy.count      = 2;
  copy.to_step    = static_cast<std::ptrdiff_t>(to.columns);
  copy.from_step  = static_cast<std::ptrdiff_t>(from.columns) * (swapped ? -1 : 1);
  return copy;
}

/* The intersection of the rows of this process and the box of process q; owned: only rows that the box owns */
template <class Real>
GridIntersection GridPeers<Real>::Common(int q, bool owned) const
{
  const GridRows r = all.division.Rows(all.plan, 0, q);

  return grid_intersection(parallel.Region(), parallel.Shape().extent, all.unknowns, all.plan.axis[1], owned ? r.first : r.offset(), owned ? r.owned : r.all(),
                           r.offset(), r.all());
}

template <class Real>
PetscErrorCode GridPeers<Real>::In(const Scalar *x, bool start, GridStream stream)
{
  GridSharedMemory::Copies<Scalar> copies;

  PetscFunctionBegin;
  for (std::size_t k = 0; k < pieces.size(); k++) {
    const GridPiece<Real> &to = pieces[static_cast<std::size_t>(From(k))];

    copies.push_back(grid_copy_to_box(Common(From(k), false), x, start ? to.start : to.in));
  }
  PetscCall(shared.CopyAndBarrier(copies, GridSharedMemory::all, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies from an array of each box, of the rows that it owns, to the rows of this process */
template <class Real>
GridSharedMemory::Copies<Scalar> GridPeers<Real>::FromBoxes(Scalar *y, Scalar *GridPiece<Real>::*of) const
{
  GridSharedMemory::Copies<Scalar> copies;

  for (std::size_t k = 0; k < pieces.size(); k++)
    copies.push_back(grid_copy_from_box<Scalar>(Common(From(k), true), pieces[static_cast<std::size_t>(From(k))].*of, y));
  return copies;
}

/* A process writes its next result only after the next barrier of all, which follows this read */
template <class Real>
PetscErrorCode GridPeers<Real>::Out(Scalar *y, GridStream stream)
{
  PetscFunctionBegin;
  PetscCall(shared.Barrier(GridSharedMemory::all, stream));
  PetscCall(shared.CopyResults(FromBoxes(y, &GridPiece<Real>::out), {}, false, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::Finish(bool zero, Scalar *x, Scalar *r, GridStream stream)
{
  PetscFunctionBegin;
  PetscCall(shared.Barrier(GridSharedMemory::all, stream));
  PetscCall(shared.CopyResults(FromBoxes(x, &GridPiece<Real>::out), FromBoxes(r, &GridPiece<Real>::start), !zero, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::ExchangeOverlap(int l, GridArray which, int most, GridStream stream)
{
  if (!HasSlab()) return PETSC_SUCCESS;
  const GridRows                 r = all.division.Rows(all.plan, l, rank);
  const GridLevel<Real>         &L = pieces[static_cast<std::size_t>(rank)].slab.levels[static_cast<std::size_t>(l)];
  GridSharedMemory::Copies<Real> copies;

  PetscFunctionBegin;
  for (int side = 0; side < 2; side++) {
    const int taken = std::min(most, side ? r.north : r.south), first = side ? r.first + r.owned : r.first - taken, q = rank + (side ? 1 : -1);

    if (!taken) continue;
    copies.push_back(Rows(L, first - r.offset(), pieces[static_cast<std::size_t>(q)].slab.levels[static_cast<std::size_t>(l)],
                          first - all.division.Rows(all.plan, l, q).offset(), taken, false, which));
  }
  PetscCall(shared.Barrier(GridSharedMemory::slabs, stream));
  PetscCall(shared.CopyAndBarrier(copies, GridSharedMemory::slabs, stream)); /* the second barrier: neighbours have read the rows */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies to the replicas of all processes, which read them before their next barrier of any kind; the next write
   follows that barrier. */
template <class Real>
PetscErrorCode GridPeers<Real>::GatherCoarse(GridArray which, GridStream stream) const
{
  if (!HasSlab()) return PETSC_SUCCESS;
  const GridRows                 r = all.division.Rows(all.plan, all.division.levels, rank);
  GridSharedMemory::Copies<Real> copies;

  PetscFunctionBegin;
  for (std::size_t k = 0; k < pieces.size(); k++)
    copies.push_back(Rows(pieces[static_cast<std::size_t>(From(k))].coarse.levels[0], r.first, pieces[static_cast<std::size_t>(rank)].Last(), r.south, r.owned,
                          r.offset() & 1, which));
  PetscCall(shared.CopyAndBarrier(copies, GridSharedMemory::slabs, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::ScatterCoarse(GridStream stream)
{
  if (!HasSlab()) return PETSC_SUCCESS;
  const GridRows                 r    = all.division.Rows(all.plan, all.division.levels, rank);
  const GridPiece<Real>         &mine = pieces[static_cast<std::size_t>(rank)];
  GridSharedMemory::Copies<Real> copies;

  PetscFunctionBegin;
  copies.push_back(Rows(mine.Last(), 0, mine.coarse.levels[0], r.offset(), r.all(), r.offset() & 1, GridArray::x));
  PetscCall(shared.Copy(copies, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies own rows to the overlap of the neighbours. They have read the previous rows before the preceding sums. */
template <class Real>
PetscErrorCode GridPeers<Real>::Halo(const GridRankSums &sums, GridStream stream)
{
  const GridPiece<Real>         &mine = pieces[static_cast<std::size_t>(rank)];
  const GridLevel<Real>         &L    = mine.slab.levels[0];
  const GridRows                 r    = all.division.Rows(all.plan, 0, rank);
  GridSharedMemory::Copies<Real> copies;

  PetscFunctionBegin;
  for (int q : {rank - 1, rank + 1}) {
    if (q < 0 || q >= static_cast<int>(pieces.size())) continue;
    const GridPiece<Real> &its    = pieces[static_cast<std::size_t>(q)];
    const GridRows         t      = all.division.Rows(all.plan, 0, q);
    const int              number = q < rank ? t.north : t.south, first = q < rank ? r.first : r.first + r.owned - number;
    GridCopy<Real>         copy;

    copy.to         = its.z + static_cast<std::size_t>(first - t.offset()) * L.H;
    copy.from       = mine.z + static_cast<std::size_t>(first - r.offset()) * L.H;
    copy.width      = static_cast<std::size_t>(number) * L.H;
    copy.height     = static_cast<std::size_t>(L.K);
    copy.to_pitch   = its.slab.levels[0].columns;
    copy.from_pitch = L.columns;
    copies.push_back(copy);
  }
  PetscCall(shared.CopyAndSum(copies, sums, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::Sums(const GridRankSums &sums, GridStream stream)
{
  PetscFunctionBegin;
  if (shared.Side() == Where::device) PetscCall(shared.CopyAndSum(GridSharedMemory::Copies<Real>(), sums, stream)); /* on the host the solver does it */
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define HEPTANE_GRID_PEERS(Real) \
  template GridIntersection GridPeers<Real>::Common(int, bool) const; \
  template PetscErrorCode   GridPeers<Real>::In(const Scalar *, bool, GridStream); \
  template PetscErrorCode   GridPeers<Real>::Out(Scalar *, GridStream); \
  template PetscErrorCode   GridPeers<Real>::Finish(bool, Scalar *, Scalar *, GridStream); \
  template PetscErrorCode   GridPeers<Real>::ScatterCoarse(GridStream); \
  template PetscErrorCode   GridPeers<Real>::Halo(const GridRankSums &, GridStream); \
  template PetscErrorCode   GridPeers<Real>::Sums(const GridRankSums &, GridStream); \
  template PetscErrorCode   GridPeers<Real>::ExchangeOverlap(int, GridArray, int, GridStream); \
  template PetscErrorCode   GridPeers<Real>::GatherCoarse(GridArray, GridStream) const;
HEPTANE_GRID_PEERS(float)
HEPTANE_GRID_PEERS(double)
#undef HEPTANE_GRID_PEERS

} // namespace heptane

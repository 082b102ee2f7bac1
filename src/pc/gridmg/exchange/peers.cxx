/*
   Transfers between processes that share memory: pieces, values of the matrix, vectors; rows between the steps of a
   cycle, and in CG without red columns. See peers.hpp.
*/
#include "peers.hpp"
#include <algorithm>

namespace heptane
{

template <class Real>
PetscErrorCode GridPeers<Real>::Make(MPI_Comm comm, Where where, GridPiece<Real> *piece, GridDistribution *distribution)
{
  PetscMPIInt     number;
  GridPiece<Real> nowhere;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &number));
  rank = number;
  PetscCall(shared.Make(comm, where, all.division.processes(), grid_place(all, rank, nullptr, &nowhere), distribution));
  if (!distribution->Is(GridDistribution::slabs)) PetscFunctionReturn(PETSC_SUCCESS);
  pieces.resize(static_cast<std::size_t>(all.division.processes()));
  for (int q = 0; q < all.division.processes(); q++) (void)grid_place(all, q, shared.At(q), &pieces[static_cast<std::size_t>(q)]);
  PetscCallMPI(MPI_Comm_size(comm, &number));
  everywhere = all.division.processes() == number && parallel.AllHaveRows();
  *piece     = HasSlab() ? pieces[static_cast<std::size_t>(rank)] : GridPiece<Real>();
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
double GridPeers<Real>::Moved() const
{
  if (!HasSlab()) return 0;
  const GridIntersection c     = Common(rank, false);
  const std::size_t      lacks = std::min(c.first, c.width) + c.width - std::min(c.last, c.width), local = c.width ? c.width * c.height * c.count - lacks : 0;

  return static_cast<double>(all.Box(rank) - local);
}

template <class Real>
GridValueCopy GridPeers<Real>::ValuesOf(int q, const BlockDiagonals &D, const int (&diagonal)[7], const Scalar *const (&interface)[6]) const
{
  const GridRows   r     = all.division.Rows(all.plan, 0, q);
  const GridShape &shape = parallel.Shape();
  GridValueCopy    copy;

  copy.SetRows(D.values, D.ld, parallel.Region(), all.unknowns);
  copy.axis       = all.plan.axis[1];
  copy.common     = Common(q, false);
  copy.box_stride = shape.stride[copy.axis] * static_cast<std::size_t>(all.unknowns); /* earlier axes are whole */
  copy.box_rows   = static_cast<std::size_t>(r.all());
  copy.cut[0]     = r.south > 0;
  copy.cut[1]     = r.first + r.owned + r.north < shape.extent[copy.axis];
  copy.to         = pieces[static_cast<std::size_t>(q)].values;
  copy.to_ld      = all.Box(q);
  std::copy(diagonal, diagonal + 7, copy.diagonal);
  std::copy(interface, interface + 6, copy.interface);
  return copy;
}

template <class Real>
PetscErrorCode GridPeers<Real>::Values(bool *usable)
{
  const Scalar  *interface[6];
  BlockDiagonals D;
  int            diagonal[7];
  GridStream     stream;

  PetscFunctionBegin;
  PetscCall(shared.Stream(&stream));
  PetscCall(parallel.LocalDiagonals(&D, diagonal, interface, usable));
  if (!*usable) PetscFunctionReturn(PETSC_SUCCESS);
  for (std::size_t k = 0; k < pieces.size(); k++) PetscCall(shared.CopyValues(ValuesOf(From(k), D, diagonal, interface), stream));
  PetscCall(shared.Barrier(GridSharedMemory::all, stream));
  if (!HasSlab()) PetscCall(shared.Wait()); /* frees `interface` for the host; processes with slabs synchronise at the report of the set-up */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::ToBox(Vec x)
{
  const Scalar *array;
  GridStream    stream;

  PetscFunctionBegin;
  PetscCall(shared.Stream(&stream));
  PetscCall(of_x.Read(shared.Side(), x, &array));
  PetscCall(In(array, false, stream));
  PetscCall(of_x.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::FromBox(Vec y)
{
  Scalar    *array = nullptr;
  GridStream stream;

  PetscFunctionBegin;
  PetscCall(shared.Stream(&stream));
  PetscCall(of_y.Write(shared.Side(), y, false, &array));
  PetscCall(Out(array, stream));
  PetscCall(of_y.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

template class GridPeers<float>;
template class GridPeers<double>;

} // namespace heptane

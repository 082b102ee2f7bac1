/*
   Transfers between processes: pieces, values of the matrix, vectors; rows between the steps of a cycle, and in CG
   without red columns. See peers.hpp.
*/
#include "peers.hpp"
#include "../../../comm/peer_options.hpp"
#include "../../../sys/collective.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

/* NCCL if the options want it first, or if memory cannot be shared */
template <class Real>
PetscErrorCode GridPeers<Real>::MakeMemory(MPI_Comm comm, GridDistribution *distribution)
{
  GridPiece<Real>   nowhere;
  const std::size_t bytes = grid_place(all, rank, nullptr, &nowhere);
  PeerOptions       options;
  GridDistribution  sharing(GridDistribution::slabs);
  std::string       why;

  PetscFunctionBegin;
  PetscCall(PeerOptionsGet(side, &options));
  const bool first = options.nccl && !options.wanted;
  if (first) PetscCall(nccl.Make(comm, side, bytes, &why));
  if (!ByNccl()) PetscCall(shared.Make(comm, side, all.division.processes(), bytes, &sharing));
  if (!sharing.Is(GridDistribution::slabs) && options.nccl && !first) PetscCall(nccl.Make(comm, side, bytes, &why));
  if (!ByNccl() && !why.empty()) PetscCall(PetscInfo(NULL, "gridmg: slabs not by NCCL: %s\n", why.c_str()));
  if (!ByNccl()) *distribution = sharing;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::Make(MPI_Comm comm, Where where, GridPiece<Real> *piece, GridDistribution *distribution)
{
  PetscMPIInt number;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &number));
  rank = number;
  side = where;
  PetscCall(MakeMemory(comm, distribution));
  if (!distribution->Is(GridDistribution::slabs)) PetscFunctionReturn(PETSC_SUCCESS);
  pieces.resize(static_cast<std::size_t>(all.division.processes()));
  for (int q = 0; q < Slabs(); q++) (void)grid_place(all, q, ByNccl() ? nccl.At() : shared.At(q), &pieces[static_cast<std::size_t>(q)]);
  PetscCallMPI(MPI_Comm_size(comm, &number));
  regions.resize(static_cast<std::size_t>(number));
  PetscCall(CollectiveGather(comm, &parallel.Region(), sizeof(GridRegion), regions.data()));
  everywhere = Slabs() == number && parallel.AllHaveRows();
  *piece     = HasSlab() ? pieces[static_cast<std::size_t>(rank)] : GridPiece<Real>();
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
double GridPeers<Real>::Moved() const
{
  if (!HasSlab()) return 0;
  const GridIntersection c     = Common(rank, rank, false);
  const std::size_t      lacks = std::min(c.first, c.width) + c.width - std::min(c.last, c.width), local = c.width ? c.width * c.height * c.count - lacks : 0;

  return static_cast<double>(all.Box(rank) - local);
}

/* By NCCL: what this process sends to, and receives from, each process that has a part in it. copy(p, q): from p to q */
template <class Real>
template <class F>
PetscErrorCode GridPeers<Real>::Move(int senders, int receivers, F copy, GridStream stream)
{
  std::vector<decltype(copy(0, 0))> sent, received;

  PetscFunctionBegin;
  for (int q = 0; q < receivers && rank < senders; q++) sent.push_back(copy(rank, q));
  for (int p = 0; p < senders && rank < receivers; p++) received.push_back(copy(p, rank));
  PetscCall(nccl.Move(sent, received, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::Stream([[maybe_unused]] GridStream *stream) const
{
  PetscFunctionBegin;
  if (!ByNccl()) PetscCall(shared.Stream(stream));
  else *stream = nullptr;
#if PetscDefined(HAVE_CUDA)
  if (ByNccl() && side == Where::device) PetscCall(PetscGetCurrentCUDAStream(stream));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the rows of process p in the box of process q; values are read by p */
template <class Real>
GridValueCopy GridPeers<Real>::ValuesOf(int p, int q, const BlockDiagonals &D, const int (&diagonal)[7], const Scalar *const (&interface)[6]) const
{
  const GridRows   r     = all.division.Rows(all.plan, 0, q);
  const GridShape &shape = parallel.Shape();
  GridValueCopy    copy;

  copy.SetRows(D.values, D.ld, regions[static_cast<std::size_t>(p)], all.unknowns);
  copy.axis       = all.plan.axis[1];
  copy.common     = Common(p, q, false);
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

  std::vector<GridValueCopy> copies;

  PetscFunctionBegin;
  PetscCall(Stream(&stream));
  PetscCall(parallel.LocalDiagonals(&D, diagonal, interface, usable));
  if (!*usable) PetscFunctionReturn(PETSC_SUCCESS);
  const auto copy = [&](int p, int q) { return ValuesOf(p, q, D, diagonal, interface); };
  if (ByNccl()) {
    PetscCall(Move(Processes(), Slabs(), copy, stream));
    PetscFunctionReturn(PETSC_SUCCESS); /* all processes wait at the end of the set-up */
  }
  for (std::size_t k = 0; k < pieces.size(); k++) copies.push_back(copy(rank, From(k)));
  PetscCall(shared.CopyValues(copies, stream));
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
  PetscCall(Stream(&stream));
  PetscCall(of_x.Read(side, x, &array));
  const PetscErrorCode code = In(array, false, stream);
  PetscCall(of_x.Restore()); /* after an error, too: the vector has another use */
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::FromBox(Vec y)
{
  Scalar    *array = nullptr;
  GridStream stream;

  PetscFunctionBegin;
  PetscCall(Stream(&stream));
  PetscCall(of_y.Write(side, y, false, &array));
  const PetscErrorCode code = Out(array, stream);
  PetscCall(of_y.Restore());
  PetscCall(code);
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

/* The intersection of the rows of process p and the box of process q; owned: only rows that the box owns */
template <class Real>
GridIntersection GridPeers<Real>::Common(int p, int q, bool owned) const
{
  const GridRows r = all.division.Rows(all.plan, 0, q);

  return grid_intersection(regions[static_cast<std::size_t>(p)], parallel.Shape().extent, all.unknowns, all.plan.axis[1], owned ? r.first : r.offset(),
                           owned ? r.owned : r.all(), r.offset(), r.all());
}

template <class Real>
PetscErrorCode GridPeers<Real>::In(const Scalar *x, bool start, GridStream stream)
{
  GridSharedMemory::Copies<Scalar> copies;
  const auto                       copy = [&](int p, int q) {
    const GridPiece<Real> &to = pieces[static_cast<std::size_t>(q)];

    return grid_copy_to_box(Common(p, q, false), x, start ? to.start : to.in);
  };

  PetscFunctionBegin;
  if (ByNccl()) {
    PetscCall(Move(Processes(), Slabs(), copy, stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (std::size_t k = 0; k < pieces.size(); k++) copies.push_back(copy(rank, From(k)));
  PetscCall(shared.CopyAndBarrier(copies, GridSharedMemory::all, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies from an array of each box, of the rows that it owns, to the rows of this process */
template <class Real>
GridSharedMemory::Copies<Scalar> GridPeers<Real>::FromBoxes(Scalar *y, Scalar *GridPiece<Real>::*of) const
{
  GridSharedMemory::Copies<Scalar> copies;

  for (std::size_t k = 0; k < pieces.size(); k++)
    copies.push_back(grid_copy_from_box<Scalar>(Common(rank, From(k), true), pieces[static_cast<std::size_t>(From(k))].*of, y));
  return copies;
}

/* A process writes its next result only after the next barrier of all, which follows this read */
template <class Real>
PetscErrorCode GridPeers<Real>::Out(Scalar *y, GridStream stream)
{
  const auto copy = [&](int p, int q) { return grid_copy_from_box<Scalar>(Common(q, p, true), pieces[static_cast<std::size_t>(p)].out, y); };

  PetscFunctionBegin;
  if (ByNccl()) {
    PetscCall(Move(Slabs(), Processes(), copy, stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
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

/* At most `most` overlap rows of process q from process p, if it is a neighbour; else none */
template <class Real>
GridCopy<Real> GridPeers<Real>::Overlap(int p, int q, int l, GridArray array, int most) const
{
  const GridRows r     = all.division.Rows(all.plan, l, q);
  const int      taken = std::min(most, p > q ? r.north : r.south), first = p > q ? r.first + r.owned : r.first - taken;
  const auto     level = [&](int of) -> const GridLevel<Real>     &{ return pieces[static_cast<std::size_t>(of)].slab.levels[static_cast<std::size_t>(l)]; };

  if (p - q != 1 && q - p != 1) return GridCopy<Real>();
  return Rows(level(q), first - r.offset(), level(p), first - all.division.Rows(all.plan, l, p).offset(), taken, false, array);
}

template <class Real>
PetscErrorCode GridPeers<Real>::ExchangeOverlap(int l, GridArray which, int most, GridStream stream)
{
  GridSharedMemory::Copies<Real> copies;
  const auto                     copy = [&](int p, int q) { return Overlap(p, q, l, which, most); };

  PetscFunctionBegin;
  if (!HasSlab()) PetscFunctionReturn(PETSC_SUCCESS);
  if (ByNccl()) {
    PetscCall(Move(Slabs(), Slabs(), copy, stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int p : {rank - 1, rank + 1})
    if (p >= 0 && p < Slabs()) copies.push_back(copy(p, rank));
  PetscCall(shared.Barrier(GridSharedMemory::slabs, stream));
  PetscCall(shared.CopyAndBarrier(copies, GridSharedMemory::slabs, stream)); /* the second barrier: neighbours have read the rows */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies to the replicas of all processes, which read them before their next barrier of any kind; the next write
   follows that barrier. */
template <class Real>
PetscErrorCode GridPeers<Real>::GatherCoarse(GridArray which, GridStream stream)
{
  GridSharedMemory::Copies<Real> copies;
  const auto                     copy = [&](int p, int q) {
    const GridRows r = all.division.Rows(all.plan, all.division.levels, p);

    return Rows(pieces[static_cast<std::size_t>(q)].coarse.levels[0], r.first, pieces[static_cast<std::size_t>(p)].Last(), r.south, r.owned, r.offset() & 1,
                                    which);
  };

  PetscFunctionBegin;
  if (!HasSlab()) PetscFunctionReturn(PETSC_SUCCESS);
  if (ByNccl()) {
    PetscCall(Move(Slabs(), Slabs(), copy, stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (std::size_t k = 0; k < pieces.size(); k++) copies.push_back(copy(rank, From(k)));
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
  if (ByNccl()) PetscCall(grid_copy_list(side, copies, false, stream));
  else PetscCall(shared.Copy(copies, stream));
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
  if (side == Where::device) PetscCall(shared.CopyAndSum(GridSharedMemory::Copies<Real>(), sums, stream)); /* on the host the solver does it */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template class GridPeers<float>;
template class GridPeers<double>;

} // namespace heptane

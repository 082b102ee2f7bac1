/*
   Transfers outside of cycles between processes that share memory: pieces, values of the matrix, vectors. See
   peers.hpp.
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
  Scalar    *array;
  GridStream stream;

  PetscFunctionBegin;
  PetscCall(shared.Stream(&stream));
  PetscCall(of_y.Write(shared.Side(), y, false, &array));
  PetscCall(Out(array, stream));
  PetscCall(of_y.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define HEPTANE_GRID_PEERS(Real) \
  template PetscErrorCode GridPeers<Real>::Make(MPI_Comm, Where, GridPiece<Real> *, GridDistribution *); \
  template double         GridPeers<Real>::Moved() const; \
  template PetscErrorCode GridPeers<Real>::Values(bool *); \
  template PetscErrorCode GridPeers<Real>::ToBox(Vec); \
  template PetscErrorCode GridPeers<Real>::FromBox(Vec);
HEPTANE_GRID_PEERS(float)
HEPTANE_GRID_PEERS(double)
#undef HEPTANE_GRID_PEERS

} // namespace heptane

/*
   What goes between processes that reach each other's memory when a hierarchy is made and where a solver calls: the pieces, values of the matrix, vectors. See gridmg_peers.hpp.
*/
#include "gridmg_peers.hpp"
#include "../../comm/peer_options.hpp"

namespace heptane
{

template <class Real>
const char *GridPeers<Real>::Name() const
{
  return peer_text;
}

template <class Real>
PetscErrorCode GridPeers<Real>::Make(MPI_Comm comm, Where where, GridPiece<Real> *piece, std::string *why)
{
  PetscMPIInt     number;
  GridPiece<Real> nowhere;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &number));
  rank = number;
  if (!spread.Regular()) *why = "the rows of processes are not those of boxes of the DMDA";
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(reach.Make(comm, where, all.division.processes(), grid_place(all, rank, nullptr, &nowhere), why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  pieces.resize(static_cast<std::size_t>(all.division.processes()));
  for (int q = 0; q < all.division.processes(); q++) (void)grid_place(all, q, reach.At(q), &pieces[static_cast<std::size_t>(q)]);
  PetscCallMPI(MPI_Comm_size(comm, &number));
  everywhere = all.division.processes() == number && spread.AllHaveRows();
  *piece     = rank < all.division.processes() ? pieces[static_cast<std::size_t>(rank)] : GridPiece<Real>();
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
GridValueCopy GridPeers<Real>::ValuesOf(int q, const BlockDiagonals &D, const int (&diagonal)[7], const Scalar *const (&between)[6]) const
{
  const GridRows   r     = all.division.Rows(all.plan, 0, q);
  const GridShape &shape = spread.Shape();
  GridValueCopy    copy;

  copy.SetRows(D.values, D.ld, spread.Own(), all.unknowns);
  copy.axis       = all.plan.axis[1];
  copy.common     = Common(q, false);
  copy.box_stride = shape.stride[copy.axis] * static_cast<std::size_t>(all.unknowns); /* the axes before it are whole */
  copy.box_rows   = static_cast<std::size_t>(r.all());
  copy.cut[0]     = r.south > 0;
  copy.cut[1]     = r.first + r.own + r.north < shape.extent[copy.axis];
  copy.to         = pieces[static_cast<std::size_t>(q)].values;
  copy.to_ld      = all.Box(q);
  std::copy(diagonal, diagonal + 7, copy.diagonal);
  std::copy(between, between + 6, copy.between);
  return copy;
}

template <class Real>
PetscErrorCode GridPeers<Real>::Values(const Scalar **values)
{
  const bool     has_slab = rank < static_cast<int>(pieces.size());
  const int      b        = all.unknowns;
  Scalar *const  mine     = has_slab ? pieces[static_cast<std::size_t>(rank)].values : nullptr;
  const Scalar  *between[6];
  BlockDiagonals D;
  int            diagonal[7];
  bool           usable;
  GridStream     stream;

  PetscFunctionBegin;
  *values = mine;
  PetscCall(reach.Stream(&stream));
  PetscCall(spread.OwnDiagonals(&D, diagonal, between, spread.HasBeside(), &usable));
  if (usable) {
    for (std::size_t k = 0; k < pieces.size(); k++) PetscCall(reach.CopyValues(ValuesOf(From(k), D, diagonal, between), stream));
  } else {
    std::vector<Scalar> host;

    PetscCall(PetscInfo(NULL, "Values of divided levels of gridmg come by messages: there are entries beside the block diagonals of processes\n"));
    PetscCall(spread.Values(&host));
    if (has_slab && reach.Side() == Where::host) std::copy(host.begin(), host.end(), mine);
    else if (has_slab) PetscCall(CopyToDevice(mine, host.data(), 7 * static_cast<std::size_t>(b) * all.Box(rank)));
  }
  PetscCall(reach.Meet(GridReach::all, stream));
  if (!has_slab) PetscCall(reach.Wait()); /* what `between` has is the host's again; others wait for the report of the set-up */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::ToBox(Vec x)
{
  const Scalar *array;
  GridStream    stream;

  PetscFunctionBegin;
  PetscCall(reach.Stream(&stream));
  PetscCall(vectors.Read(reach.Side(), x, &array));
  PetscCall(In(array, false, stream));
  PetscCall(vectors.DoneReading(reach.Side(), x, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::FromBox(Vec y)
{
  Scalar    *array;
  GridStream stream;

  PetscFunctionBegin;
  PetscCall(reach.Stream(&stream));
  PetscCall(vectors.Write(reach.Side(), y, &array));
  PetscCall(Out(array, stream));
  PetscCall(vectors.DoneWriting(reach.Side(), y, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::Neighbours(int l, GridArray which, int most)
{
  GridStream stream;

  PetscFunctionBegin;
  PetscCall(reach.Stream(&stream));
  PetscCall(Beside(l, which, most, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::ToFirst(GridArray which)
{
  GridStream stream;

  PetscFunctionBegin;
  PetscCall(reach.Stream(&stream));
  PetscCall(ToAll(which, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::FromFirst(GridArray)
{
  GridStream stream;

  PetscFunctionBegin;
  PetscCall(reach.Stream(&stream));
  PetscCall(Up(stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode grid_peers(MPI_Comm comm, Where where, const GridPieces &all, GridSpread &spread, GridPiece<Real> *piece,
                          std::unique_ptr<GridExchange<Real>> *made, std::string *why)
{
  auto peers = std::make_unique<GridPeers<Real>>(all, spread);

  PetscFunctionBegin;
  PetscCall(peers->Make(comm, where, piece, why));
  if (why->empty()) *made = std::move(peers);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template PetscErrorCode grid_peers(MPI_Comm, Where, const GridPieces &, GridSpread &, GridPiece<float> *, std::unique_ptr<GridExchange<float>> *,
                                   std::string *);
template PetscErrorCode grid_peers(MPI_Comm, Where, const GridPieces &, GridSpread &, GridPiece<double> *, std::unique_ptr<GridExchange<double>> *,
                                   std::string *);

} // namespace heptane

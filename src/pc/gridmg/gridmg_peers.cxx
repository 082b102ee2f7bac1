/*
   What processes of a divided hierarchy give each other, in memory that all of them reach. Pieces lie there, and rows are copied from one to the other. Between them all processes meet: what they have
   queued is done, and seen by the others.
*/
#include "../../comm/peer_options.hpp"
#include "gridmg_exchange.hpp"
#include "gridmg_reach.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

namespace
{

template <class Real>
class GridPeers final : public GridExchange<Real> {
public:
  GridPeers(const GridPieces &a, GridSpread &s) : all(a), spread(s) {}

  /* Collective; piece: what this process has, in the memory of all */
  PetscErrorCode Make(MPI_Comm comm, Where where, GridPiece<Real> *piece, std::string *why);

  PetscErrorCode Values(const Scalar **values) override;
  PetscErrorCode ToBox(Vec x) override;
  PetscErrorCode FromBox(Vec y) override;
  PetscErrorCode Neighbours(int l, GridArray which, int most) override;
  PetscErrorCode ToFirst(GridArray which) override;
  PetscErrorCode FromFirst(GridArray which) override;
  PetscErrorCode Check() override { return reach.Check(); }
  PetscErrorCode CheckNow() override { return reach.CheckNow(); }
  const char    *Name() const override { return peer_text; }
  bool           Reaches() const override { return true; }

private:
  PetscErrorCode Rows(const GridLevel<Real> &to, int to_row, const GridLevel<Real> &from, int from_row, int number, bool swapped, GridArray which) const;
  GridCommon     Common(int q, bool owned) const;
  GridValueCopy  ValuesOf(int q, const BlockDiagonals &D, const int (&diagonal)[7], const Scalar *const (&between)[2]) const;

  int Low() const { return spread.Planes()[static_cast<std::size_t>(rank)]; }
  int High() const { return spread.Planes()[static_cast<std::size_t>(rank) + 1]; }

  const GridPieces            &all;
  GridSpread                  &spread;
  GridReach                    reach;
  std::vector<GridPiece<Real>> pieces; /* of all processes that have slabs, as this one addresses them */
  int                          rank = 0;
};

template <class Real>
PetscErrorCode GridPeers<Real>::Make(MPI_Comm comm, Where where, GridPiece<Real> *piece, std::string *why)
{
  PetscMPIInt     number;
  GridPiece<Real> nowhere;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &number));
  rank = number;
  if (spread.Planes().empty()) *why = "processes do not have whole planes of cells";
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(reach.Make(comm, where, all.division.processes(), grid_place(all, rank, true, nullptr, &nowhere), why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  pieces.resize(static_cast<std::size_t>(all.division.processes()));
  for (int q = 0; q < all.division.processes(); q++) (void)grid_place(all, q, true, reach.At(q), &pieces[static_cast<std::size_t>(q)]);
  *piece = rank < all.division.processes() ? pieces[static_cast<std::size_t>(rank)] : GridPiece<Real>();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of an array. swapped: the rows of one have the colours that those of the other do not have */
template <class Real>
PetscErrorCode GridPeers<Real>::Rows(const GridLevel<Real> &to, int to_row, const GridLevel<Real> &from, int from_row, int number, bool swapped,
                                     GridArray which) const
{
  GridCopy<Real> copy; /* a place is a colour */

  PetscFunctionBegin;
  copy.to         = grid_array(to, which) + static_cast<std::size_t>(to_row) * to.H;
  copy.from       = grid_array(from, which) + (swapped ? from.columns : 0) + static_cast<std::size_t>(from_row) * from.H;
  copy.width      = static_cast<std::size_t>(number) * to.H;
  copy.height     = static_cast<std::size_t>(grid_parts(to, which)) * to.K;
  copy.to_pitch   = 2 * to.columns;
  copy.from_pitch = 2 * from.columns;
  copy.count      = 2;
  copy.to_step    = static_cast<std::ptrdiff_t>(to.columns);
  copy.from_step  = static_cast<std::ptrdiff_t>(from.columns) * (swapped ? -1 : 1);
  PetscCall(reach.Copy(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the planes of this process and the box of process q have in common; owned: of the rows that the box owns */
template <class Real>
GridCommon GridPeers<Real>::Common(int q, bool owned) const
{
  const GridRows   r     = all.division.Rows(all.plan, 0, q);
  const GridShape &shape = spread.Shape();
  const int        axis  = all.plan.axis[1];
  int              first = owned ? r.first : r.offset(), rows = owned ? r.own : r.all();
  GridCommon       c;

  c.row         = shape.stride[axis] * static_cast<std::size_t>(all.unknowns);
  c.local_pitch = c.row * shape.extent[axis];
  c.box_pitch   = c.row * r.all();
  if (axis == 2) { /* planes are rows */
    const int end = std::min(first + rows, High());

    first    = std::max(first, Low());
    rows     = std::max(0, end - first);
    c.height = rows > 0;
    c.local  = static_cast<std::size_t>(std::max(0, first - Low())) * c.row;
    c.box    = static_cast<std::size_t>(first - r.offset()) * c.row;
  } else {
    c.height = static_cast<std::size_t>(std::max(0, High() - Low()));
    c.local  = static_cast<std::size_t>(first) * c.row;
    c.box    = static_cast<std::size_t>(Low()) * c.box_pitch + static_cast<std::size_t>(first - r.offset()) * c.row;
  }
  c.width = static_cast<std::size_t>(rows) * c.row;
  return c;
}

template <class Real>
GridValueCopy GridPeers<Real>::ValuesOf(int q, const BlockDiagonals &D, const int (&diagonal)[7], const Scalar *const (&between)[2]) const
{
  const GridRows   r     = all.division.Rows(all.plan, 0, q);
  const GridShape &shape = spread.Shape();
  GridValueCopy    copy;

  copy.values    = D.values;
  copy.ld        = D.ld;
  copy.block     = all.unknowns;
  copy.axis      = all.plan.axis[1];
  copy.plane     = shape.stride[2] * static_cast<std::size_t>(all.unknowns);
  copy.rows      = static_cast<std::size_t>(High() - Low()) * copy.plane;
  copy.common    = Common(q, false);
  copy.first_row = copy.axis == 2 ? static_cast<std::size_t>(std::max(0, Low() - r.offset())) : 0;
  copy.box_rows  = static_cast<std::size_t>(r.all());
  copy.cut[0]    = r.south > 0;
  copy.cut[1]    = r.first + r.own + r.north < shape.extent[copy.axis];
  copy.to        = pieces[static_cast<std::size_t>(q)].values;
  copy.to_ld     = all.Box(q);
  std::copy(diagonal, diagonal + 7, copy.diagonal);
  if (Low() > 0 && High() > Low()) copy.between[0] = between[0];
  if (High() < shape.extent[2] && High() > Low()) copy.between[1] = between[1];
  return copy;
}

template <class Real>
PetscErrorCode GridPeers<Real>::Values(const Scalar **values)
{
  const bool     has_slab = rank < static_cast<int>(pieces.size());
  const int      b        = all.unknowns;
  Scalar *const  mine     = has_slab ? pieces[static_cast<std::size_t>(rank)].values : nullptr;
  const Scalar  *between[2];
  BlockDiagonals D;
  int            diagonal[7];
  bool           usable;

  PetscFunctionBegin;
  *values = mine;
  PetscCall(spread.OwnDiagonals(&D, diagonal, between, &usable));
  if (usable) {
    for (int q = 0; q < static_cast<int>(pieces.size()); q++) PetscCall(reach.CopyValues(ValuesOf(q, D, diagonal, between)));
  } else {
    std::vector<Scalar> host;

    PetscCall(PetscInfo(NULL, "Values of divided levels of gridmg come by messages: there are entries beside the block diagonals of processes\n"));
    PetscCall(spread.Values(&host));
    if (has_slab && reach.Side() == Where::host) std::copy(host.begin(), host.end(), mine);
    else if (has_slab) PetscCall(CopyToDevice(mine, host.data(), 7 * static_cast<std::size_t>(b) * all.Box(rank)));
  }
  PetscCall(reach.Meet(GridReach::all));
  if (!has_slab) PetscCall(reach.Wait()); /* what `between` has is the host's again; others wait for the report of the set-up */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::ToBox(Vec x)
{
  const PetscScalar *xx;
  const bool         host = reach.Side() == Where::host;

  PetscFunctionBegin;
  if (host) PetscCall(VecGetArrayRead(x, &xx));
  else PetscCall(VecGetArrayReadAndMemType(x, &xx, NULL));
  for (std::size_t q = 0; q < pieces.size(); q++) {
    const GridCommon c = Common(static_cast<int>(q), false);

    PetscCall(reach.Copy(GridCopy<Scalar>{pieces[q].in + c.box, xx + c.local, c.width, c.height, c.box_pitch, c.local_pitch}));
  }
  PetscCall(reach.Meet(GridReach::all));
  if (host) PetscCall(VecRestoreArrayRead(x, &xx));
  else PetscCall(VecRestoreArrayReadAndMemType(x, &xx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nobody gives his next result before all have met again, which is after this has been read */
template <class Real>
PetscErrorCode GridPeers<Real>::FromBox(Vec y)
{
  PetscScalar *yy;
  PetscInt     n;
  const bool   host = reach.Side() == Where::host;

  PetscFunctionBegin;
  PetscCall(reach.Meet(GridReach::all));
  PetscCall(VecGetLocalSize(y, &n));
  if (host) PetscCall(VecGetArrayWrite(y, &yy));
  else PetscCall(VecGetArrayWriteAndMemType(y, &yy, NULL));
  for (std::size_t q = 0; q < pieces.size(); q++) {
    const GridCommon c = Common(static_cast<int>(q), true);

    PetscCall(reach.Copy(GridCopy<Scalar>{yy + c.local, pieces[q].out + c.box, c.width, c.height, c.local_pitch, c.box_pitch}));
  }
  PetscCall(reach.Spoil(yy, static_cast<std::size_t>(n)));
  if (host) PetscCall(VecRestoreArrayWrite(y, &yy));
  else PetscCall(VecRestoreArrayWriteAndMemType(y, &yy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::Neighbours(int l, GridArray which, int most)
{
  if (rank >= static_cast<int>(pieces.size())) return PETSC_SUCCESS;
  const GridRows         r = all.division.Rows(all.plan, l, rank);
  const GridLevel<Real> &L = pieces[static_cast<std::size_t>(rank)].slab.levels[static_cast<std::size_t>(l)];

  PetscFunctionBegin;
  PetscCall(reach.Meet(GridReach::slabs));
  for (int side = 0; side < 2; side++) {
    const int taken = std::min(most, side ? r.north : r.south), first = side ? r.first + r.own : r.first - taken, q = rank + (side ? 1 : -1);

    if (!taken) continue;
    PetscCall(Rows(L, first - r.offset(), pieces[static_cast<std::size_t>(q)].slab.levels[static_cast<std::size_t>(l)],
                   first - all.division.Rows(all.plan, l, q).offset(), taken, false, which));
  }
  PetscCall(reach.Meet(GridReach::slabs)); /* nobody goes on before they are read */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::ToFirst(GridArray which)
{
  if (rank >= static_cast<int>(pieces.size())) return PETSC_SUCCESS;
  const GridRows r = all.division.Rows(all.plan, all.division.levels, rank);

  PetscFunctionBegin;
  PetscCall(Rows(pieces[0].behind.levels[0], r.first, pieces[static_cast<std::size_t>(rank)].Last(), r.south, r.own, r.offset() & 1, which));
  PetscCall(reach.Meet(GridReach::slabs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first process comes when its levels are done; it changes them again after all have met once more */
template <class Real>
PetscErrorCode GridPeers<Real>::FromFirst(GridArray which)
{
  if (rank >= static_cast<int>(pieces.size())) return PETSC_SUCCESS;
  const GridRows r = all.division.Rows(all.plan, all.division.levels, rank);

  PetscFunctionBegin;
  PetscCall(reach.Meet(GridReach::slabs));
  PetscCall(Rows(pieces[static_cast<std::size_t>(rank)].Last(), 0, pieces[0].behind.levels[0], r.offset(), r.all(), r.offset() & 1, which));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

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

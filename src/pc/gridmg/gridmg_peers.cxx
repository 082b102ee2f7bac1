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
class GridPeers final : public GridExchange<Real>, public GridSlabs<Real> {
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

  GridSlabs<Real> *Slabs() override { return everywhere ? this : nullptr; }
  PetscErrorCode   In(const Scalar *x, bool start, GridStream stream) override;
  PetscErrorCode   Out(Scalar *y, GridStream stream) override;
  PetscErrorCode   Finish(bool zero, Scalar *x, Scalar *r, GridStream stream) override;
  PetscErrorCode   Down(GridStream stream) override { return ToAll(GridArray::b, stream); }
  PetscErrorCode   Up(GridStream stream) override;
  PetscErrorCode   Halo(const GridShared &sums, GridStream stream) override;
  PetscErrorCode   Sums(const GridShared &sums, GridStream stream) override;
  PetscErrorCode   Beside(int l, GridArray array, int most, GridStream stream) override;
  PetscErrorCode   Stream(GridStream *stream) const override { return reach.Stream(stream); }

private:
  PetscErrorCode        ToAll(GridArray which, GridStream stream) const;
  bool                  HasSlab() const { return rank < static_cast<int>(pieces.size()); }
  static GridCopy<Real> Rows(const GridLevel<Real> &to, int to_row, const GridLevel<Real> &from, int from_row, int number, bool swapped, GridArray which);
  GridCopies<Scalar>    FromBoxes(Scalar *y, Scalar *GridPiece<Real>::*of) const;
  GridCommon            Common(int q, bool owned) const;
  GridValueCopy         ValuesOf(int q, const BlockDiagonals &D, const int (&diagonal)[7], const Scalar *const (&between)[2]) const;

  int Low() const { return spread.Planes()[static_cast<std::size_t>(rank)]; }
  int High() const { return spread.Planes()[static_cast<std::size_t>(rank) + 1]; }

  const GridPieces            &all;
  GridSpread                  &spread;
  GridReach                    reach;
  std::vector<GridPiece<Real>> pieces; /* of all processes that have slabs, as this one addresses them */
  int                          rank       = 0;
  bool                         everywhere = false; /* all processes have slabs and rows */
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
  PetscCall(reach.Make(comm, where, all.division.processes(), grid_place(all, rank, nullptr, &nowhere), why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  pieces.resize(static_cast<std::size_t>(all.division.processes()));
  for (int q = 0; q < all.division.processes(); q++) (void)grid_place(all, q, reach.At(q), &pieces[static_cast<std::size_t>(q)]);
  everywhere = all.division.processes() + 1 == static_cast<int>(spread.Planes().size());
  for (std::size_t q = 0; q + 1 < spread.Planes().size(); q++) everywhere = everywhere && spread.Planes()[q] < spread.Planes()[q + 1];
  *piece = rank < all.division.processes() ? pieces[static_cast<std::size_t>(rank)] : GridPiece<Real>();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of an array. swapped: the rows of one have the colours that those of the other do not have */
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
  GridStream     stream;

  PetscFunctionBegin;
  *values = mine;
  PetscCall(reach.Stream(&stream));
  PetscCall(spread.OwnDiagonals(&D, diagonal, between, &usable));
  if (usable) {
    for (int q = 0; q < static_cast<int>(pieces.size()); q++) PetscCall(reach.CopyValues(ValuesOf(q, D, diagonal, between), stream));
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
PetscErrorCode GridPeers<Real>::In(const Scalar *x, bool start, GridStream stream)
{
  GridCopies<Scalar> copies;

  PetscFunctionBegin;
  for (std::size_t q = 0; q < pieces.size(); q++) {
    const GridCommon c = Common(static_cast<int>(q), false);

    copies.Add({(start ? pieces[q].start : pieces[q].in) + c.box, x + c.local, c.width, c.height, c.box_pitch, c.local_pitch});
  }
  PetscCall(reach.CopyAndMeet(copies, GridReach::all, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What boxes own, in an array of theirs, in the rows of this process */
template <class Real>
GridCopies<Scalar> GridPeers<Real>::FromBoxes(Scalar *y, Scalar *GridPiece<Real>::*of) const
{
  GridCopies<Scalar> copies;

  for (std::size_t q = 0; q < pieces.size(); q++) {
    const GridCommon c = Common(static_cast<int>(q), true);

    copies.Add({y + c.local, pieces[q].*of + c.box, c.width, c.height, c.local_pitch, c.box_pitch});
  }
  return copies;
}

/* Nobody gives his next result before all have met again, which is after this has been read */
template <class Real>
PetscErrorCode GridPeers<Real>::Out(Scalar *y, GridStream stream)
{
  GridGiven given;

  PetscFunctionBegin;
  given.x = FromBoxes(y, &GridPiece<Real>::out);
  PetscCall(reach.Meet(GridReach::all, stream));
  PetscCall(reach.Give(given, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::Finish(bool zero, Scalar *x, Scalar *r, GridStream stream)
{
  GridGiven given;

  PetscFunctionBegin;
  given.x   = FromBoxes(x, &GridPiece<Real>::out);
  given.r   = FromBoxes(r, &GridPiece<Real>::start);
  given.add = !zero;
  PetscCall(reach.Meet(GridReach::all, stream));
  PetscCall(reach.Give(given, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::ToBox(Vec x)
{
  const PetscScalar *xx;
  GridStream         stream;
  const bool         host = reach.Side() == Where::host;

  PetscFunctionBegin;
  PetscCall(reach.Stream(&stream));
  if (host) PetscCall(VecGetArrayRead(x, &xx));
  else PetscCall(VecGetArrayReadAndMemType(x, &xx, NULL));
  PetscCall(In(xx, false, stream));
  if (host) PetscCall(VecRestoreArrayRead(x, &xx));
  else PetscCall(VecRestoreArrayReadAndMemType(x, &xx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::FromBox(Vec y)
{
  PetscScalar *yy;
  GridStream   stream;
  const bool   host = reach.Side() == Where::host;

  PetscFunctionBegin;
  PetscCall(reach.Stream(&stream));
  if (host) PetscCall(VecGetArrayWrite(y, &yy));
  else PetscCall(VecGetArrayWriteAndMemType(y, &yy, NULL));
  PetscCall(Out(yy, stream));
  if (host) PetscCall(VecRestoreArrayWrite(y, &yy));
  else PetscCall(VecRestoreArrayWriteAndMemType(y, &yy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::Beside(int l, GridArray which, int most, GridStream stream)
{
  if (!HasSlab()) return PETSC_SUCCESS;
  const GridRows         r = all.division.Rows(all.plan, l, rank);
  const GridLevel<Real> &L = pieces[static_cast<std::size_t>(rank)].slab.levels[static_cast<std::size_t>(l)];
  GridCopies<Real>       copies;

  PetscFunctionBegin;
  for (int side = 0; side < 2; side++) {
    const int taken = std::min(most, side ? r.north : r.south), first = side ? r.first + r.own : r.first - taken, q = rank + (side ? 1 : -1);

    if (!taken) continue;
    copies.Add(Rows(L, first - r.offset(), pieces[static_cast<std::size_t>(q)].slab.levels[static_cast<std::size_t>(l)],
                    first - all.division.Rows(all.plan, l, q).offset(), taken, false, which));
  }
  PetscCall(reach.Meet(GridReach::slabs, stream));
  PetscCall(reach.CopyAndMeet(copies, GridReach::slabs, stream)); /* nobody goes on before they are read */
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

/* To the levels behind of all. They read it before they come to their next meeting, of whatever kind, which is before it is written again. */
template <class Real>
PetscErrorCode GridPeers<Real>::ToAll(GridArray which, GridStream stream) const
{
  if (!HasSlab()) return PETSC_SUCCESS;
  const GridRows   r = all.division.Rows(all.plan, all.division.levels, rank);
  GridCopies<Real> copies;

  PetscFunctionBegin;
  for (const GridPiece<Real> &to : pieces)
    copies.Add(Rows(to.behind.levels[0], r.first, pieces[static_cast<std::size_t>(rank)].Last(), r.south, r.own, r.offset() & 1, which));
  PetscCall(reach.CopyAndMeet(copies, GridReach::slabs, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::Up(GridStream stream)
{
  if (!HasSlab()) return PETSC_SUCCESS;
  const GridRows         r    = all.division.Rows(all.plan, all.division.levels, rank);
  const GridPiece<Real> &mine = pieces[static_cast<std::size_t>(rank)];
  GridCopies<Real>       copies;

  PetscFunctionBegin;
  copies.Add(Rows(mine.Last(), 0, mine.behind.levels[0], r.offset(), r.all(), r.offset() & 1, GridArray::x));
  PetscCall(reach.Copy(copies, stream));
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

/* Own rows into those beside the slabs of others, who have read the old ones before they came to the sums before these */
template <class Real>
PetscErrorCode GridPeers<Real>::Halo(const GridShared &sums, GridStream stream)
{
  const GridPiece<Real> &mine = pieces[static_cast<std::size_t>(rank)];
  const GridLevel<Real> &L    = mine.slab.levels[0];
  const GridRows         r    = all.division.Rows(all.plan, 0, rank);
  GridCopies<Real>       copies;

  PetscFunctionBegin;
  for (int q : {rank - 1, rank + 1}) {
    if (q < 0 || q >= static_cast<int>(pieces.size())) continue;
    const GridPiece<Real> &its    = pieces[static_cast<std::size_t>(q)];
    const GridRows         t      = all.division.Rows(all.plan, 0, q);
    const int              number = q < rank ? t.north : t.south, first = q < rank ? r.first : r.first + r.own - number;
    GridCopy<Real>         copy;

    copy.to         = its.z + static_cast<std::size_t>(first - t.offset()) * L.H;
    copy.from       = mine.z + static_cast<std::size_t>(first - r.offset()) * L.H;
    copy.width      = static_cast<std::size_t>(number) * L.H;
    copy.height     = static_cast<std::size_t>(L.K);
    copy.to_pitch   = its.slab.levels[0].columns;
    copy.from_pitch = L.columns;
    copies.Add(copy);
  }
  PetscCall(reach.CopyAndSum(copies, sums, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::Sums(const GridShared &sums, GridStream stream)
{
  PetscFunctionBegin;
  if (reach.Side() == Where::device) PetscCall(reach.CopyAndSum(GridCopies<Real>(), sums, stream)); /* on the host the solver does it */
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

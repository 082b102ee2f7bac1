/*
   What processes of a divided hierarchy give each other, in memory that all of them reach: shared by MPI on the host, by CUDA IPC on devices. Pieces lie there, and rows are copied from one to the
   other. Between them all processes meet: what they have queued is done, and seen by the others.
*/
#include "../../comm/peer_memory.hpp"
#include "../../comm/peer_options.hpp"
#include "gridmg_exchange.hpp"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

namespace
{

/* Memory of all processes of a communicator, and where they meet */
struct GridReach {
  MPI_Comm   comm = MPI_COMM_NULL, slabs = MPI_COMM_NULL; /* of all processes, of those that have a slab */
  PeerMemory memory;

  ~GridReach() { PetscCallAbort(PETSC_COMM_SELF, Free()); }
  PetscErrorCode Free()
  {
    PetscFunctionBegin;
    if (memory.bytes) PetscCall(PeerMemoryFree(comm, &memory));
    if (slabs != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_free(&slabs));
    if (comm != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_free(&comm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* Collective; why: they do not, the same on all */
  PetscErrorCode Make(MPI_Comm of, Where where, int with_slab, std::size_t bytes, std::string *why)
  {
    PetscMPIInt        ranks, rank, here = 0;
    bool               share = false;
    PeerOptions        options;
    unsigned long long most = bytes;

    PetscFunctionBegin;
    PetscCall(PeerOptionsGet(where, &options));
    if (!options.wanted) *why = "-heptane_comm";
    if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCallMPI(MPI_Comm_dup(of, &comm));
    PetscCallMPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    PetscCallMPI(MPI_Comm_split(comm, rank < with_slab ? 0 : MPI_UNDEFINED, rank, &slabs));
    MPI_Comm node;
    PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    PetscCallMPI(MPI_Comm_size(node, &here));
    PetscCallMPI(MPI_Comm_free(&node));
    if (ranks > PeerSums::most_ranks) *why = "there are too many processes";
    else if (here < ranks) *why = "processes are on several nodes";
    PetscCall(PeerAgree(comm, why));
    if (why->empty()) PetscCall(PeerReachable(comm, where, options.may_share, &share, why));
    if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, comm));
    constexpr std::size_t unit = PeerMemory::device_bytes;
    PetscCall(PeerMemoryMake(comm, where, (static_cast<std::size_t>(most) + unit - 1) / unit * unit, &memory, why));
    if (!why->empty()) memory.bytes = 0; /* it was freed */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Meet(MPI_Comm all) const
  {
    PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
    if (memory.side == Where::device) {
      cudaStream_t stream;

      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(cudaStreamSynchronize(stream));
    }
#endif
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (all != MPI_COMM_SELF) PetscCallMPI(MPI_Barrier(all));
    std::atomic_thread_fence(std::memory_order_seq_cst);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* `height` lines of `width` bytes each */
  PetscErrorCode Copy(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width, std::size_t height) const
  {
    PetscFunctionBegin;
    if (!width || !height) PetscFunctionReturn(PETSC_SUCCESS);
    if (memory.side == Where::host)
      for (std::size_t k = 0; k < height; k++) std::memcpy(static_cast<char *>(to) + k * to_pitch, static_cast<const char *>(from) + k * from_pitch, width);
#if PetscDefined(HAVE_CUDA)
    else {
      cudaStream_t stream;

      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, cudaMemcpyDefault, stream));
    }
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

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
  const char    *Name() const override { return peer_text; }
  bool           Reaches() const override { return true; }

private:
  PetscErrorCode Rows(const GridLevel<Real> &to, int to_row, const GridLevel<Real> &from, int from_row, int number, bool swapped, GridArray which) const;
  PetscErrorCode Planes(int q, int low, int high, Scalar *local, Scalar *box, bool to_box) const;
  PetscErrorCode Cut(Scalar *values) const;

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
  for (int q = 0; q < all.division.processes(); q++) (void)grid_place(all, q, true, reach.memory.at[q], &pieces[static_cast<std::size_t>(q)]);
  *piece = rank < all.division.processes() ? pieces[static_cast<std::size_t>(rank)] : GridPiece<Real>();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of an array. swapped: the rows of one have the colours that those of the other do not have */
template <class Real>
PetscErrorCode GridPeers<Real>::Rows(const GridLevel<Real> &to, int to_row, const GridLevel<Real> &from, int from_row, int number, bool swapped,
                                     GridArray which) const
{
  const std::size_t line = sizeof(Real), width = static_cast<std::size_t>(number) * to.H * line,
                    height = static_cast<std::size_t>(grid_parts(to, which)) * to.K;

  PetscFunctionBegin;
  for (int colour = 0; colour < 2; colour++)
    PetscCall(reach.Copy(grid_array(to, which) + colour * to.columns + static_cast<std::size_t>(to_row) * to.H, 2 * to.columns * line,
                         grid_array(from, which) + (swapped ? 1 - colour : colour) * from.columns + static_cast<std::size_t>(from_row) * from.H,
                         2 * from.columns * line, width, height));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What planes low, ..., high - 1, which `local` has, and the box of process q have in common: all of it into the box, or what the box owns back */
template <class Real>
PetscErrorCode GridPeers<Real>::Planes(int q, int low, int high, Scalar *local, Scalar *box, bool to_box) const
{
  const GridRows    r     = all.division.Rows(all.plan, 0, q);
  const GridShape  &shape = spread.Shape();
  const int         axis  = all.plan.axis[1];
  int               first = to_box ? r.offset() : r.first, rows = to_box ? r.all() : r.own, height = high - low;
  const std::size_t row = shape.stride[axis] * static_cast<std::size_t>(all.unknowns), pitch = row * shape.extent[axis], box_pitch = row * r.all();
  std::size_t       at = static_cast<std::size_t>(first) * row,
              box_at   = static_cast<std::size_t>(low) * box_pitch + static_cast<std::size_t>(first - r.offset()) * row;

  PetscFunctionBegin;
  if (axis == 2) { /* planes are rows */
    const int end = std::min(first + rows, high);

    first  = std::max(first, low);
    rows   = std::max(0, end - first);
    height = 1;
    at     = static_cast<std::size_t>(first - low) * row;
    box_at = static_cast<std::size_t>(first - r.offset()) * row;
    if (!rows) PetscFunctionReturn(PETSC_SUCCESS);
  }
  const std::size_t width = static_cast<std::size_t>(rows) * row * sizeof(Scalar), lines = static_cast<std::size_t>(std::max(0, height));
  if (to_box)
    PetscCall(reach.Copy(box + box_at, std::max(width, box_pitch * sizeof(Scalar)), local + at, std::max(width, pitch * sizeof(Scalar)), width, lines));
  else PetscCall(reach.Copy(local + at, std::max(width, pitch * sizeof(Scalar)), box + box_at, std::max(width, box_pitch * sizeof(Scalar)), width, lines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Couplings with cells outside of the box are left out */
template <class Real>
PetscErrorCode GridPeers<Real>::Cut(Scalar *values) const
{
  const GridRows    r    = all.division.Rows(all.plan, 0, rank);
  const int         axis = all.plan.axis[1];
  const std::size_t row = spread.Shape().stride[axis] * static_cast<std::size_t>(all.unknowns), box = all.Box(rank),
                    pitch = row * static_cast<std::size_t>(r.all());
  const std::vector<Scalar> zeros(row * (box / pitch), 0);
  const bool                cut[] = {r.south > 0, r.first + r.own + r.north < spread.Shape().extent[axis]};

  PetscFunctionBegin;
  for (int side = 0; side < 2; side++)
    for (int s = 0; s < all.unknowns && cut[side]; s++)
      PetscCall(reach.Copy(values + static_cast<std::size_t>((1 + 2 * axis + side) * all.unknowns + s) * box + (side ? pitch - row : 0), pitch * sizeof(Scalar),
                           zeros.data(), row * sizeof(Scalar), row * sizeof(Scalar), box / pitch));
  PetscCall(reach.Meet(MPI_COMM_SELF)); /* `zeros` goes */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::Values(const Scalar **values)
{
  const bool          has_slab = rank < static_cast<int>(pieces.size());
  const int           b        = all.unknowns;
  const std::size_t   plane    = spread.Shape().stride[2] * static_cast<std::size_t>(b);
  Scalar *const       mine     = has_slab ? pieces[static_cast<std::size_t>(rank)].values : nullptr;
  BlockDiagonals      D;
  int                 diagonal[7];
  bool                usable;
  std::vector<Scalar> between[2], host;

  PetscFunctionBegin;
  *values = mine;
  PetscCall(spread.OwnDiagonals(&D, diagonal, between, &usable));
  if (!usable) {
    PetscCall(PetscInfo(NULL, "Values of divided levels of gridmg come by messages: there are entries beside the block diagonals of processes\n"));
    PetscCall(spread.Values(&host));
    const std::size_t line = has_slab ? all.Box(rank) * sizeof(Scalar) : 0;
    PetscCall(reach.Copy(mine, line, host.data(), line, line, 7 * static_cast<std::size_t>(b)));
    PetscCall(reach.Meet(reach.comm)); /* `host` goes */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  host.assign(*std::min_element(diagonal, diagonal + 7) < 0 ? static_cast<std::size_t>(High() - Low()) * plane : 0,
              0); /* instead of diagonals that are not there */
  for (int q = 0; q < static_cast<int>(pieces.size()); q++)
    for (int k = 0; k < 7 * b; k++) {
      Scalar       *to   = pieces[static_cast<std::size_t>(q)].values + static_cast<std::size_t>(k) * all.Box(q);
      const Scalar *from = diagonal[k / b] < 0 ? host.data() : D.values + (static_cast<std::size_t>(diagonal[k / b]) * b + k % b) * D.ld;

      PetscCall(Planes(q, Low(), High(), const_cast<Scalar *>(from), to, true));
      if (k / b == 5 && Low() > 0 && High() > Low()) PetscCall(Planes(q, Low(), Low() + 1, between[0].data() + k % b * plane, to, true));
      if (k / b == 6 && High() < spread.Shape().extent[2] && High() > Low())
        PetscCall(Planes(q, High() - 1, High(), between[1].data() + k % b * plane, to, true));
    }
  PetscCall(reach.Meet(reach.comm));
  if (has_slab) PetscCall(Cut(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::ToBox(Vec x)
{
  const PetscScalar *xx;
  const bool         host = reach.memory.side == Where::host;

  PetscFunctionBegin;
  if (host) PetscCall(VecGetArrayRead(x, &xx));
  else PetscCall(VecGetArrayReadAndMemType(x, &xx, NULL));
  for (std::size_t q = 0; q < pieces.size(); q++)
    PetscCall(Planes(static_cast<int>(q), Low(), High(), const_cast<PetscScalar *>(xx), pieces[q].in, true)); /* it is only read */
  PetscCall(reach.Meet(reach.comm));
  if (host) PetscCall(VecRestoreArrayRead(x, &xx));
  else PetscCall(VecRestoreArrayReadAndMemType(x, &xx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nobody gives his next result before all have met again, which is after this has been read */
template <class Real>
PetscErrorCode GridPeers<Real>::FromBox(Vec y)
{
  PetscScalar *yy;
  const bool   host = reach.memory.side == Where::host;

  PetscFunctionBegin;
  PetscCall(reach.Meet(reach.comm));
  if (host) PetscCall(VecGetArrayWrite(y, &yy));
  else PetscCall(VecGetArrayWriteAndMemType(y, &yy, NULL));
  for (std::size_t q = 0; q < pieces.size(); q++) PetscCall(Planes(static_cast<int>(q), Low(), High(), yy, pieces[q].out, false));
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
  PetscCall(reach.Meet(reach.slabs));
  for (int side = 0; side < 2; side++) {
    const int taken = std::min(most, side ? r.north : r.south), first = side ? r.first + r.own : r.first - taken, q = rank + (side ? 1 : -1);

    if (!taken) continue;
    PetscCall(Rows(L, first - r.offset(), pieces[static_cast<std::size_t>(q)].slab.levels[static_cast<std::size_t>(l)],
                   first - all.division.Rows(all.plan, l, q).offset(), taken, false, which));
  }
  PetscCall(reach.Meet(reach.slabs)); /* nobody goes on before they are read */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridPeers<Real>::ToFirst(GridArray which)
{
  if (rank >= static_cast<int>(pieces.size())) return PETSC_SUCCESS;
  const GridRows r = all.division.Rows(all.plan, all.division.levels, rank);

  PetscFunctionBegin;
  PetscCall(Rows(pieces[0].behind.levels[0], r.first, pieces[static_cast<std::size_t>(rank)].Last(), r.south, r.own, r.offset() & 1, which));
  PetscCall(reach.Meet(reach.slabs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first process comes when its levels are done; it changes them again after all have met once more */
template <class Real>
PetscErrorCode GridPeers<Real>::FromFirst(GridArray which)
{
  if (rank >= static_cast<int>(pieces.size())) return PETSC_SUCCESS;
  const GridRows r = all.division.Rows(all.plan, all.division.levels, rank);

  PetscFunctionBegin;
  PetscCall(reach.Meet(reach.slabs));
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

/*
   What processes of a divided hierarchy give each other, by messages: see gridmg_exchange.hpp. Arrays lie on the host or on the device, messages on the host.
*/
#include "gridmg_exchange.hpp"
#include "gridmg_message.hpp"
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

PetscErrorCode GridMessage::Memory(Where where, std::size_t bytes, void **p)
{
  PetscFunctionBegin;
  if (bytes > size) {
    void *made = nullptr;

    memory.reset();
    size = 0;
    if (where == Where::host) {
      PetscCall(PetscMalloc(bytes, &made));
      memory = std::shared_ptr<void>(made, [](void *a) { PetscCallAbort(PETSC_COMM_SELF, PetscFree(a)); });
    }
#if PetscDefined(HAVE_CUDA)
    else {
      PetscCallCUDA(cudaMallocHost(&made, bytes));
      memory = std::shared_ptr<void>(made, [](void *a) { (void)cudaFreeHost(a); });
    }
#endif
    size = bytes;
  }
  *p = memory.get();
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

template <class Real>
class GridMessages final : public GridExchange<Real> {
public:
  GridMessages(MPI_Comm c, PetscMPIInt t, Where w, const GridPieces &all, const GridPiece<Real> &of, GridSpread &from);

  PetscErrorCode Values(const Scalar **values) override;
  void           DropValues() override
  {
    here = std::vector<Scalar>();
    there.Free();
  }
  PetscErrorCode ToBox(Vec x) override { return spread.ToBox(x, where, piece.in); }
  PetscErrorCode FromBox(Vec y) override { return spread.FromBox(where, piece.out, y); }
  PetscErrorCode Neighbours(int l, GridArray which, int most) override;
  PetscErrorCode ToFirst(GridArray which) override;
  PetscErrorCode FromFirst(GridArray which) override;
  const char    *Name() const override { return "messages"; }
  bool           Reaches() const override { return false; }

private:
  /* MPI counts with 32 bits: what is more ends the program with an error, before anything is sent */
  static PetscMPIInt Count(std::size_t numbers)
  {
    PetscMPIInt count = 0;

    PetscCallAbort(PETSC_COMM_SELF, PetscMPIIntCast(static_cast<PetscCount>(numbers), &count));
    return count;
  }
  PetscErrorCode Copy(const GridLevel<Real> &L, Real *array, int parts, int row, int number, bool swapped, Real *message, bool out) const;
  PetscErrorCode Own(GridArray which, bool to_whole) const;
  PetscErrorCode Wait() const; /* for copies */
  PetscErrorCode Message(int k, std::size_t numbers, Real **p)
  {
    return messages[static_cast<std::size_t>(k)].Memory(where, numbers * sizeof(Real), reinterpret_cast<void **>(p));
  }
  bool Swapped(int q) const { return at[static_cast<std::size_t>(q)].offset() & 1; }

  MPI_Comm                 comm;
  PetscMPIInt              tag;
  Where                    where;
  const GridPiece<Real>   &piece;
  GridSpread              &spread;
  int                      process = 0, processes = 0;
  std::vector<GridRows>    rows; /* of this process, [levels + 1] */
  std::vector<GridRows>    at;   /* of the level behind, [processes] */
  std::vector<Scalar>      here; /* values of the matrix */
  Buffer<Scalar>           there;
  std::vector<GridMessage> messages;
  std::vector<MPI_Request> requests;
};

template <class Real>
GridMessages<Real>::GridMessages(MPI_Comm c, PetscMPIInt t, Where w, const GridPieces &all, const GridPiece<Real> &of, GridSpread &from)
  : comm(c), tag(t), where(w), piece(of), spread(from)
{
  PetscMPIInt rank;

  PetscCallMPIAbort(comm, MPI_Comm_rank(comm, &rank));
  process   = rank;
  processes = all.division.processes();
  for (int l = 0; l <= all.division.levels; l++) rows.push_back(all.division.Rows(all.plan, l, process));
  for (int q = 0; q < processes; q++) at.push_back(all.division.Rows(all.plan, all.division.levels, q));
  messages.resize(static_cast<std::size_t>(processes) + 4);
  requests.assign(static_cast<std::size_t>(processes) + 4, MPI_REQUEST_NULL);
}

template <class Real>
MPI_Datatype type_of()
{
  return std::is_same<Real, float>::value ? MPI_FLOAT : MPI_DOUBLE;
}

/* What lies in rows of an array, in a message by colours, then cells along lines. swapped: the first row of the level is an odd one of the grid, so that its colours are the other way round */
template <class Real>
PetscErrorCode GridMessages<Real>::Copy(const GridLevel<Real> &L, Real *array, int parts, int row, int number, bool swapped, Real *message, bool out) const
{
  const std::size_t width = static_cast<std::size_t>(number) * L.H, height = static_cast<std::size_t>(parts) * L.K, pitch = 2 * L.columns;

  PetscFunctionBegin;
  if (!width || !height) PetscFunctionReturn(PETSC_SUCCESS);
  for (int colour = 0; colour < 2; colour++) {
    Real *from = array + (swapped ? 1 - colour : colour) * L.columns + static_cast<std::size_t>(row) * L.H, *to = message + colour * width * height;

    if (where == Where::host) {
      for (std::size_t k = 0; k < height; k++) {
        if (out) std::memcpy(to + k * width, from + k * pitch, width * sizeof(Real));
        else std::memcpy(from + k * pitch, to + k * width, width * sizeof(Real));
      }
    }
#if PetscDefined(HAVE_CUDA)
    else {
      const std::size_t line = sizeof(Real);
      cudaStream_t      stream;

      PetscCall(PetscGetCurrentCUDAStream(&stream));
      if (out) PetscCallCUDA(cudaMemcpy2DAsync(to, width * line, from, pitch * line, width * line, height, cudaMemcpyDeviceToHost, stream));
      else PetscCallCUDA(cudaMemcpy2DAsync(from, pitch * line, to, width * line, width * line, height, cudaMemcpyHostToDevice, stream));
    }
#endif
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same between a slab of the first process and its level behind, whose first rows are the same */
template <class Real>
PetscErrorCode GridMessages<Real>::Own(GridArray which, bool to_whole) const
{
  const GridLevel<Real> &L = piece.Last(), &W = piece.behind.levels[0];
  Real *const array = grid_array(L, which), *const whole = grid_array(W, which);
  const int         parts = grid_parts(L, which);
  const std::size_t width = static_cast<std::size_t>(to_whole ? at[0].own : at[0].all()) * L.H, height = 2 * static_cast<std::size_t>(parts) * L.K;
  Real             *to = to_whole ? whole : array, *from = to_whole ? array : whole;
  const std::size_t to_pitch = to_whole ? W.columns : L.columns, from_pitch = to_whole ? L.columns : W.columns;

  PetscFunctionBegin;
  if (where == Where::host) {
    for (std::size_t k = 0; k < height; k++) std::memcpy(to + k * to_pitch, from + k * from_pitch, width * sizeof(Real));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    const std::size_t line = sizeof(Real);
    cudaStream_t      stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemcpy2DAsync(to, to_pitch * line, from, from_pitch * line, width * line, height, cudaMemcpyDeviceToDevice, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridMessages<Real>::Wait() const
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (where == Where::device) {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaStreamSynchronize(stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridMessages<Real>::Neighbours(int l, GridArray which, int most)
{
  if (process >= processes) return PETSC_SUCCESS;
  const GridLevel<Real> &L        = piece.slab.levels[static_cast<std::size_t>(l)];
  const int              parts    = grid_parts(L, which);
  Real *const            array    = grid_array(L, which);
  const GridRows        &r        = rows[static_cast<std::size_t>(l)];
  const std::size_t      of_row   = 2 * static_cast<std::size_t>(parts) * L.K * L.H;
  const int              take[2]  = {std::min(most, r.south), std::min(most, r.north)};
  const int              give[2]  = {r.south ? std::min(most, r.own) : 0, r.north ? std::min(most, r.own) : 0};
  const int              taken[2] = {r.south - take[0], r.south + r.own}, given[2] = {r.south, r.south + r.own - give[1]};
  Real                  *in[2], *out[2];

  PetscFunctionBegin;
  for (int side = 0; side < 2; side++) {
    PetscCall(Message(side, of_row * take[side], &in[side]));
    PetscCall(Message(2 + side, of_row * give[side], &out[side]));
    requests[side] = requests[2 + side] = MPI_REQUEST_NULL;
    if (take[side]) PetscCallMPI(MPI_Irecv(in[side], Count(of_row * take[side]), type_of<Real>(), process + (side ? 1 : -1), tag, comm, &requests[side]));
    PetscCall(Copy(L, array, parts, given[side], give[side], false, out[side], true));
  }
  PetscCall(Wait());
  for (int side = 0; side < 2; side++)
    if (give[side]) PetscCallMPI(MPI_Isend(out[side], Count(of_row * give[side]), type_of<Real>(), process + (side ? 1 : -1), tag, comm, &requests[2 + side]));
  PetscCallMPI(MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE));
  for (int side = 0; side < 2; side++) PetscCall(Copy(L, array, parts, taken[side], take[side], false, in[side], false));
  PetscCall(Wait()); /* the next message may come into the same memory */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridMessages<Real>::Values(const Scalar **values)
{
  PetscFunctionBegin;
  PetscCall(spread.Values(&here));
  *values = here.data();
  if (where == Where::device) {
    PetscCall(there.Assign(where, here));
    *values = there.At(where);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridMessages<Real>::ToFirst(GridArray which)
{
  if (process >= processes) return PETSC_SUCCESS;
  const GridLevel<Real> &L     = piece.Last();
  const int              parts = grid_parts(L, which);
  const auto numbers = [&](int q) { return 2 * static_cast<std::size_t>(parts) * L.K * L.H * static_cast<std::size_t>(at[static_cast<std::size_t>(q)].own); };
  Real      *message;

  PetscFunctionBegin;
  if (process) {
    PetscCall(Message(0, numbers(process), &message));
    PetscCall(Copy(L, grid_array(L, which), parts, at[static_cast<std::size_t>(process)].south, at[static_cast<std::size_t>(process)].own, Swapped(process),
                   message, true));
    PetscCall(Wait());
    PetscCallMPI(MPI_Send(message, Count(numbers(process)), type_of<Real>(), 0, tag, comm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  requests[0] = MPI_REQUEST_NULL;
  for (int q = 1; q < processes; q++) {
    PetscCall(Message(q, numbers(q), &message));
    PetscCallMPI(MPI_Irecv(message, Count(numbers(q)), type_of<Real>(), q, tag, comm, &requests[static_cast<std::size_t>(q)]));
  }
  PetscCall(Own(which, true));
  for (int n = 1; n < processes; n++) {
    PetscMPIInt q;

    PetscCallMPI(MPI_Waitany(static_cast<PetscMPIInt>(processes), requests.data(), &q, MPI_STATUS_IGNORE));
    PetscCall(Message(q, numbers(q), &message));
    PetscCall(Copy(piece.behind.levels[0], grid_array(piece.behind.levels[0], which), parts, at[static_cast<std::size_t>(q)].first,
                   at[static_cast<std::size_t>(q)].own, false, message, false));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridMessages<Real>::FromFirst(GridArray which)
{
  if (process >= processes) return PETSC_SUCCESS;
  const GridLevel<Real> &L     = piece.Last();
  const int              parts = grid_parts(L, which);
  const auto numbers = [&](int q) { return 2 * static_cast<std::size_t>(parts) * L.K * L.H * static_cast<std::size_t>(at[static_cast<std::size_t>(q)].all()); };
  Real      *message;

  PetscFunctionBegin;
  if (process) {
    PetscCall(Message(0, numbers(process), &message));
    PetscCallMPI(MPI_Recv(message, Count(numbers(process)), type_of<Real>(), 0, tag, comm, MPI_STATUS_IGNORE));
    PetscCall(Copy(L, grid_array(L, which), parts, 0, at[static_cast<std::size_t>(process)].all(), Swapped(process), message, false));
    PetscCall(Wait());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  requests[0] = MPI_REQUEST_NULL;
  for (int q = 1; q < processes; q++) {
    PetscCall(Message(q, numbers(q), &message));
    PetscCall(Copy(piece.behind.levels[0], grid_array(piece.behind.levels[0], which), parts, at[static_cast<std::size_t>(q)].offset(),
                   at[static_cast<std::size_t>(q)].all(), false, message, true));
  }
  PetscCall(Wait());
  for (int q = 1; q < processes; q++) {
    PetscCall(Message(q, numbers(q), &message));
    PetscCallMPI(MPI_Isend(message, Count(numbers(q)), type_of<Real>(), q, tag, comm, &requests[static_cast<std::size_t>(q)]));
  }
  PetscCall(Own(which, false));
  PetscCallMPI(MPI_Waitall(static_cast<PetscMPIInt>(processes), requests.data(), MPI_STATUSES_IGNORE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

template <class Real>
std::unique_ptr<GridExchange<Real>> grid_messages(MPI_Comm comm, PetscMPIInt tag, Where where, const GridPieces &all, const GridPiece<Real> &piece,
                                                  GridSpread &spread)
{
  return std::make_unique<GridMessages<Real>>(comm, tag, where, all, piece, spread);
}

template std::unique_ptr<GridExchange<float>>  grid_messages(MPI_Comm, PetscMPIInt, Where, const GridPieces &, const GridPiece<float> &, GridSpread &);
template std::unique_ptr<GridExchange<double>> grid_messages(MPI_Comm, PetscMPIInt, Where, const GridPieces &, const GridPiece<double> &, GridSpread &);

} // namespace heptane

/*
   Entries go process by process, in the order of mat/aij/entries.hpp; MatSetValuesCOO() moves their values into the format.
*/
#include "root_matrix.hpp"
#include "../../../comm/peer_options.hpp"
#include "../../../device/staged_copy.hpp"
#include "../../../mat/aij/entries.hpp"
#include "../../../private/mat.hpp"
#include "../../../sys/collective.hpp"
#include "../grid/numbering.hpp"
#include <algorithm>
#include <numeric>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

namespace
{

/* Entries of a message. By MPI, 2 MB are copied to or from the device while 2 MB are sent */
constexpr std::size_t most_by_mpi = std::size_t(1) << 18, most_by_nccl = std::size_t(1) << 30;

} // namespace

RootMatrix::~RootMatrix()
{
  PetscCallAbort(PETSC_COMM_SELF, Reset());
}

PetscErrorCode RootMatrix::Reset()
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&whole));
  values.Free();
  made_for.Clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootMatrix::Count(Mat A)
{
  const MPI_Comm          comm = PetscObjectComm((PetscObject)A);
  PetscMPIInt             number, size;
  PetscCount              entries;
  std::vector<PetscCount> counts;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &number));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  rank = static_cast<std::size_t>(number);
  counts.resize(static_cast<std::size_t>(size));
  PetscCall(EntriesCount(A, &entries));
  PetscCall(CollectiveGather(comm, &entries, sizeof(entries), counts.data()));
  first.assign(1, 0);
  for (PetscCount n : counts) first.push_back(first.back() + static_cast<std::size_t>(n));
  PetscCheck(first.back() <= PETSC_INT_MAX, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "gridmg on the first process: %zu entries are more than PetscInt counts: configure PETSc with --with-64-bit-indices", first.back());
  values.Resize(rank ? first[rank + 1] - first[rank] : first.back());
  PetscCall(EntriesSide(A, &side));
  int sides[] = {side == Where::host, side == Where::device};

  PetscCall(CollectiveReduce(comm, sides, 2, MPI_INT, MPI_MAX));
  same_side = sides[0] + sides[1] == 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::vector<RootMatrix::Piece> RootMatrix::Pieces(std::size_t most) const
{
  std::vector<Piece> pieces;

  for (std::size_t p = 1; p + 1 < first.size(); p++)
    for (std::size_t at = first[p]; at < first[p + 1] && (!rank || rank == p); at += most)
      pieces.push_back({at - first[rank], static_cast<int>(std::min(most, first[p + 1] - at)), rank ? 0 : static_cast<int>(p)});
  return pieces;
}

/* Into the array v of the first process, which begins with its own entries. copy: of a piece before it is sent, or when it is
   received */
template <class T, class Copy>
PetscErrorCode RootMatrix::ByMessages(Mat A, MPI_Datatype type, T v[], Copy copy) const
{
  const MPI_Comm           comm   = PetscObjectComm((PetscObject)A);
  const std::vector<Piece> pieces = Pieces(most_by_mpi);
  std::vector<MPI_Request> requests(pieces.size());
  PetscMPIInt              tag, k;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetNewTag((PetscObject)A, &tag));
  for (std::size_t n = 0; n < pieces.size(); n++) {
    const Piece &p = pieces[n];

    if (rank) PetscCall(copy(p));
    if (rank) PetscCallMPI(MPI_Isend(v + p.at, p.n, type, p.peer, tag, comm, &requests[n]));
    else PetscCallMPI(MPI_Irecv(v + p.at, p.n, type, p.peer, tag, comm, &requests[n]));
  }
  for (std::size_t n = 0; n < pieces.size(); n++) {
    PetscCallMPI(MPI_Waitany(static_cast<PetscMPIInt>(requests.size()), requests.data(), &k, MPI_STATUS_IGNORE));
    if (!rank) PetscCall(copy(pieces[static_cast<std::size_t>(k)]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootMatrix::Make(Mat A, DM grid, MatType type)
{
  const auto            as_it_is = [](const Piece &) { return PETSC_SUCCESS; };
  const char           *prefix;
  PetscInt              rows, block, *place[2];
  PetscBool             bound;
  Buffer<PetscInt>      places[2]; /* rows, columns */
  std::vector<PetscInt> number;

  PetscFunctionBegin;
  PetscCall(Reset());
  PetscCall(Count(A));
  for (int k = 0; k < 2; k++) {
    places[k].Resize(values.Size());
    PetscCall(places[k].Memory(Where::host, &place[k]));
  }
  PetscCall(EntriesRows(A, place[0]));
  PetscCall(EntriesColumns(A, place[1]));
  for (PetscInt *p : place) PetscCall(ByMessages(A, MPIU_INT, p, as_it_is));
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(MatGetBlockSize(A, &block));
  if (rank) rows = 0;
  number.resize(static_cast<std::size_t>(grid ? rows : 0));
  std::iota(number.begin(), number.end(), 0);
  PetscCall(grid_renumber(grid, &number, false)); /* collective */
  for (std::size_t e = 0; e < values.Size() && !number.empty(); e++)
    for (PetscInt *p : place) p[e] = number[static_cast<std::size_t>(p[e])];

  PetscCall(PetscOptionsPushCreateViewerOff(PETSC_TRUE)); /* -mat_view shows the program's matrix only */
  PetscCall(MatCreate(PETSC_COMM_SELF, &whole));
  PetscCall(MatSetSizes(whole, rows, rows, rows, rows));
  PetscCall(MatSetBlockSize(whole, block));
  PetscCall(MatGetOptionsPrefix(A, &prefix));
  PetscCall(MatSetOptionsPrefix(whole, prefix));
  PetscCall(MatSetType(whole, type));
  PetscObjectOptionsBegin((PetscObject)whole); /* the settings of A's format; MatSetFromOptions() might change the type */
  PetscTryTypeMethod(whole, setfromoptions, PetscOptionsObject);
  PetscOptionsEnd();
  PetscCall(MatBoundToCPU(A, &bound));
  PetscCall(MatBindToCPU(whole, bound));
  PetscCall(MatSetPreallocationCOO(whole, rank ? 0 : static_cast<PetscCount>(values.Size()), place[0], place[1]));
  PetscCall(PetscOptionsPopCreateViewerOff());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective: the link of the solver, if there is one for the side of the products */
PetscErrorCode RootMatrix::Link(MPI_Comm comm, std::shared_ptr<NcclLink> *link) const
{
  std::uint64_t made = 0;
  PeerOptions   options;
  std::string   why;

  PetscFunctionBegin;
  if (same_side) PetscCall(NcclLink::Made(comm, side, &made));
  if (made) PetscCall(PeerOptionsGet(side, &options));
  if (options.nccl) PetscCall(NcclLink::Get(comm, side, options.seconds, link, &why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of this process's entries; to_side: on the side of the products, else possibly on the host */
PetscErrorCode RootMatrix::Take(Mat A, bool to_side, Where *at)
{
  Scalar *v;
  bool    done;

  PetscFunctionBegin;
  *at = side;
  PetscCall(values.Memory(side, &v));
  PetscCall(EntriesValues(A, side, v, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(values.Memory(Where::host, &v));
  PetscCall(EntriesValues(A, Where::host, v, &done));
  if (to_side) PetscCall(StagedCopyToDevice(values.At(side), v, sizeof(Scalar) * (first[rank + 1] - first[rank])));
  else *at = Where::host;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootMatrix::Fill(Mat A)
{
  std::shared_ptr<NcclLink> link;
  std::vector<NcclMessage>  messages;
  Where                     at;
  Scalar                   *host;

  PetscFunctionBegin;
  PetscCall(Link(PetscObjectComm((PetscObject)A), &link));
  PetscCall(Take(A, link || !rank, &at));
  PetscCall(PetscInfo(A, "Values to the first process by %s\n", link ? nccl_text : "messages"));
  if (link) {
    NcclStream stream = nullptr;

#if PetscDefined(HAVE_CUDA)
    cudaStream_t current;

    if (side == Where::device) PetscCall(PetscGetCurrentCUDAStream(&current));
    if (side == Where::device) stream = current;
#endif
    for (const Piece &p : Pieces(most_by_nccl)) messages.push_back({p.peer, rank ? p.n : 0, rank ? 0 : p.n, p.at});
    PetscCall(link->Exchange(messages, values.At(side), rank ? nullptr : values.At(side) + first[1], stream));
  } else {
    PetscCall(values.Memory(Where::host, &host));
    PetscCall(ByMessages(A, MPIU_SCALAR, host, [&](const Piece &p) {
      Scalar *const there = values.At(side);

      PetscFunctionBegin;
      if (at == Where::device && rank) PetscCall(StagedCopyToHost(host + p.at, there + p.at, sizeof(Scalar) * static_cast<std::size_t>(p.n)));
      if (at == Where::device && !rank) PetscCall(StagedCopyToDevice(there + p.at, host + p.at, sizeof(Scalar) * static_cast<std::size_t>(p.n)));
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
  }
  PetscCall(PetscOptionsPushCreateViewerOff(PETSC_TRUE)); /* as at its creation */
  PetscCall(MatSetValuesCOO(whole, values.At(side), INSERT_VALUES));
  PetscCall(PetscOptionsPopCreateViewerOff());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootMatrix::Gather(Mat A, DM grid, MatType type, Mat *matrix, PetscBool *made)
{
  PetscBool again, assembled;
  Stamp     now;

  PetscFunctionBegin;
  PetscCall(MatAssembled(A, &assembled));
  PetscCheck(assembled, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "The matrix is not assembled: call MatAssemblyBegin() and MatAssemblyEnd()");
  PetscCall(grid_pattern(A, grid, made_for, &now, &again));
  if (!again) PetscCall(Make(A, grid, type));
  made_for = now;
  PetscCall(Fill(A));
  *matrix = whole;
  *made   = (PetscBool)!again;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   Copies between the pieces of a divided hierarchy by NCCL: see slab_nccl.hpp.
*/
#include "slab_nccl.hpp"
#include "../../../comm/peer_options.hpp"
#include "../../../sys/collective.hpp"
#include <algorithm>
#include <climits>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

namespace
{

/* Numbers in a message, in units of a Scalar; numbers that an incomplete piece lacks have places, too */
template <class T>
std::size_t scalars_of(const GridCopy<T> &c)
{
  return (c.lines() * c.width * sizeof(T) + sizeof(Scalar) - 1) / sizeof(Scalar);
}
std::size_t scalars_of(const GridValueCopy &c)
{
  return 7 * static_cast<std::size_t>(c.block) * c.lines() * c.common.width;
}

template <class T>
GridCopy<T> to_message(GridCopy<T> c, Scalar *message)
{
  c.to       = reinterpret_cast<T *>(message);
  c.to_pitch = c.width;
  c.to_step  = static_cast<std::ptrdiff_t>(c.width * c.height);
  return c;
}
template <class T>
GridCopy<T> from_message(GridCopy<T> c, const Scalar *message)
{
  c.from       = reinterpret_cast<const T *>(message);
  c.from_pitch = c.width;
  c.from_step  = static_cast<std::ptrdiff_t>(c.width * c.height);
  return c;
}

/* All values: the receiver leaves out couplings with cells outside of its box */
GridValueCopy to_message(GridValueCopy c, Scalar *message)
{
  c.to     = message;
  c.to_ld  = c.lines() * c.common.width;
  c.cut[0] = c.cut[1] = false;
  c.common.box        = 0;
  c.common.box_pitch  = c.common.width;
  c.common.box_step   = c.common.width * c.common.height;
  return c;
}
GridValueCopy from_message(GridValueCopy c, const Scalar *message)
{
  c.values             = message;
  c.ld                 = c.lines() * c.common.width;
  c.common.local       = 0;
  c.common.local_pitch = c.common.width;
  c.common.local_step  = c.common.width * c.common.height;
  for (int q = 0; q < 7; q++) c.diagonal[q] = q;
  std::fill(c.interface, c.interface + 6, nullptr);
  return c;
}

/* The same numbers for another process */
template <class T>
bool same_numbers(const GridCopy<T> &a, const GridCopy<T> &b)
{
  return a.from == b.from && a.width == b.width && a.height == b.height && a.count == b.count && a.from_pitch == b.from_pitch && a.from_step == b.from_step &&
         a.first == b.first && a.last == b.last;
}
bool same_numbers(const GridValueCopy &, const GridValueCopy &)
{
  return false;
}

/* One message may be more than NCCL's interface counts here */
void add_message(int rank, std::size_t sends, std::size_t receives, std::size_t at, std::vector<NcclMessage> *messages)
{
  while (sends || receives) {
    const std::size_t out = std::min<std::size_t>(sends, INT_MAX), in = std::min<std::size_t>(receives, INT_MAX);

    messages->push_back({rank, static_cast<int>(out), static_cast<int>(in), at});
    sends -= out;
    receives -= in;
    at += out;
  }
}

} // namespace

PetscErrorCode SlabNccl::Make(MPI_Comm of, Where where, std::size_t bytes, std::string *why)
{
  PetscMPIInt number;
  PeerOptions options;
  Scalar     *made;

  PetscFunctionBegin;
  comm = of;
  side = where;
  PetscCallMPI(MPI_Comm_rank(comm, &number));
  rank = static_cast<std::size_t>(number);
  PetscCall(PeerOptionsGet(side, &options));
  PetscCall(NcclLink::Get(comm, side, options.seconds, &link, why));
  if (!link) PetscFunctionReturn(PETSC_SUCCESS);
  piece.Resize((bytes + sizeof(Scalar) - 1) / sizeof(Scalar));
  PetscCall(piece.Zeros(side, &made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SlabNccl::Broken(bool *broken) const
{
  PetscBool any = (PetscBool)(link && link->Failed());

  PetscFunctionBegin;
  if (link) PetscCall(CollectiveReduce(comm, &any, 1, MPI_C_BOOL, MPI_LOR));
  *broken = any;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SlabNccl::Reconnect()
{
  PeerOptions options;
  std::string why;

  PetscFunctionBegin;
  PetscCall(PeerOptionsGet(side, &options));
  link->Fail(); /* another process may have seen an error that this one has not */
  std::shared_ptr<NcclLink> another;
  PetscCall(NcclLink::Get(comm, side, options.seconds, &another, &why));
  PetscCheck(another, comm, PETSC_ERR_LIB, "NCCL has failed and does not join the processes again: %s; use -heptane_comm mpi", why.c_str());
  link = another;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SlabNccl::Wait() const
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (side == Where::device) {
    PetscLogDouble begun;
    cudaStream_t   stream;
    cudaError_t    err;

    PetscCall(PetscTime(&begun));
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    while ((err = cudaStreamQuery(stream)) == cudaErrorNotReady) PetscCall(link->Late(begun));
    PetscCallCUDA(err);
  }
#endif
  PetscCall(link->Check());
  PetscCall(link->Agree());
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Copy>
PetscErrorCode SlabNccl::Move(const std::vector<Copy> &sent, const std::vector<Copy> &received, GridStream stream)
{
  const std::size_t        processes = std::max(sent.size(), received.size());
  std::vector<Copy>        pack, unpack;
  std::vector<NcclMessage> messages;
  const Copy              *last   = nullptr; /* packed at `sends` - its numbers */
  std::size_t              totals = 0, sends = 0, receives = 0;
  Scalar                  *out, *in;

  PetscFunctionBegin;
  for (const auto *list : {&sent, &received}) {
    std::size_t total = 0;

    for (const Copy &c : *list) total += scalars_of(c);
    totals = std::max(totals, total);
  }
  for (Buffer<Scalar> *b : {&packed, &arrived})
    if (b->Size() < totals) b->Resize(totals);
  PetscCall(packed.Memory(side, &out));
  PetscCall(arrived.Memory(side, &in));
  for (std::size_t q = 0; q < processes; q++) {
    const std::size_t to = q < sent.size() ? scalars_of(sent[q]) : 0, from = q < received.size() && q != rank ? scalars_of(received[q]) : 0;

    if (q == rank && to) pack.push_back(sent[q]);
    if (q == rank) continue;
    if (to && !(last && same_numbers(*last, sent[q]))) {
      pack.push_back(to_message(sent[q], out + sends));
      sends += to;
      last = &sent[q];
    }
    if (from) unpack.push_back(from_message(received[q], in + receives));
    receives += from;
    add_message(static_cast<int>(q), to, from, sends - to, &messages);
  }
  PetscCall(grid_copy_list(side, pack, false, stream));
  PetscCall(link->Exchange(messages, out, in, stream));
  PetscCall(grid_copy_list(side, unpack, false, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template PetscErrorCode SlabNccl::Move(const std::vector<GridCopy<float>> &, const std::vector<GridCopy<float>> &, GridStream);
template PetscErrorCode SlabNccl::Move(const std::vector<GridCopy<double>> &, const std::vector<GridCopy<double>> &, GridStream);
template PetscErrorCode SlabNccl::Move(const std::vector<GridValueCopy> &, const std::vector<GridValueCopy> &, GridStream);

} // namespace heptane

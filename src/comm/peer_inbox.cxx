/*
   Stores words that ranks of other nodes have sent.
*/
#include "peer_relay.hpp"
#include <cstring>

namespace heptane
{

PetscErrorCode PeerInbox::Create(MPI_Comm of, int from, int number, const PeerMemory &all, std::size_t at)
{
  PetscFunctionBegin;
  comm    = of;
  rank    = from;
  tag     = number;
  memory  = all;
  flag_at = at;
  for (Slot &s : slot) {
    s.message.resize(bytes);
#if PetscDefined(HAVE_CUDA)
    if (memory.side == Where::device) {
      PetscCallCUDA(cudaMallocHost((void **)&s.words, PeerPlaces::most * sizeof(PeerWord)));
      PetscCallCUDA(cudaEventCreateWithFlags(&s.copied, cudaEventDisableTiming));
    }
#endif
    PetscCall(Post(s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerInbox::Free()
{
  PetscFunctionBegin;
  for (Slot &s : slot) {
    if (s.request != MPI_REQUEST_NULL) {
      PetscCallMPI(MPI_Cancel(&s.request));
      PetscCallMPI(MPI_Wait(&s.request, MPI_STATUS_IGNORE));
    }
#if PetscDefined(HAVE_CUDA)
    if (s.words) (void)cudaFreeHost(s.words);
    if (s.copied) (void)cudaEventDestroy(s.copied);
#endif
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerInbox::Post(Slot &s)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Irecv(s.message.data(), static_cast<int>(bytes), MPI_BYTE, rank, tag, comm, &s.request));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerInbox::Take()
{
  PetscFunctionBegin;
  for (int came = 1; came;) {
    Slot &s = slot[next];

#if PetscDefined(HAVE_CUDA)
    if (s.busy) { /* eight messages later it is hardly ever */
      const cudaError_t err = cudaEventQuery(s.copied);

      if (err == cudaErrorNotReady) break;
      PetscCallCUDA(err);
      s.busy = false;
    }
#endif
    PetscCallMPI(MPI_Test(&s.request, &came, MPI_STATUS_IGNORE));
    if (!came) break;
    PetscCall(Store(*reinterpret_cast<const PeerPlaces *>(s.message.data()), reinterpret_cast<const double *>(s.message.data() + sizeof(PeerPlaces)), s));
    ghosts += reinterpret_cast<const PeerPlaces *>(s.message.data())->halo;
    PetscCall(Post(s));
    taken++;
    next = (next + 1) % slots;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerInbox::Store(const PeerPlaces &places, const double values[], Slot &s)
{
  char     *own = memory.at[memory.rank];
  PeerWord *to  = reinterpret_cast<PeerWord *>(own) + places.offset;

  PetscFunctionBegin;
  (void)s;
  if (memory.side == Where::host) {
    if (!places.width) peer_raise(reinterpret_cast<int *>(own + flag_at));
    for (int c = 0; c < places.copies; c++)
      for (int r = 0; r < places.rows; r++)
        for (int i = 0; i < places.width; i++) peer_store(to + c * places.copy_pitch + r * places.pitch + i, values[r * places.width + i], places.epoch);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#if PetscDefined(HAVE_CUDA)
  constexpr std::size_t w    = sizeof(PeerWord);
  const int             rows = places.rows, width = places.width;

  if (!width) PetscCallCUDA(cudaMemsetAsync(own + flag_at, 1, sizeof(int), stream));
  for (int i = 0; i < rows * width; i++) s.words[i] = {values[i], places.epoch};
  if (rows == 1 && places.copies > 1) { /* in one call, of some 2 us */
    for (int c = 1; c < places.copies; c++) std::memcpy(s.words + c * width, s.words, width * w);
    PetscCallCUDA(cudaMemcpy2DAsync(to, places.copy_pitch * w, s.words, width * w, width * w, (std::size_t)places.copies, cudaMemcpyHostToDevice, stream));
  } else
    for (int c = 0; c < places.copies && width; c++, to += places.copy_pitch) {
      if (rows == 1) PetscCallCUDA(cudaMemcpyAsync(to, s.words, width * w, cudaMemcpyHostToDevice, stream));
      else PetscCallCUDA(cudaMemcpy2DAsync(to, places.pitch * w, s.words, width * w, width * w, (std::size_t)rows, cudaMemcpyHostToDevice, stream));
    }
  PetscCallCUDA(cudaEventRecord(s.copied, stream));
  s.busy = true;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

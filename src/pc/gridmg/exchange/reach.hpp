/*
   Memory that all processes of a divided hierarchy reach, shared by MPI on the host, by CUDA IPC on devices: copies inside it, and where the processes meet. On devices neither waits for the host.
*/
#pragma once

#include "../../../comm/peer_memory.hpp"
#include "../../../device/buffer.hpp"
#include "../device/copies.hpp"
#include "home.hpp"
#include <memory>
#include <vector>

namespace heptane
{

#if PetscDefined(HAVE_CUDA)
using GridStream = cudaStream_t;
#else
using GridStream = void *; /* there is none */
#endif

/* What is done goes into a stream, which may record it; on the host at once */
class GridReach {
public:
  enum Group { all, slabs }; /* all processes, those that have a slab */
  template <class T>
  using Copies = std::vector<GridCopy<T>>; /* for all processes or from them, of which devices have at most GridMeeting::most */

  GridReach()                             = default;
  GridReach(const GridReach &)            = delete;
  GridReach &operator=(const GridReach &) = delete;
  ~GridReach();

  /* Collective: `bytes` for this process, of those with slabs the first `with_slab`. home: the first process where they do not reach it */
  PetscErrorCode Make(MPI_Comm of, Where where, int with_slab, std::size_t bytes, GridHome *home);
  PetscErrorCode Free();
  /* That of PETSc, for kernels that wait for those of other processes */
  PetscErrorCode Stream(GridStream *stream) const;
  /* What all of the group have queued before is done, and seen by all, before what they queue next. On the device an order of streams: the host goes on. */
  PetscErrorCode Meet(Group group, GridStream stream) const;
  /* This host waits until what it has queued is done */
  PetscErrorCode Wait() const;
  template <class T>
  PetscErrorCode Copy(const Copies<T> &copies, GridStream stream) const;
  template <class T>
  PetscErrorCode CopyAndMeet(const Copies<T> &copies, Group group, GridStream stream) const;
  /* sums: on the device, by its own words; on the host the solver adds them behind */
  template <class T>
  PetscErrorCode CopyAndSum(const Copies<T> &copies, const GridShared &sums, GridStream stream) const;
  PetscErrorCode CopyValues(const GridValueCopy &copy, GridStream stream) const;
  /* See GridGiven. No numbers are given if a meeting has failed; Check() then ends with an error, once the host has waited for anything behind */
  PetscErrorCode Give(const Copies<Scalar> &x, const Copies<Scalar> &r, bool add, GridStream stream) const;
  PetscErrorCode Check() const;
  /* Look at the flag itself, and wait for it */
  PetscErrorCode CheckNow() const;

  char *At(int process) const { return memory.at[static_cast<std::size_t>(process)]; }
  Where Side() const { return memory.side; }

private:
  PetscErrorCode Prepare(int with_slab);
  std::size_t    FlagAt() const { return memory.bytes - GridMeeting::bytes + GridMeeting::words * sizeof(PeerWord); }
  std::size_t    CountsAt() const { return FlagAt() + 64; }

  MPI_Comm             comm[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
  PeerMemory           memory;
  GridMeeting          meeting;
  Buffer<int *>        everyone;
  int                  count[2] = {0, 0};
  bool                 early    = false; /* kernels may begin before those before have ended */
  double               seconds  = 0;
  std::shared_ptr<int> told; /* by the device, that a meeting has failed */
};

} // namespace heptane

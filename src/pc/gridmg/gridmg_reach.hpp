/*
   Memory that all processes of a divided hierarchy reach, shared by MPI on the host, by CUDA IPC on devices: copies inside it, and where the processes meet. On devices neither waits for the host.
*/
#pragma once

#include "../../comm/peer_memory.hpp"
#include "../../device/buffer.hpp"
#include "gridmg_copies.hpp"
#include <string>

namespace heptane
{

class GridReach {
public:
  enum Group { all, slabs }; /* all processes, those that have a slab */

  GridReach()                             = default;
  GridReach(const GridReach &)            = delete;
  GridReach &operator=(const GridReach &) = delete;
  ~GridReach();

  /* Collective: `bytes` for this process, of those with slabs the first `with_slab`. why: they do not, the same on all */
  PetscErrorCode Make(MPI_Comm of, Where where, int with_slab, std::size_t bytes, std::string *why);
  PetscErrorCode Free();
  /* What all of the group have queued before is done, and seen by all, before what they queue next. On the device an order of streams: the host goes on. */
  PetscErrorCode Meet(Group group);
  /* This host waits until what it has queued is done */
  PetscErrorCode Wait() const;
  template <class T>
  PetscErrorCode Copy(const GridCopy<T> &copy) const;
  PetscErrorCode CopyValues(const GridValueCopy &copy) const;
  /* y is spoilt where a meeting has failed; Check() then ends with an error, once the host has waited for anything behind */
  PetscErrorCode Spoil(Scalar *y, std::size_t n) const;
  PetscErrorCode Check() const;
  /* Look at the flag itself, and wait for it */
  PetscErrorCode CheckNow() const;

  char *At(int process) const { return memory.at[process]; }
  Where Side() const { return memory.side; }

private:
  PetscErrorCode Prepare(int with_slab);
  std::size_t    FlagAt() const { return memory.bytes - GridMeeting::bytes + GridMeeting::words * sizeof(PeerWord); }

  MPI_Comm             comm[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
  PeerMemory           memory;
  GridMeeting          meeting;
  Buffer<int *>        everyone;
  std::uint64_t        epoch[2] = {0, 0};
  int                  count[2] = {0, 0};
  double               seconds  = 0;
  std::shared_ptr<int> told; /* by the device, that a meeting has failed */
};

} // namespace heptane

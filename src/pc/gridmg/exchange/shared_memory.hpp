/*
   Memory shared by all processes of a divided hierarchy, by MPI on the host, by CUDA IPC on devices: copies within it,
   and barriers. On devices neither of them blocks the host.
*/
#pragma once

#include "../../../comm/peer_memory.hpp"
#include "../../../device/buffer.hpp"
#include "copy_list.hpp"
#include "distribution.hpp"
#include <memory>
#include <vector>

namespace heptane
{

/* Work is queued in a stream, which may be recorded; on the host it is done at once */
class GridSharedMemory {
public:
  enum Group { all, slabs }; /* all processes; processes with a slab */
  template <class T>
  using Copies = std::vector<GridCopy<T>>; /* to or from all processes; on devices at most GridBarrier::most */

  GridSharedMemory()                                    = default;
  GridSharedMemory(const GridSharedMemory &)            = delete;
  GridSharedMemory &operator=(const GridSharedMemory &) = delete;
  ~GridSharedMemory();

  /* Collective: allocates `bytes` on this process; the first `with_slab` processes have slabs. distribution: set to the
     first process if the memory cannot be shared */
  PetscErrorCode Make(MPI_Comm of, Where where, int with_slab, std::size_t bytes, GridDistribution *distribution);
  PetscErrorCode Free();
  /* PETSc's stream for kernels that wait for kernels of other processes */
  PetscErrorCode Stream(GridStream *stream) const;
  /* A barrier: earlier queued work of the group is done and visible to all before later work begins. On the device it
     orders streams; the host does not block. */
  PetscErrorCode Barrier(Group group, GridStream stream) const;
  /* Blocks the host until its queued work is done */
  PetscErrorCode Wait() const;
  template <class T>
  PetscErrorCode Copy(const Copies<T> &copies, GridStream stream) const
  {
    return grid_copy_list(memory.side, copies, early, stream);
  }
  template <class T>
  PetscErrorCode CopyAndBarrier(const Copies<T> &copies, Group group, GridStream stream) const;
  /* sums: on the device, by separate words; on the host the solver adds them afterwards */
  template <class T>
  PetscErrorCode CopyAndSum(const Copies<T> &copies, const GridRankSums &sums, GridStream stream) const;
  PetscErrorCode CopyValues(const std::vector<GridValueCopy> &copies, GridStream stream) const { return grid_copy_list(memory.side, copies, early, stream); }
  /* See GridResults. After a failed barrier the results are NaN, and Check() raises an error at the next host
     synchronisation */
  PetscErrorCode CopyResults(const Copies<Scalar> &x, const Copies<Scalar> &r, bool add, GridStream stream) const;
  PetscErrorCode Check() const;
  /* Reads the flag itself, after synchronising */
  PetscErrorCode CheckNow() const;

  char *At(int process) const { return memory.at[static_cast<std::size_t>(process)]; }
  Where Side() const { return memory.side; }

private:
  PetscErrorCode Prepare(int with_slab);
  std::size_t    FlagAt() const { return memory.bytes - GridBarrier::bytes + GridBarrier::words * sizeof(PeerWord); }
  std::size_t    CountsAt() const { return FlagAt() + 64; }

  MPI_Comm             comm[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
  PeerMemory           memory;
  GridBarrier          barrier;
  Buffer<int *>        failed_flags;
  int                  count[2] = {0, 0};
  bool                 early    = false; /* kernels may begin before their predecessors have ended */
  double               seconds  = 0;
  std::shared_ptr<int> failed_flag; /* set by the device after a failed barrier */
};

} // namespace heptane

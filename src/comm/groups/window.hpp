/*
   Memory of the host that the processes of a group share, or memory of the leader's GPU that all of them have opened.
*/
#pragma once

#include "../../device/space.hpp"
#include <petscsys.h>
#include <cstddef>
#include <string>

namespace heptane
{

class GroupWindow {
public:
  GroupWindow()                               = default;
  GroupWindow(const GroupWindow &)            = delete;
  GroupWindow &operator=(const GroupWindow &) = delete;
  ~GroupWindow() { Free(); }
  /* Collective over the group: memory of any values. *why not, the same on all of them */
  PetscErrorCode Make(MPI_Comm members, int leader, Where side, std::size_t bytes, std::string *why);
  /* Collective over the group */
  void        Free();
  Where       Side() const { return side; }
  char       *At() const { return at; } /* its address in this process */
  std::size_t Bytes() const { return bytes; }
  /* Pins the memory for copies to and from the GPU of this process, if the driver allows; no effect without a GPU */
  PetscErrorCode Pin();

private:
  PetscErrorCode MakeShared(MPI_Comm members, int leader, std::size_t bytes, std::string *why);
  PetscErrorCode MakeOpened(MPI_Comm members, int leader, std::size_t bytes, std::string *why);
  void           FreeOpened();

  Where       side  = Where::host;
  char       *at    = nullptr;
  std::size_t bytes = 0;
  bool        asked = false, pinned = false; /* pinning was tried; it is pinned */
#if PetscDefined(HAVE_CUDA)
  /* of a window on the device: the members, and whether this process has allocated it */
  MPI_Comm of    = MPI_COMM_NULL;
  bool     owned = false;
#endif
#if PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
  MPI_Win window = MPI_WIN_NULL;
#endif
};

} // namespace heptane

/*
   Memory of the host that the processes of a group share, all of it at one address in each of them.
*/
#pragma once

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
  /* Collective over the group: zeros. *why not, the same on all of them */
  PetscErrorCode Make(MPI_Comm members, int leader, std::size_t bytes, std::string *why);
  /* Collective over the group */
  void        Free();
  char       *At() const { return at; }
  std::size_t Bytes() const { return bytes; }
  /* Copies between it and the GPU of this process are as fast as the bus from now on, if the driver allows; nothing without a GPU */
  PetscErrorCode Pin();

private:
  char       *at     = nullptr;
  std::size_t bytes  = 0;
  bool        asked  = false, pinned = false;
#if PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
  MPI_Win window = MPI_WIN_NULL;
#endif
};

} // namespace heptane

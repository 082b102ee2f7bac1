/*
   Copies between the pieces of a divided hierarchy by NCCL, in the order of a stream: numbers are packed, sent, and
   unpacked on the other process. Independent of PC.
*/
#pragma once

#include "../../../comm/nccl/link.hpp"
#include "../../../device/buffer.hpp"
#include "copy_list.hpp"
#include <string>
#include <vector>

namespace heptane
{

class SlabNccl {
public:
  /* Collective: a link, and memory for the piece of this process, with zeros; *why: there is no link */
  PetscErrorCode Make(MPI_Comm comm, Where side, std::size_t bytes, std::string *why);
  bool           InUse() const { return static_cast<bool>(link); }
  char          *At() const { return reinterpret_cast<char *>(piece.At(side)); }
  /* Collective: the link has failed on some process; graphs with its calls must end before Reconnect() */
  PetscErrorCode Broken(bool *broken) const;
  PetscErrorCode Reconnect();
  PetscErrorCode Check() const { return link->Check(); }
  /* Collective: blocks the host until its queued work is done; an error if another process is late or has failed */
  PetscErrorCode Wait() const;
  /*
     sent[q]: the copy to process q, whose destination is used only if q is this process; received[q]: the copy from
     process q, whose source is not used. They are the same copy on both processes; without lines: none. The memory
     for messages grows in a set-up, which has larger ones than a cycle, so that graphs may contain this.
  */
  template <class Copy>
  PetscErrorCode Move(const std::vector<Copy> &sent, const std::vector<Copy> &received, GridStream stream);

private:
  MPI_Comm                  comm = MPI_COMM_NULL;
  Where                     side = Where::host;
  std::size_t               rank = 0;
  std::shared_ptr<NcclLink> link;
  Buffer<Scalar>            piece, packed, arrived;
};

} // namespace heptane

/*
   Makes the messages of a halo.
*/
#include "halo.hpp"

namespace heptane
{

PetscErrorCode NcclHalo::Create(std::shared_ptr<NcclLink> of, Where where, const PeerLists &lists, std::size_t more)
{
  Scalar *made;

  PetscFunctionBegin;
  link = std::move(of);
  side = where;
  messages.clear();
  ghosts = 0;
  for (std::size_t n = 0; n < lists.rank.size(); n++) {
    messages.push_back({lists.rank[n], lists.sends[n], lists.receives[n]});
    ghosts += static_cast<std::size_t>(lists.receives[n]);
  }
  PetscCall(rows.Assign(side, lists.send_row));
  sent.Resize(rows.Size());
  PetscCall(sent.Memory(side, &made));
  received.Resize(ghosts + more);
  PetscCall(received.Memory(side, &made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   Builds the messages of a halo.
*/
#include "halo.hpp"

namespace heptane
{

PetscErrorCode NcclHalo::Create(std::shared_ptr<NcclLink> of, Where where, const PeerLists &lists, std::size_t more)
{
  Scalar     *made;
  std::size_t at = 0;

  PetscFunctionBegin;
  link = std::move(of);
  side = where;
  messages.clear();
  of_vector.clear();
  in_runs = true;
  ghosts  = 0;
  for (std::size_t n = 0; n < lists.rank.size(); n++) {
    const int *const row   = lists.send_row.data() + at;
    const int        sends = lists.sends[n];

    messages.push_back({lists.rank[n], sends, lists.receives[n], at});
    of_vector.push_back(messages.back());
    of_vector.back().at = sends ? static_cast<std::size_t>(row[0]) : 0;
    for (int k = 1; k < sends; k++) in_runs = in_runs && row[k] == row[0] + k;
    at += static_cast<std::size_t>(sends);
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

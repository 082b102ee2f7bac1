/*
   The values of ghost columns by NCCL: messages to and from each neighbour between an array of what is sent, or the vector
   itself, and an array of what came, both where the products run.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "../peer_setup.hpp"
#include "link.hpp"

namespace heptane
{

class NcclHalo {
public:
  /* Not collective: the lists of all ranks must match. more: values after the ghosts, which kernels store */
  PetscErrorCode  Create(std::shared_ptr<NcclLink> link, Where side, const PeerLists &lists, std::size_t more);
  bool            Usable() const { return static_cast<bool>(link); }
  const NcclLink *Link() const { return link.get(); }
  /* To be packed: value k is u of row Rows()[k] */
  std::size_t Sends() const { return rows.Size(); }
  const int  *Rows() const { return rows.At(side); }
  Scalar     *Sent() const { return sent.At(side); }
  /* In the order of the ghosts of PeerLists */
  std::size_t Ghosts() const { return ghosts; }
  Scalar     *Received() const { return received.At(side); }
  /* What each neighbour needs are rows that follow each other, as the planes between slabs of a grid: nothing needs to be packed */
  bool InRuns() const { return in_runs; }
  /* Collective among neighbours: what is packed goes, or, not null and InRuns(), the rows of u; on the host the ghosts are there on return */
  PetscErrorCode Exchange(const Scalar *u, NcclStream stream) const
  {
    PetscFunctionBegin;
    PetscCall(link->Exchange(u ? of_vector : messages, u ? u : Sent(), Received(), stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  std::shared_ptr<NcclLink> link;
  Where                     side = Where::host;
  std::vector<NcclMessage>  messages, of_vector; /* from Sent(), from u */
  bool                      in_runs = false;
  Buffer<int>               rows;
  Buffer<Scalar>            sent, received;
  std::size_t               ghosts = 0;
};

} // namespace heptane

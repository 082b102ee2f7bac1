/*
   Which ranks are on the node of this one, that is, reach each other's memory.
*/
#pragma once

#include "peer_sums.hpp"
#include <petscsys.h>
#include <string>

namespace heptane
{

struct PeerNodes {
  int  nodes                      = 1;
  bool here[PeerSums::most_ranks] = {}; /* [r]: rank r is on the node of this one */

  bool Several() const { return nodes > 1; }
};

/* Collective. size: see PeerOptions::node_size. *why, the same on all ranks, where there are more of them than can exchange words */
PetscErrorCode PeerNodesFind(MPI_Comm comm, int size, PeerNodes *nodes, std::string *why);

} // namespace heptane

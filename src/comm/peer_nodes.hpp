/*
   Which ranks are on the node of this one, that is, reach each other's memory.
*/
#pragma once

#include "peer_sums.hpp"
#include <petscsys.h>
#include <string>
#include <vector>

namespace heptane
{

struct PeerNodes {
  int               nodes = 1;
  std::vector<bool> here; /* [ranks]: rank r is on the node of this one */

  bool Several() const { return nodes > 1; }
};

/* Why so many ranks cannot exchange words of sums and halos; empty: they can */
std::string peer_too_many(std::size_t ranks);
/* Collective. size: see PeerOptions::node_size */
PetscErrorCode PeerNodesFind(MPI_Comm comm, int size, PeerNodes *nodes);

} // namespace heptane

/*
   What the user wants of the ranks of a node: -heptane_comm, -heptane_comm_timeout.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

struct PeerOptions {
  bool   wanted  = false; /* ranks write into each other's memory, where they can */
  double seconds = 30;    /* that a wait lasts at most */
};

/* What messages call it when they do */
inline constexpr char peer_text[] = "memory to memory";

/* The same on all ranks. auto: not yet, neither on the host, where MPI is as fast, nor on the device, where nobody has measured it */
PetscErrorCode PeerOptionsGet(PeerOptions *options);

} // namespace heptane

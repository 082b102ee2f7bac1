/*
   What the user wants of the ranks of a solve: -heptane_comm, -heptane_comm_timeout, -heptane_comm_share_gpu,
   -heptane_comm_check.
*/
#pragma once

#include "../device/space.hpp"
#include <petscsys.h>

namespace heptane
{

struct PeerOptions {
  bool   wanted    = false; /* ranks write into each other's memory, where they can */
  bool   nccl      = false; /* NCCL exchanges, where it can and `wanted` cannot */
  bool   automatic = false; /* -heptane_comm auto */
  bool   may_share = false; /* also where some have the same GPU */
  bool   check     = false; /* after each solve all ranks must have counted the same sums: for tests, as it waits */
  double seconds   = 30;    /* that a wait of a solve lasts at most */
  /* Calls outside of a solve wait so many times as long, 50 minutes: other work of the program may keep a process, and only one that never comes is to end a run */
  static constexpr double patience = 100;
};

/* What messages call it when they do */
inline constexpr char peer_text[] = "memory to memory";

/* The same on all ranks. auto: `wanted` and `nccl` between GPUs; on the host MPI is as fast */
PetscErrorCode PeerOptionsGet(Where side, PeerOptions *options);

} // namespace heptane

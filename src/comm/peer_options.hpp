/*
   The options for the ranks of a solve: -heptane_comm, -heptane_comm_timeout, -heptane_test_comm_share_gpu,
   -heptane_test_comm_check.
*/
#pragma once

#include "../device/space.hpp"
#include <petscsys.h>

namespace heptane
{

struct PeerOptions {
  bool   wanted    = false; /* ranks write into each other's memory, if possible */
  bool   nccl      = false; /* NCCL exchanges, if it is available and `wanted` is impossible */
  bool   automatic = false; /* -heptane_comm auto */
  bool   may_share = false; /* also if ranks share a GPU */
  bool   check     = false; /* after each solve, checks that all ranks have counted the same sums: for tests, as it synchronizes */
  double seconds   = 30;    /* longest wait in a solve; outside of one collective_patience times this */
};

/* Name of this exchange in messages */
inline constexpr char peer_text[] = "memory to memory";

/* The same on all ranks. auto: `wanted` and `nccl` between GPUs; on the host MPI is as fast */
PetscErrorCode PeerOptionsGet(Where side, PeerOptions *options);

} // namespace heptane

/*
   What tests of windows share: one window, lines that report, and memory where it is.
*/
#pragma once

#include "comm/peer_setup.hpp"
#include <cstdio>
#include <cstring>
#include <petscdevice.h>

namespace heptane
{

using Window = std::shared_ptr<PeerWindow>;

inline MPI_Comm world;
inline int      ranks, rank, failures;
inline Where    side;

/* One line for all ranks; good on all of them */
inline PetscErrorCode report(const char *name, bool good, const std::string &more = "")
{
  int all = good;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, world));
  if (rank == 0)
    printf("%s %s, %s, %d ranks%s%s\n", all ? "ok" : "not ok", name, side == Where::host ? "host" : "device", ranks, more.empty() ? "" : ": ", more.c_str());
  failures += !all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode get(std::size_t words, Window *window)
{
  std::string why;

  PetscFunctionBegin;
  PetscCall(PeerWindowGet(world, side, words, window, &why));
  PetscCheck(*window, PETSC_COMM_SELF, PETSC_ERR_LIB, "No window: %s", why.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode copy(void *to, const void *from, std::size_t bytes)
{
  PetscFunctionBegin;
  if (side == Where::host) std::memcpy(to, from, bytes);
#if PetscDefined(HAVE_CUDA)
  else {
    PetscCallCUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    PetscCallCUDA(cudaDeviceSynchronize()); /* it may return before the bytes are there */
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   Node and GPU of each process of a communicator.
*/
#pragma once

#include <petscsys.h>
#include <vector>

namespace heptane
{

struct RankPlace {
  int  node     = 0;     /* the first rank of the node */
  bool gpu      = false; /* DeviceUsable(); else the rest is empty */
  char uuid[16] = {};
  char bus[32]  = {};
};

/* Two ranks that share a GPU, the first of all; -1: none do */
struct SharedGpu {
  int first = -1, second = -1;
};

/* Collective; gpus: also the GPUs. -heptane_test_node_size N: each N ranks are one node */
PetscErrorCode RankPlaces(MPI_Comm comm, bool gpus, std::vector<RankPlace> *all);
SharedGpu      find_shared_gpu(const std::vector<RankPlace> &all);

} // namespace heptane

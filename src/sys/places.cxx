/*
   Nodes are told by MPI, GPUs by CUDA.
*/
#include "places.hpp"
#include "collective.hpp"
#include "device.hpp"
#include <algorithm>
#include <map>
#include <string>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

static PetscErrorCode FindNode(MPI_Comm comm, int rank, int *node)
{
  PetscInt pretended = 0;

  PetscFunctionBegin;
  *node = rank;
#if PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
  MPI_Comm on_node;

  PetscCall(CollectiveBarrier(comm)); /* the next call has no time limit */
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &on_node));
  PetscCall(CollectiveBroadcast(on_node, 0, node, sizeof(*node)));
  PetscCallMPI(MPI_Comm_free(&on_node));
#endif
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-heptane_test_node_size", &pretended, NULL));
  if (pretended > 0) *node = rank / (int)pretended * (int)pretended;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FindGpu(RankPlace *place)
{
  PetscBool usable;

  PetscFunctionBegin;
  PetscCall(DeviceUsable(&usable));
  place->gpu = (bool)usable;
#if PetscDefined(HAVE_CUDA)
  if (usable) {
    cudaDeviceProp properties;
    int            device;

    PetscCallCUDA(cudaGetDevice(&device));
    PetscCallCUDA(cudaGetDeviceProperties(&properties, device));
    PetscCallCUDA(cudaDeviceGetPCIBusId(place->bus, sizeof(place->bus), device));
    std::copy_n(properties.uuid.bytes, sizeof(place->uuid), place->uuid);
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RankPlaces(MPI_Comm comm, bool gpus, std::vector<RankPlace> *all)
{
  PetscMPIInt ranks, rank;
  RankPlace   mine;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(FindNode(comm, rank, &mine.node));
  if (gpus) PetscCall(FindGpu(&mine));
  all->resize(ranks);
  PetscCall(CollectiveGather(comm, &mine, sizeof(mine), all->data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

SharedGpu find_shared_gpu(const std::vector<RankPlace> &all)
{
  std::map<std::string, int> rank_of;

  for (int r = 0; r < static_cast<int>(all.size()); r++) {
    if (!all[r].gpu) continue;
    const auto [first, fresh] = rank_of.emplace(std::string(all[r].uuid, sizeof(all[r].uuid)), r);

    if (!fresh) return {first->second, r};
  }
  return {};
}

} // namespace heptane

/*
   Determines which GPUs can access each other's memory: by CUDA for visible GPUs, by NVML for the rest.
*/
#include "peer_gpus.hpp"
#include "peer_memory.hpp"
#include <cstring>
#if PetscDefined(HAVE_CUDA)
  #include <dlfcn.h>
#endif

namespace heptane
{

#if PetscDefined(HAVE_CUDA)
std::string peer_text_of(cudaError_t err)
{
  (void)cudaGetLastError();
  return cudaGetErrorString(err);
}
#endif

namespace
{

#if !PetscDefined(HAVE_CUDA)
constexpr char no_cuda[] = "no GPU: PETSc was configured without CUDA";
#else
/*
   The functions of libnvidia-ml in use. It sees GPUs that CUDA_VISIBLE_DEVICES hides from CUDA. It stays initialised,
   as initialisation costs 50 ms.
*/
class Nvml {
public:
  Nvml()
  {
    int (*init)();
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!library) missing = "libnvidia-ml.so.1 was not found";
    else if (!Find(library, "nvmlInit_v2", &init) || !Find(library, "nvmlDeviceGetHandleByPciBusId_v2", &by_bus) ||
             !Find(library, "nvmlDeviceGetP2PStatus", &status) || !Find(library, "nvmlErrorString", &text))
      missing = "libnvidia-ml.so.1 lacks a function";
    else if (const int err = init()) missing = std::string("NVML says: ") + text(err);
  }

  /* *native: whether the link between them has native atomics, as every NVLink does; returns why this is unknown */
  std::string Native(const char *a, const char *b, bool *native) const
  {
    constexpr int nvlink = 2, atomics = 3; /* of nvmlGpuP2PCapsIndex_t */
    void         *one, *other;
    int           state, err;

    *native = false;
    if (!missing.empty()) return missing;
    err = by_bus(a, &one);
    if (!err) err = by_bus(b, &other);
    for (int what : {nvlink, atomics}) {
      if (!err) err = status(one, other, what, &state);
      *native = *native || (!err && state == 0);
    }
    return err ? std::string("NVML says: ") + text(err) : "";
  }

private:
  template <class F>
  static bool Find(void *library, const char *name, F *function)
  {
    *function = reinterpret_cast<F>(dlsym(library, name));
    return *function != nullptr;
  }

  std::string missing;
  int (*by_bus)(const char *, void **);
  int (*status)(void *, void *, int, int *);
  const char *(*text)(int);
};

/*
   Whether this rank can access that GPU with whole words of 16 bytes, which CUDA guarantees for links with native
   atomics. For a GPU that is not visible it tests only the link: PeerMemoryMake() tests the access to its memory.
*/
void reach(const RankPlace &from, const RankPlace &to, int rank_of_it, std::string *why)
{
  int               mine = 0, other = 0, access = 1, atomics = 0;
  std::string       unknown;
  const std::string gpu = "the GPU " + std::string(to.bus) + " of rank " + std::to_string(rank_of_it);

  if (!std::memcmp(from.uuid, to.uuid, sizeof(to.uuid))) return;
  if (!std::strcmp(from.bus, to.bus)) access = 0; /* instances of one GPU (MIG) */
  else if (cudaDeviceGetByPCIBusId(&other, to.bus) != cudaSuccess) {
    static const Nvml nvml;
    bool              native;

    (void)cudaGetLastError();
    unknown = nvml.Native(from.bus, to.bus, &native);
    atomics = native;
    if (!unknown.empty())
      unknown = "its link to " + std::string(from.bus) + " is unknown (" + unknown + "): start each rank with all GPUs of the node, or where NVML sees them";
  } else {
    cudaError_t err = cudaGetDevice(&mine);
    if (err == cudaSuccess) err = cudaDeviceCanAccessPeer(&access, mine, other);
    if (err == cudaSuccess && access) err = cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, mine, other);
    if (err != cudaSuccess) unknown = peer_text_of(err);
  }
  if (!unknown.empty()) *why = gpu + ": " + unknown;
  else if (!access) *why = gpu + " has no peer access from " + std::string(from.bus);
  else if (!atomics) *why = gpu + " has no link with native atomics (NVLink) from " + std::string(from.bus);
}

/* Why each rank does not have a GPU; *shared: two ranks that share one */
std::string why_no_gpus(const std::vector<RankPlace> &all, std::string *shared)
{
  const SharedGpu two = find_shared_gpu(all);

  for (std::size_t r = 0; r < all.size(); r++)
    if (!all[r].gpu) return "rank " + std::to_string(r) + " has no GPU";
  if (two.first >= 0)
    *shared =
      "ranks " + std::to_string(two.first) + " and " + std::to_string(two.second) + " share the GPU " + all[two.first].bus + ": use as many processes as GPUs";
  return "";
}
#endif

} // namespace

PetscErrorCode PeerGpusShared(MPI_Comm comm, std::string *shared, std::string *why)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  std::vector<RankPlace> all;

  PetscCall(RankPlaces(comm, true, &all));
  *why = why_no_gpus(all, shared);
#else
  (void)comm, (void)shared;
  *why = no_cuda;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerReachableGpus(MPI_Comm comm, const std::vector<RankPlace> &all, bool may_share, bool *share, std::string *why)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  PetscMPIInt rank;
  std::string shared, buses;

  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  *why = why_no_gpus(all, &shared);
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  *share = !shared.empty();
  if (!may_share) *why = shared;
  for (std::size_t r = 0; r < all.size(); r++) {
    buses += std::string(" ") + all[r].bus;
    if (why->empty()) reach(all[rank], all[r], static_cast<int>(r), why);
  }
  PetscCall(PeerAgree(comm, why));
  if (rank == 0)
    PetscCall(PetscInfo(NULL, "GPUs of ranks 0 to %zu:%s; %s\n", all.size() - 1, buses.c_str(), why->empty() ? "each reaches all others" : why->c_str()));
#else
  (void)comm, (void)all, (void)may_share, (void)share;
  *why = no_cuda;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

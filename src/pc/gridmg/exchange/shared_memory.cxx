/*
   Memory shared by all processes of a divided hierarchy: see shared_memory.hpp.
*/
#include "shared_memory.hpp"
#include "../../../comm/peer_options.hpp"
#include "../../../comm/peer_order.hpp"
#include "../../../metrics/metrics.hpp"
#include "../../../sys/collective.hpp"
#include <atomic>
#include <vector>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

GridSharedMemory::~GridSharedMemory()
{
  PetscCallAbort(PETSC_COMM_SELF, Free());
}

PetscErrorCode GridSharedMemory::Free()
{
  PetscFunctionBegin;
  if (memory.bytes) PetscCall(Wait()); /* kernels that reach it */
  if (memory.bytes) PetscCall(PeerMemoryFree(comm[all], &memory));
  memory.bytes = 0;
  for (MPI_Comm &c : comm)
    if (c != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_free(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `auto` does not select messages on the host: the alternative is that one process does all of the work */
PetscErrorCode GridSharedMemory::Make(MPI_Comm of, Where where, int with_slab, std::size_t bytes, GridDistribution *distribution)
{
  PetscMPIInt        ranks, rank;
  bool               share = false;
  PeerOptions        options;
  unsigned long long most = bytes;
  std::string        why;

  PetscFunctionBegin;
  PetscCall(PeerOptionsGet(where, &options));
  if (!options.wanted && !options.automatic && !options.nccl) {
    distribution->ToRoot("-heptane_comm mpi");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Comm_dup(of, &comm[all]));
  PetscCallMPI(MPI_Comm_set_errhandler(comm[all], MPI_ERRORS_RETURN));
  PetscCallMPI(MPI_Comm_size(comm[all], &ranks));
  PetscCallMPI(MPI_Comm_rank(comm[all], &rank));
  PetscCallMPI(MPI_Comm_split(comm[all], rank < with_slab ? 0 : MPI_UNDEFINED, rank, &comm[slabs]));
  if (where == Where::device) why = peer_too_many(ranks); /* kernels synchronise by words */
  if (why.empty()) PetscCall(PeerReachable(comm[all], where, options.may_share, &share, &why));
  PetscCall(CollectiveReduce(comm[all], &most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX));
  constexpr std::size_t unit = PeerMemory::device_bytes;
  if (why.empty()) PetscCall(PeerMemoryMake(comm[all], where, (static_cast<std::size_t>(most) + GridBarrier::bytes + unit - 1) / unit * unit, &memory, &why));
  if (!why.empty()) {
    memory.bytes = 0; /* it was freed */
    distribution->ToRoot(why);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  seconds    = options.seconds;
  early      = !share; /* on a shared GPU a waiting kernel would occupy resources of the kernels that it depends on */
  count[all] = ranks;
  PetscCall(Prepare(with_slab));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On devices the words of barriers are at the end of the memory of each process, which is zero initially */
PetscErrorCode GridSharedMemory::Prepare(int with_slab)
{
  PetscFunctionBegin;
  count[slabs] = with_slab;
  barrier.rank = memory.rank;
  if (memory.side == Where::host) PetscFunctionReturn(PETSC_SUCCESS);
#if PetscDefined(HAVE_CUDA)
  std::vector<int *> flags;
  void              *made = nullptr;

  for (int r = 0; r < memory.ranks; r++) {
    barrier.at[r] = reinterpret_cast<PeerWord *>(memory.at[r] + memory.bytes - GridBarrier::bytes);
    flags.push_back(reinterpret_cast<int *>(memory.at[r] + FlagAt()));
  }
  PetscCall(failed_flags.Assign(memory.side, flags));
  barrier.limit   = {static_cast<std::uint64_t>(1e9 * seconds), flags[static_cast<std::size_t>(memory.rank)], failed_flags.At(memory.side), memory.ranks};
  barrier.epoch   = reinterpret_cast<std::uint64_t *>(memory.at[memory.rank] + CountsAt()); /* its memory begins with zeros */
  barrier.arrived = reinterpret_cast<unsigned *>(barrier.epoch + GridBarrier::groups);
  PetscCallCUDA(cudaMallocHost(&made, sizeof(int)));
  failed_flag  = std::shared_ptr<int>(static_cast<int *>(made), [](int *a) { (void)cudaFreeHost(a); });
  *failed_flag = 0;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSharedMemory::Wait() const
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (memory.side == Where::device) {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaStreamSynchronize(stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSharedMemory::Stream(GridStream *stream) const
{
  PetscFunctionBegin;
  *stream = nullptr;
#if PetscDefined(HAVE_CUDA)
  if (memory.side == Where::device) {
    PetscCall(PeerInOrder());
    PetscCall(PetscGetCurrentCUDAStream(stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSharedMemory::Barrier(Group group, GridStream stream) const
{
  PetscFunctionBegin;
  (void)stream;
  if (memory.side == Where::host) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    PetscCallMPI(MPI_Barrier(comm[group]));
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"gridmg: processes meet", 2. * sizeof(PeerWord) * count[group]}; });

    PetscCallCUDA(launch_grid_barrier(barrier, group, count[group], stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T>
PetscErrorCode GridSharedMemory::CopyAndBarrier(const Copies<T> &copies, Group group, GridStream stream) const
{
  PetscFunctionBegin;
  if (memory.side == Where::host) {
    grid_copy_on_host(copies);
    PetscCall(Barrier(group, stream));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    const MetricsPass metrics(true, [&] { return grid_copies_cost(copies, "rows for other processes, which meet"); });

    PetscCallCUDA(launch_grid_copy_and_barrier(grid_kernel_copies(copies), barrier, group, count[group], early, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T>
PetscErrorCode GridSharedMemory::CopyAndSum(const Copies<T> &copies, const GridRankSums &sums, GridStream stream) const
{
  PetscFunctionBegin;
  (void)sums;
  if (memory.side == Where::host) PetscCall(CopyAndBarrier(copies, slabs, stream));
#if PetscDefined(HAVE_CUDA)
  else {
    const MetricsPass metrics(true, [&] { return grid_copies_cost(copies, "rows for other processes, sums of all"); });

    PetscCallCUDA(launch_grid_copy_and_sum(grid_kernel_copies(copies), barrier, sums, early, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSharedMemory::CopyResults(const Copies<Scalar> &x, const Copies<Scalar> &r, bool add, GridStream stream) const
{
  PetscFunctionBegin;
  (void)stream;
  if (memory.side == Where::host) {
    for (std::size_t q = 0; q < x.size(); q++) {
      GridResults given;

      given.x.Add(x[q]);
      if (!r.empty()) given.r.Add(r[q]);
      given.add = add;
      for (std::size_t line = 0; line < x[q].lines(); line++)
        for (std::size_t e = 0; e < x[q].width; e++) given.move(0, line, e, false);
    }
  }
#if PetscDefined(HAVE_CUDA)
  else {
    const MetricsPass metrics(true, [&] { return grid_copies_cost(x, "solution from the boxes"); });
    GridResults       given;

    given.x   = grid_kernel_copies(x);
    given.r   = grid_kernel_copies(r);
    given.add = add;
    PetscCallCUDA(launch_grid_results(given, barrier, failed_flag.get(), stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSharedMemory::Check() const
{
  PetscFunctionBegin;
  PetscCheck(
    !failed_flag || !__atomic_load_n(failed_flag.get(), __ATOMIC_ACQUIRE), PETSC_COMM_SELF, PETSC_ERR_LIB,
    "Another process was not there within %g seconds: it has ended, or it does something else; raise -heptane_comm_timeout if it is only late, or use -heptane_comm mpi",
    seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSharedMemory::CheckNow() const
{
  int failed = 0;

  PetscFunctionBegin;
  if (memory.side == Where::device) PetscCall(PeerMemoryRead(memory, FlagAt(), sizeof(failed), &failed));
  if (failed) *failed_flag = 1;
  PetscCall(Check());
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define HEPTANE_GRID_SHARED_MEMORY(T) \
  template PetscErrorCode GridSharedMemory::CopyAndBarrier(const Copies<T> &, Group, GridStream) const; \
  template PetscErrorCode GridSharedMemory::CopyAndSum(const Copies<T> &, const GridRankSums &, GridStream) const;
HEPTANE_GRID_SHARED_MEMORY(float)
HEPTANE_GRID_SHARED_MEMORY(double)
#undef HEPTANE_GRID_SHARED_MEMORY

} // namespace heptane

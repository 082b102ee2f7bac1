/*
   The rounds of rounds.hpp by one block of the device.
*/
#include "rounds.hpp"

namespace heptane
{

namespace
{

struct Block {
  int             first = 0, step = 1;
  __device__ void sync() const { __syncthreads(); }
};

/*
   Computes: run_rounds() of this rank; *wrong += the values that are wrong.
   Threads: one block, each thread some values of the send list and some ghosts; the first leaves the sums, all take them.
   Bytes: a word of 16 bytes for each value that is sent and received.
   Order: of the ranks.
*/
__global__ void rounds_kernel(const __grid_constant__ PeerSums P, const __grid_constant__ PeerHalo H, const Origin *origin, int rounds, int *wrong)
{
  const Block team = {static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};

  atomicAdd(wrong, run_rounds(team, P, H, origin, rounds));
}

} // namespace

} // namespace heptane

PetscErrorCode run_rounds_on_device(const heptane::PeerSums &P, const heptane::PeerHalo &H, const Origin *origin, int rounds, int *wrong)
{
  heptane::Buffer<int> count(1);
  int                 *zero;
  const int           *found;

  PetscFunctionBegin;
  PetscCall(count.Zeros(heptane::Where::device, &zero));
  PetscCallCUDA(cudaDeviceSynchronize());
  heptane::rounds_kernel<<<1, 64>>>(P, H, origin, rounds, zero);
  PetscCallCUDA(cudaGetLastError());
  PetscCallCUDA(cudaDeviceSynchronize());
  count.Written(heptane::Where::device);
  PetscCall(count.Read(heptane::Where::host, &found));
  *wrong = *found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

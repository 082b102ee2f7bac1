/*
   Kernels that measure latencies of the device.
*/
#include "measure_kernels.hpp"
#include "../../device/grid_reduce.cuh"

namespace heptane
{

namespace
{

constexpr int threads = 512;
using Reduce          = GridReduce<threads>;

/*
   Computes  `sums` sums over all blocks
   Threads   one block per multiprocessor, all resident: launched as a cooperative kernel
   Bytes     only of the sums
   Order     deterministic
*/
__global__ void __launch_bounds__(threads) barrier_chain_kernel(int sums, void *memory, double *result)
{
  __shared__ Reduce::Shared shared;
  __shared__ double         last;
  Reduce                    reduce(memory, shared);

  for (int k = 0; k < sums; k++) {
    const double one[1] = {1};

    reduce.sum<1, true>(one, [&](const double *all) { last = all[0]; });
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *result = last;
}

/*
   Computes  the end of a path of `loads` loads
   Threads   one
   Bytes     4 per load, each of a line of its own
   Order     none
*/
__global__ void load_chain_kernel(const unsigned *places, int loads, unsigned *place)
{
  unsigned now = *place;

  for (int k = 0; k < loads; k++) now = __ldcg(places + now);
  *place = now;
}

} // namespace

std::size_t barrier_chain_bytes(int blocks)
{
  return Reduce::bytes(blocks);
}

cudaError_t launch_barrier_chain(int blocks, int sums, void *memory, double *result, cudaStream_t stream)
{
  void *arguments[] = {&sums, &memory, &result};

  if (cudaError_t err = cudaMemsetAsync(memory, 0, barrier_chain_bytes(blocks), stream)) return err;
  const cudaError_t err = cudaLaunchCooperativeKernel(barrier_chain_kernel, dim3(blocks), dim3(threads), arguments, 0, stream);
  return err ? err : cudaGetLastError();
}

cudaError_t launch_load_chain(const unsigned *places, int loads, unsigned *place, cudaStream_t stream)
{
  load_chain_kernel<<<1, 1, 0, stream>>>(places, loads, place);
  return cudaGetLastError();
}

} // namespace heptane

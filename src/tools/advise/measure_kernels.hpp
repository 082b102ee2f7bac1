/*
   Kernels that measure latencies of the device.
*/
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

namespace heptane
{

/*
   `sums` sums over all blocks of a grid of one block per multiprocessor; memory: barrier_chain_bytes(), zeros; result:
   one double
*/
std::size_t barrier_chain_bytes(int blocks);
cudaError_t launch_barrier_chain(int blocks, int sums, void *memory, double *result, cudaStream_t stream);

/*
   A chain of `loads` loads, each of which returns the place of the next; places: a closed path; place: one word, the
   start of the path, and on return its end
*/
cudaError_t launch_load_chain(const unsigned *places, int loads, unsigned *place, cudaStream_t stream);

} // namespace heptane

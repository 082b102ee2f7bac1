/*
   Kernels that measure latencies of the device.
*/
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

namespace heptane
{

/* So many sums over all blocks of a grid of one block per multiprocessor; memory: barrier_chain_bytes(), zeros; result: one double */
std::size_t barrier_chain_bytes(int blocks);
cudaError_t launch_barrier_chain(int blocks, int sums, void *memory, double *result, cudaStream_t stream);

/* Each of so many loads gives the place of the next; places: a closed path; place: one word, where the path begins, and then where it has ended */
cudaError_t launch_load_chain(const unsigned *places, int loads, unsigned *place, cudaStream_t stream);

} // namespace heptane

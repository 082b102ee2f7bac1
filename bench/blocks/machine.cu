/*
   The micro-benchmarks of machine.hpp.
*/
#include "machine.hpp"
#include <petscdevice_cuda.h>
#include <petsctime.h>
#include <algorithm>
#include <utility>
#include <vector>

namespace bench
{

namespace
{

enum class Op { flop, integer, shuffle, shared, broadcast, sync, divide };

constexpr int threads = 256, unrolled = 8, turns = 1000, full_blocks = 8, samples = 5;

/*
   Computes  nothing of use: 8000 operations of one kind
   Threads   each a chain of its own, in which every operation needs the one before
   Bytes     a scalar per thread, written so that nothing is left out
   Order     deterministic
*/
template <Op OP>
__global__ void __launch_bounds__(threads) chain_kernel(unsigned a, unsigned b, PetscScalar *out)
{
  __shared__ unsigned next[threads];
  __shared__ uint4    same[unrolled];
  PetscScalar         v = 1 + static_cast<PetscScalar>(threadIdx.x) / threads;
  unsigned            n = OP == Op::broadcast ? static_cast<unsigned>(__cvta_generic_to_shared(same)) : threadIdx.x;

  next[threadIdx.x] = threadIdx.x ^ a % 32;
  if (threadIdx.x < unrolled) same[threadIdx.x].x = static_cast<unsigned>(__cvta_generic_to_shared(same + (threadIdx.x + a) % unrolled));
  __syncthreads();
#pragma unroll 1
  for (int t = 0; t < turns; t++) {
#pragma unroll
    for (int u = 0; u < unrolled; u++) {
      if constexpr (OP == Op::flop) v = v * static_cast<PetscScalar>(0.5) + 1;
      if constexpr (OP == Op::integer) n = (n ^ a) + b; // two operations
      if constexpr (OP == Op::shuffle) v = __shfl_xor_sync(~0u, v, 1 << u % 5);
      if constexpr (OP == Op::shared) n = next[n];
      if constexpr (OP == Op::broadcast) { /* as text, since 12 of the 16 bytes are not used */
        unsigned y, z, w;
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(n), "=r"(y), "=r"(z), "=r"(w) : "r"(n));
      }
      if constexpr (OP == Op::sync) __syncthreads();
      if constexpr (OP == Op::divide) v = 1 / (v + 1);
    }
  }
  out[blockIdx.x * threads + threadIdx.x] = v + static_cast<PetscScalar>(n);
}

/*
   Computes  where a walk through next[] ends
   Threads   one
   Bytes     a line of memory a step
   Order     deterministic
*/
__global__ void walk_kernel(const unsigned *next, int steps, unsigned *end)
{
  unsigned n = 0;

  for (int k = 0; k < steps; k++) n = next[n];
  *end = n;
}

__global__ void empty_kernel()
{}

// Nanoseconds of what launch() queues, the fastest of so many times
template <class F>
PetscErrorCode time_ns(int times, F &&launch, double *ns)
{
  cudaEvent_t begin, end;

  PetscFunctionBeginUser;
  PetscCallCUDA(cudaEventCreate(&begin));
  PetscCallCUDA(cudaEventCreate(&end));
  for (int s = 0; s < times; s++) {
    float ms;

    PetscCallCUDA(cudaEventRecord(begin));
    launch();
    PetscCallCUDA(cudaGetLastError());
    PetscCallCUDA(cudaEventRecord(end));
    PetscCallCUDA(cudaEventSynchronize(end));
    PetscCallCUDA(cudaEventElapsedTime(&ms, begin, end));
    *ns = s ? std::min(*ns, 1e6 * ms) : 1e6 * ms;
  }
  PetscCallCUDA(cudaEventDestroy(begin));
  PetscCallCUDA(cudaEventDestroy(end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <Op OP>
PetscErrorCode measure(const Machine &m, PetscScalar *out, int operations, Cost *cost)
{
  const double count = static_cast<double>(turns) * unrolled * operations;
  double       ns;

  PetscFunctionBeginUser;
  PetscCall(time_ns(
    samples, [&] { chain_kernel<OP><<<m.processors, threads>>>(3, 5, out); }, &ns));
  cost->alone = ns / count;
  PetscCall(time_ns(
    samples, [&] { chain_kernel<OP><<<m.processors * full_blocks, threads>>>(3, 5, out); }, &ns));
  cost->full = ns / count / full_blocks;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A walk over 256 MB in steps of 2 MB and a little, once, after something else went through the cache: no step finds its line there
PetscErrorCode measure_global(double *ns)
{
  const unsigned        n = 1u << 26, stride = (1u << 19) + 33;
  const int             steps = 1024;
  std::vector<unsigned> next(n, 0);
  unsigned             *device, *other, at = 0;

  PetscFunctionBeginUser;
  for (int k = 0; k < steps; k++) {
    next[at] = (at + stride) % n;
    at       = next[at];
  }
  PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&device), sizeof(unsigned) * (n + 1)));
  PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&other), sizeof(unsigned) * n));
  PetscCallCUDA(cudaMemcpy(device, next.data(), sizeof(unsigned) * n, cudaMemcpyHostToDevice));
  walk_kernel<<<1, 1>>>(device, 1, device + n); // the kernel is loaded
  PetscCallCUDA(cudaGetLastError());
  PetscCallCUDA(cudaMemset(other, 1, sizeof(unsigned) * n));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCall(time_ns(
    1, [&] { walk_kernel<<<1, 1>>>(device, steps, device + n); }, ns));
  PetscCallCUDA(cudaFree(device));
  PetscCallCUDA(cudaFree(other));
  *ns /= steps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode measure_call(double *us)
{
  char                host[48] = "", *device;
  std::vector<double> times;
  cudaStream_t        stream;

  PetscFunctionBeginUser;
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&device), sizeof(host)));
  for (int k = 0; k < 50; k++) {
    PetscLogDouble begin, end;

    PetscCallCUDA(cudaDeviceSynchronize());
    PetscCall(PetscTime(&begin));
    PetscCallCUDA(cudaMemcpyAsync(device, host, sizeof(host), cudaMemcpyHostToDevice, stream));
    empty_kernel<<<1, 32, 0, stream>>>();
    PetscCallCUDA(cudaMemcpyAsync(host, device, sizeof(host), cudaMemcpyDeviceToHost, stream));
    PetscCallCUDA(cudaStreamSynchronize(stream));
    PetscCallCUDA(cudaDeviceSynchronize());
    PetscCall(PetscTime(&end));
    times.push_back(1e6 * (end - begin));
  }
  PetscCallCUDA(cudaFree(device));
  std::nth_element(times.begin(), times.begin() + 25, times.end());
  *us = times[25];
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode machine_measure(const Bench &run, Machine *m)
{
  cudaDeviceProp property;
  int            device;
  PetscScalar   *out;

  PetscFunctionBeginUser;
  PetscCheck(run.device.count, run.comm, PETSC_ERR_SUP, "-suite model measures a GPU, and there is none here");
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaGetDeviceProperties(&property, device));
  m->processors   = property.multiProcessorCount;
  m->registers    = property.regsPerMultiprocessor;
  m->shared_bytes = static_cast<int>(property.sharedMemPerMultiprocessor);
  PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&out), sizeof(PetscScalar) * m->processors * full_blocks * threads));
  PetscCall(measure<Op::flop>(*m, out, 1, &m->flop));
  PetscCall(measure<Op::flop>(*m, out, 1, &m->flop)); // the first one also brought the clock up
  PetscCall(measure<Op::integer>(*m, out, 2, &m->integer));
  PetscCall(measure<Op::shuffle>(*m, out, 1, &m->shuffle));
  PetscCall(measure<Op::shared>(*m, out, 1, &m->shared));
  PetscCall(measure<Op::broadcast>(*m, out, 1, &m->broadcast));
  PetscCall(measure<Op::sync>(*m, out, 1, &m->sync));
  PetscCall(measure<Op::divide>(*m, out, 1, &m->divide));
  PetscCallCUDA(cudaFree(out));
  PetscCall(measure_global(&m->global_ns));
  PetscCall(measure_call(&m->call_us));
  PetscCall(device_copy_rate(run.comm, run.device, &m->bandwidth));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

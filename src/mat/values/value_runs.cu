/*
   Values between compressed rows and a format on the device, by runs of rows.
*/
#include "value_runs.hpp"
#include "../../device/launch.hpp"

namespace heptane
{

namespace
{

constexpr int threads = 256, entries = 8; /* per thread; guess: copying the values from or to the host is fifty times as slow */

/*
   Computes  values[place of e] = a[e - start], or with EXTRACT a[e - start] = values[place of e], for the n entries
             from start on
   Threads   adjacent threads process adjacent entries; a block searches the runs of its first and last entry once, a
             thread the run of its entry between them
   Bytes     per entry 2 sizeof(Scalar); the runs and their shapes
   Order     none
*/
template <bool EXTRACT>
__global__ void __launch_bounds__(threads) move_runs_kernel(ValueRunsView R, PetscInt start, PetscInt n, const Scalar *from, Scalar *to)
{
  __shared__ std::size_t ends[2];
  const PetscInt         begin = static_cast<PetscInt>(blockIdx.x) * (threads * entries), left = n - begin;
  const PetscInt         count = left < threads * entries ? left : threads * entries;

  if (threadIdx.x % 32 == 0 && threadIdx.x < 64) ends[threadIdx.x / 32] = run_of_entry(R, start + (threadIdx.x ? begin + count - 1 : begin), 0, R.count - 1);
  __syncthreads();
  const std::size_t first = ends[0], last = ends[1];
  for (PetscInt k = static_cast<PetscInt>(threadIdx.x); k < count; k += threads) {
    const PetscInt     e = begin + k;
    const std::int64_t p = place_in_run(R, run_of_entry(R, start + e, first, last), start + e);

    if (EXTRACT) to[e] = from[p];
    else to[p] = from[e];
  }
}

} // namespace

cudaError_t launch_fill_runs(const ValueRunsView &R, PetscInt first, PetscInt n, const Scalar *a, Scalar *values, cudaStream_t stream)
{
  if (!n) return cudaSuccess;
  move_runs_kernel<false><<<blocks_for(static_cast<std::size_t>(n), threads * entries), threads, 0, stream>>>(R, first, n, a, values);
  return cudaGetLastError();
}

cudaError_t launch_extract_runs(const ValueRunsView &R, PetscInt first, PetscInt n, const Scalar *values, Scalar *a, cudaStream_t stream)
{
  if (!n) return cudaSuccess;
  move_runs_kernel<true><<<blocks_for(static_cast<std::size_t>(n), threads * entries), threads, 0, stream>>>(R, first, n, values, a);
  return cudaGetLastError();
}

} // namespace heptane

/*
   Compressed-row products of whole matrices on the device.
*/
#include "csr_group_rows.cuh"
#include "../../device/launch.hpp"

namespace heptane
{

namespace
{

constexpr int threads = csr_group_threads;

/*
   Computes  z[row[k]] = (A x)_k, or +=; sums[~row[k]] = (A x)_k for cuts of long rows
   Threads   a block per group: neighbouring threads take neighbouring entries, then neighbouring lanes share a row; a warp sums the long ones of its rows one after another
   Bytes     per entry sizeof(Scalar) + 4 (+ 4 with perm, whose values are gathered), per row 8 + sizeof(Scalar), adding one more; x gathered; sizeof(Scalar) * csr_group_entries of shared memory
   Order     deterministic: each lane ascending, lanes by a fixed butterfly; how many lanes depends on the pattern alone
*/
template <bool ADD, bool UNEVEN>
__global__ void __launch_bounds__(threads)
  csr_groups_kernel(CsrRows A, const int *__restrict__ group, const Scalar *__restrict__ x, Scalar *__restrict__ z, Scalar *__restrict__ sums)
{
  __shared__ Scalar product[csr_group_entries];
  const int         first = group[blockIdx.x], last = group[blockIdx.x + 1], begin = A.ptr[first], entries = A.ptr[last] - begin, thread = threadIdx.x;
  CsrGroupEntries   all;

  all.load(A, begin, entries, thread);
  if (A.perm) {
    constexpr int together = CsrGroupEntries::together;
    int           from[together];
#pragma unroll
    for (int u = 0; u < together; u++) from[u] = u * threads + thread < entries ? load_once(A.perm + begin + u * threads + thread) : 0;
#pragma unroll
    for (int u = 0; u < together; u++) all.a[u] = u * threads + thread < entries ? A.values[from[u]] : Scalar(0);
  }
  all.multiply(x, entries, thread, product);
  __syncthreads();
  csr_sum_group<ADD, UNEVEN>(A, product, first, last, begin, thread, z, sums);
}

/*
   Computes  to[p] = values[perm[p]]
   Threads   one per entry
   Bytes     per entry 2 sizeof(Scalar) + 4, values gathered
   Order     none: every place is written once
*/
__global__ void __launch_bounds__(threads)
  csr_order_kernel(const Scalar *__restrict__ values, const int *__restrict__ perm, std::size_t n, Scalar *__restrict__ to)
{
  const std::size_t p = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;

  if (p < n) to[p] = values[load_once(perm + p)];
}

} // namespace

cudaError_t launch_csr_order(const Scalar *values, const int *perm, std::size_t n, Scalar *to, cudaStream_t stream)
{
  if (!n) return cudaSuccess;
  csr_order_kernel<<<blocks_for(n, threads), threads, 0, stream>>>(values, perm, n, to);
  return cudaGetLastError();
}

cudaError_t launch_csr_groups(const CsrRows &A, const int *group, int groups, bool uneven, bool add, const Scalar *x, Scalar *z, Scalar *sums,
                              cudaStream_t stream)
{
  const auto launch = [&](auto kernel) {
    kernel<<<static_cast<unsigned>(groups), threads, 0, stream>>>(A, group, x, z, sums);
    return cudaGetLastError();
  };

  if (!A.count) return cudaSuccess;
  if (uneven) return launch(add ? csr_groups_kernel<true, true> : csr_groups_kernel<false, true>);
  return launch(add ? csr_groups_kernel<true, false> : csr_groups_kernel<false, false>);
}

} // namespace heptane

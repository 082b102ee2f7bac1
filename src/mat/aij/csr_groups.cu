/*
   Compressed-row products of whole matrices on the device.
*/
#include "csr_groups.hpp"

namespace heptane
{

namespace
{

constexpr int threads = csr_group_threads;

/*
   Computes  z[row[k]] = (A x)_k, or +=
   Threads   a block a group: neighbouring threads take neighbouring entries, then neighbouring lanes share a row
   Bytes     an entry sizeof(Scalar) + 4, a row 8 + sizeof(Scalar), adding one more; x gathered; sizeof(Scalar) * csr_group_entries of shared memory
   Order     deterministic: each lane ascending, lanes by a fixed butterfly; how many lanes depends on the pattern alone
*/
template <bool ADD>
__global__ void __launch_bounds__(threads) csr_groups_kernel(CsrRows A, const int *__restrict__ group, const Scalar *__restrict__ x, Scalar *__restrict__ z)
{
  constexpr int     together = csr_group_entries / threads;
  __shared__ Scalar product[csr_group_entries];
  const int         first = group[blockIdx.x], last = group[blockIdx.x + 1], begin = A.ptr[first], entries = A.ptr[last] - begin;
  Scalar            a[together];
  int               c[together];

#pragma unroll
  for (int u = 0; u < together; u++) {
    const int p = u * threads + threadIdx.x;
    c[u]        = p < entries ? load_once(A.col + begin + p) : 0;
    a[u]        = p < entries ? load_once(A.values + begin + p) : Scalar(0);
  }
#pragma unroll
  for (int u = 0; u < together; u++) {
    const int p = u * threads + threadIdx.x;
    if (p < entries) product[p] = a[u] * x[c[u]];
  }
  __syncthreads();
  const int lanes = csr_group_lanes(last - first), lane = threadIdx.x % lanes;
  for (int some = first; some < last; some += threads / lanes) { /* one turn where lanes share a row */
    const int  k    = some + threadIdx.x / lanes;
    const bool mine = k < last;
    Scalar     sum  = mine ? csr_group_sum(product, A.ptr[k] - begin, A.ptr[k + 1] - begin, lane, lanes) : Scalar(0);

    for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (mine && lane == 0) z[A.row[k]] = ADD ? z[A.row[k]] + sum : sum;
  }
}

} // namespace

cudaError_t launch_csr_groups(const CsrRows &A, const int *group, int groups, bool add, const Scalar *x, Scalar *z, cudaStream_t stream)
{
  if (!A.count) return cudaSuccess;
  if (add) csr_groups_kernel<true><<<static_cast<unsigned>(groups), threads, 0, stream>>>(A, group, x, z);
  else csr_groups_kernel<false><<<static_cast<unsigned>(groups), threads, 0, stream>>>(A, group, x, z);
  return cudaGetLastError();
}

} // namespace heptane

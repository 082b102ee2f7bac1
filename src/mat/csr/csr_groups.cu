/*
   Compressed-row products of whole matrices on the device.
*/
#include "csr_groups.hpp"
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
  constexpr int     together = csr_group_entries / threads;
  __shared__ Scalar product[csr_group_entries];
  const int         first = group[blockIdx.x], last = group[blockIdx.x + 1], begin = A.ptr[first], entries = A.ptr[last] - begin;
  Scalar            a[together];
  int               c[together];

#pragma unroll
  for (int u = 0; u < together; u++) {
    const int p = u * threads + threadIdx.x;
    c[u]        = p < entries ? load_once(A.col + begin + p) : 0;
    a[u]        = p < entries && !A.perm ? load_once(A.values + begin + p) : Scalar(0);
  }
  if (A.perm) {
    int from[together];
#pragma unroll
    for (int u = 0; u < together; u++) from[u] = u * threads + threadIdx.x < entries ? load_once(A.perm + begin + u * threads + threadIdx.x) : 0;
#pragma unroll
    for (int u = 0; u < together; u++) a[u] = u * threads + threadIdx.x < entries ? A.values[from[u]] : Scalar(0);
  }
#pragma unroll
  for (int u = 0; u < together; u++) {
    const int p = u * threads + threadIdx.x;
    if (p < entries) product[p] = a[u] * x[c[u]];
  }
  __syncthreads();
  const int lanes = csr_group_lanes(last - first), lane = threadIdx.x % lanes;
  for (int some = first; some < last; some += threads / lanes) { /* one turn where lanes share a row */
    const int  k        = some + threadIdx.x / lanes;
    const bool mine     = k < last;
    const bool long_row = UNEVEN && mine && csr_group_long(A.ptr[k + 1] - A.ptr[k], lanes);
    Scalar     sum      = mine && !long_row ? csr_group_sum(product, A.ptr[k] - begin, A.ptr[k + 1] - begin, lane, lanes) : Scalar(0);

    for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    for (unsigned left = UNEVEN ? __ballot_sync(0xffffffffu, long_row && lane == 0) : 0; left; left &= left - 1) {
      const int whose = __ffs(left) - 1, row = __shfl_sync(0xffffffffu, k, whose), here = threadIdx.x % 32;
      Scalar    all = csr_group_sum(product, A.ptr[row] - begin, A.ptr[row + 1] - begin, here, 32);

#pragma unroll
      for (int d = 16; d > 0; d /= 2) all += __shfl_xor_sync(0xffffffffu, all, d);
      if (here == whose) sum = all;
    }
    if (mine && lane == 0) {
      const int row = A.row[k];
      if (row < 0) sums[~row] = sum;
      else z[row] = ADD ? z[row] + sum : sum;
    }
  }
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

/*
   Compressed-row products of whole matrices by ranges of rows.
*/
#include "csr_ranges.hpp"
#include "../../device/warp_group_barrier.cuh"
#include "csr_group_rows.cuh"

namespace heptane
{

namespace
{

constexpr int    threads = CsrRanges::teams * csr_group_threads;
constexpr size_t shared  = CsrRanges::teams * csr_group_entries * sizeof(Scalar);

/*
   Computes  as csr_groups_kernel
   Threads   a block on each multiprocessor, teams of csr_group_threads threads with a range of neighbouring groups each; the entries of a team's next group are loaded while the rows of one are summed
   Bytes     as csr_groups_kernel, without perm; `shared` of shared memory
   Order     deterministic: as csr_groups_kernel, whatever the ranges
*/
template <bool ADD, bool UNEVEN>
__global__ void __launch_bounds__(threads, 1)
  csr_ranges_kernel(CsrRows A, const int *__restrict__ group, int groups, const Scalar *__restrict__ x, Scalar *__restrict__ z, Scalar *__restrict__ sums)
{
  extern __shared__ __align__(16) char memory[];
  const int                            team = threadIdx.x / csr_group_threads, thread = threadIdx.x % csr_group_threads;
  const std::int64_t                   ranges = gridDim.x * static_cast<std::int64_t>(CsrRanges::teams), range = blockIdx.x * CsrRanges::teams + team;
  int                                  g       = static_cast<int>(groups * range / ranges);
  const int                            end     = static_cast<int>(groups * (range + 1) / ranges);
  Scalar *const                        product = reinterpret_cast<Scalar *>(memory) + team * csr_group_entries;
  CsrGroupEntries                      some;

  if (g >= end) return;
  int first = group[g], last = group[g + 1], begin = A.ptr[first], entries = A.ptr[last] - begin;
  some.load(A, begin, entries, thread);
  for (; g < end; g++) {
    const int to = group[min(g + 2, groups)], behind = begin + entries, next = A.ptr[to] - behind; /* of the group behind this one */

    some.multiply(x, entries, thread, product);
    warp_group_barrier(team, csr_group_threads);
    if (g + 1 < end) some.load(A, behind, next, thread);
    csr_sum_group<ADD, UNEVEN>(A, product, first, last, begin, thread, z, sums);
    warp_group_barrier(team, csr_group_threads);
    first   = last;
    last    = to;
    begin   = behind;
    entries = next;
  }
}

} // namespace

cudaError_t launch_csr_ranges(const CsrRows &A, const int *group, int groups, bool uneven, bool add, const Scalar *x, Scalar *z, Scalar *sums,
                              cudaStream_t stream)
{
  int         device = 0, processors = 0;
  cudaError_t err    = cudaGetDevice(&device);
  const auto  launch = [&](auto kernel) {
    err = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
    if (err != cudaSuccess) return err;
    kernel<<<static_cast<unsigned>(processors), threads, shared, stream>>>(A, group, groups, x, z, sums);
    return cudaGetLastError();
  };

  if (!A.count || err != cudaSuccess) return err;
  err = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (err != cudaSuccess) return err;
  if (uneven) return launch(add ? csr_ranges_kernel<true, true> : csr_ranges_kernel<false, true>);
  return launch(add ? csr_ranges_kernel<true, false> : csr_ranges_kernel<false, false>);
}

} // namespace heptane

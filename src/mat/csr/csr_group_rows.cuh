/*
   What the kernels of whole matrices in compressed rows share: the entries of a group loaded, and its rows summed. All csr_group_threads threads of a team call these; thread: which of them. Knows no
   PETSc objects.
*/
#pragma once

#include "csr_groups.hpp"

namespace heptane
{

/* The entries that a thread has of a group, whose loads are under way together: neighbouring threads have neighbouring ones */
struct CsrGroupEntries {
  static constexpr int together = csr_group_entries / csr_group_threads;
  Scalar               a[together];
  int                  c[together];

  __device__ __forceinline__ void load(const CsrRows &A, int begin, int entries, int thread)
  {
#pragma unroll
    for (int u = 0; u < together; u++) {
      const int p = u * csr_group_threads + thread;
      c[u]        = p < entries ? load_once(A.col + begin + p) : 0;
      a[u]        = p < entries && !A.perm ? load_once(A.values + begin + p) : Scalar(0);
    }
  }
  __device__ __forceinline__ void multiply(const Scalar *__restrict__ x, int entries, int thread, Scalar *product) const
  {
#pragma unroll
    for (int u = 0; u < together; u++) {
      const int p = u * csr_group_threads + thread;
      if (p < entries) product[p] = a[u] * x[c[u]];
    }
  }
};

/* z[row[k]] = (A x)_k, or +=, for the rows first .. last - 1 of a group whose products lie in shared memory, entry `begin` first; sums[~row[k]] for cuts. Where lanes share a row all rows take one turn. */
template <bool ADD, bool UNEVEN>
__device__ __forceinline__ void csr_sum_group(const CsrRows &A, const Scalar *product, int first, int last, int begin, int thread, Scalar *__restrict__ z,
                                              Scalar *__restrict__ sums)
{
  const int lanes = csr_group_lanes(last - first), lane = thread % lanes;

  for (int some = first; some < last; some += csr_group_threads / lanes) {
    const int  k        = some + thread / lanes;
    const bool mine     = k < last;
    const bool long_row = UNEVEN && mine && csr_group_long(A.ptr[k + 1] - A.ptr[k], lanes);
    Scalar     sum      = mine && !long_row ? csr_group_sum(product, A.ptr[k] - begin, A.ptr[k + 1] - begin, lane, lanes) : Scalar(0);

    for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    for (unsigned left = UNEVEN ? __ballot_sync(0xffffffffu, long_row && lane == 0) : 0; left; left &= left - 1) {
      const int whose = __ffs(left) - 1, row = __shfl_sync(0xffffffffu, k, whose), here = thread % 32;
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

} // namespace heptane

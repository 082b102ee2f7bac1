/*
   A whole matrix in compressed rows on the device without cuts: adjacent lanes share a row. Fastest for matrices about
   as large as the second-level cache with rows of similar lengths, such as coarse levels of multigrid; groups.hpp is
   for all other matrices. No PETSc objects; the launcher follows rows.hpp.
*/
#pragma once

#include "../../device/scalar.hpp"
#if defined(PETSC_HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

namespace heptane
{

/* Row k has entries ptr[k] .. ptr[k + 1] - 1 */
struct CsrMatrix {
  int           rows;
  const int    *ptr, *col;
  const Scalar *values;
};

/* Adjacent lanes that share a row, 2 to 4 entries each. Fastest or within 5 % of it on matrices of GAMG's levels, a
   banded and a random one (one H200). */
HEPTANE_HD int csr_lanes(int rows, int entries)
{
  const double mean = rows ? static_cast<double>(entries) / rows : 0;

  return mean <= 1.5 ? 1 : mean <= 5 ? 2 : mean <= 20 ? 4 : mean <= 36 ? 8 : mean <= 72 ? 16 : 32;
}

/* Whether csr_lanes() suits a matrix with `entries` entries, at most `longest` per row: the matrix and a vector about
   fill the second-level cache (a matrix of 16M entries with distant columns took 1.3 times as long), and no lane has
   more than 16 turns (guess: 12 were faster, 37 were not) */
HEPTANE_HD bool csr_lanes_suit(int lanes, int entries, int longest)
{
  return entries <= 1 << 22 && longest <= 16 * lanes;
}

/* Entries that a lane has in flight together: measured as csr_lanes(); 1 and 4 are faster in at most one case */
constexpr int csr_ahead = 2;

/* The part of lane `lane` of `lanes` of the sum of row k */
HEPTANE_HD Scalar csr_lane_sum(const CsrMatrix &A, const Scalar *x, int k, int lane, int lanes)
{
  const int end = A.ptr[k + 1];
  Scalar    sum = 0;

  for (int p = A.ptr[k] + lane; p < end; p += csr_ahead * lanes) {
    Scalar a[csr_ahead];
    int    c[csr_ahead];

    HEPTANE_UNROLL
    for (int u = 0; u < csr_ahead; u++) {
      const bool in = p + u * lanes < end;
      a[u]          = in ? load_once(A.values + p + u * lanes) : Scalar(0);
      c[u]          = in ? load_once(A.col + p + u * lanes) : -1;
    }
    HEPTANE_UNROLL
    for (int u = 0; u < csr_ahead; u++)
      if (c[u] >= 0) sum += a[u] * x[c[u]];
  }
  return sum;
}

#if defined(PETSC_HAVE_CUDA)
/* z = A x, or z = y + sign A x if y is not null; y may be z. lanes: csr_lanes(); sign: 1 or -1 */
cudaError_t launch_csr_product(const CsrMatrix &A, int lanes, const Scalar *x, Scalar sign, const Scalar *y, Scalar *z, cudaStream_t stream);
#endif

} // namespace heptane

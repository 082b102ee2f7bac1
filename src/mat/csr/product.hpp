/*
   A whole matrix in compressed rows on the device, every row in its place: neighbouring lanes share a row. The shortest way for matrices of the size of the second-level cache, as
   those of multigrid's coarse levels, whose rows are of similar lengths; groups.hpp is for others. Knows no PETSc objects; the launcher is as those of rows.hpp.
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

/*
   Neighbouring lanes that share a row: 2 to 4 entries each. Measured on one H200 on the matrices of GAMG's levels, a banded and a random one, as the fastest or within 5 % of it:
   3.4 entries per row: 2 lanes; 7, 8, 10 and 16: 4; 32: 8; 38: 16; 106, 115 and 325: 32
*/
HEPTANE_HD int csr_lanes(int rows, int entries)
{
  const double mean = rows ? static_cast<double>(entries) / rows : 0;

  return mean <= 1.5 ? 1 : mean <= 5 ? 2 : mean <= 20 ? 4 : mean <= 36 ? 8 : mean <= 72 ? 16 : 32;
}

/*
   Whether a matrix with so many entries, at most `longest` per row, is for csr_lanes(): it and a vector are about the size of the second-level cache (one of 8M entries with columns
   near the diagonal was faster than cuSPARSE, too, one of 16M with columns far apart took 1.3 times as long), and no lane has more than 16 turns (guess: 12 were faster, 37 were not)
*/
HEPTANE_HD bool csr_lanes_suit(int lanes, int entries, int longest)
{
  return entries <= 1 << 22 && longest <= 16 * lanes;
}

/* Entries that a lane has under way together: measured as csr_lanes(), 1 and 4 are not faster in more than one case */
constexpr int csr_ahead = 2;

/* What lane of lanes adds up of row k */
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
/* z = A x, or z = y + sign A x where y is not null; y may be z. lanes: csr_lanes(); sign: 1 or -1 */
cudaError_t launch_csr_product(const CsrMatrix &A, int lanes, const Scalar *x, Scalar sign, const Scalar *y, Scalar *z, cudaStream_t stream);
#endif

} // namespace heptane

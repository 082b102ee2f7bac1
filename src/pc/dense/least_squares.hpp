/*
   Least squares: min |A x - b| for many dense blocks A of m x n, m >= n, of full rank, by Householder QR. A is not
   changed. b is overwritten as by LAPACK's gels: the solution in the first n entries; the sum of squares of the other m
   - n entries is that of the residual.
*/
#pragma once

#include "factor.hpp"

namespace heptane
{

/* Entry (i, s) of block c at values[(c * columns + s) * rows + i], b of it at b[c * rows] */
struct DenseSystems {
  std::size_t   count = 0;
  int           rows = 1, columns = 1;
  const Scalar *values = nullptr;
  Scalar       *b      = nullptr;
};

/* report may be null on the device. A zero on the diagonal of R is reported in row c * columns + step; the results of
   such blocks are not finite. */
void dense_least_squares_host(const DenseSystems &A, DenseReport *report);
#if defined(PETSC_HAVE_CUDA)
/* report holds DenseReport() on entry */
cudaError_t launch_dense_least_squares(const DenseSystems &A, DenseReport *report, cudaStream_t stream);
#endif

} // namespace heptane

/*
   Factors of many dense blocks instead of their inverses: LU with or without row exchanges, Householder QR; and solves with them.
   Factors lie in value columns as inverses do. LU: of the block with its rows in the order pivot[c * b + k] (the row that is k-th), L without its unit diagonal
   below U. QR: R, and below it the Householder vectors without their leading 1; H_k = 1 - tau[c * b + k] v v^T. Sums of squares are not scaled: entries beyond
   1e150 (double precision) overflow.
*/
#pragma once

#include "dense_blocks.hpp"
#include <cmath>
#if defined(PETSC_HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

namespace heptane
{

enum class DenseMethod : int { inverse, lu, qr };

struct DenseFactors {
  DenseMethod method = DenseMethod::lu;
  std::size_t count  = 0;
  int         block  = 1;
  std::size_t ld     = 0;
  Scalar     *values = nullptr; /* [block * ld] */
  int        *pivot  = nullptr; /* [count * block], LU */
  Scalar     *tau    = nullptr; /* [count * block], QR */

  HEPTANE_HD Scalar at(std::size_t c, int i, int s) const { return values[s * ld + c * block + i]; }
  /* entry i of Householder vector k */
  HEPTANE_HD Scalar reflector(std::size_t c, int i, int k) const { return i > k ? at(c, i, k) : Scalar(i == k); }
};

/* The reflection that takes (alpha, a rest of this sum of squares) to (beta, 0): the rest is to be multiplied by scale */
struct DenseReflection {
  Scalar beta, tau, scale;
};
HEPTANE_HD DenseReflection dense_reflection(Scalar alpha, Scalar squares)
{
  if (squares == 0) return {alpha, 0, 0};
  const Scalar norm = static_cast<Scalar>(sqrt(alpha * alpha + squares));
  const Scalar beta = alpha > 0 ? -norm : norm;
  return {beta, (beta - alpha) / beta, Scalar(1) / (alpha - beta)};
}

/* pivoting: rows are exchanged (LU) */
void dense_factor_host(const DenseBlocks &A, bool pivoting, const DenseFactors &F, DenseReport *report);
/* y = A^-1 x, or A^-T x */
void dense_solve_host(const DenseFactors &F, bool transpose, const Scalar *x, Scalar *y);

#if defined(PETSC_HAVE_CUDA)
/* The same on the device, for blocks of at most dense_largest_block rows; report holds DenseReport() before */
cudaError_t launch_dense_factor(const DenseBlocks &A, bool pivoting, const DenseFactors &F, DenseReport *report, cudaStream_t stream);
cudaError_t launch_dense_solve(const DenseFactors &F, bool transpose, const Scalar *x, Scalar *y, cudaStream_t stream);
#endif

} // namespace heptane

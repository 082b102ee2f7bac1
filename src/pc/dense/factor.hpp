/*
   Factors of many dense blocks, LU with or without row exchanges or Householder QR, and solves with them. Factors are
   stored in value columns, as inverses are.
   LU: the factors of the block with its rows permuted, row pivot[c * b + k] being the k-th; L without its unit diagonal
   is below U. QR: R, and below it the Householder vectors without their leading 1; H_k = 1 - tau[c * b + k] v v^T.
*/
#pragma once

#include "steps.hpp"
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

/* pivoting: rows are exchanged (LU) */
void dense_factor_host(const DenseBlocks &A, bool pivoting, const DenseFactors &F, DenseReport *report);
/* y = A^-1 x, or A^-T x */
void dense_solve_host(const DenseFactors &F, bool transpose, const Scalar *x, Scalar *y);

#if defined(PETSC_HAVE_CUDA)
/* The same on the device, for blocks of at most dense_largest_block rows; report holds DenseReport() on entry */
cudaError_t launch_dense_factor(const DenseBlocks &A, bool pivoting, const DenseFactors &F, DenseReport *report, cudaStream_t stream);
/* The same for blocks of at most dense_warp_block rows */
cudaError_t launch_dense_factor_small(const DenseBlocks &A, bool pivoting, const DenseFactors &F, DenseReport *report, cudaStream_t stream);
cudaError_t launch_dense_solve(const DenseFactors &F, bool transpose, const Scalar *x, Scalar *y, cudaStream_t stream);
#endif

} // namespace heptane

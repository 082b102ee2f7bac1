/*
   Whether pairs of diagonals on either side of the main one hold the values of a symmetric matrix, bit by bit.
*/
#pragma once

#include "../../../device/scalar.hpp"
#if PetscDefined(HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

namespace heptane
{

/* Diagonals `offset` below the main one and above it, block size 1: A(row, row - offset) and A(row, row + offset) at
   row */
struct BdiaghPair {
  const Scalar *lower, *upper;
  int           offset;
};

/* Whether A(row, row - offset) is another value than A(row - offset, row), or no number */
HEPTANE_HD bool bdiagh_pair_differs(const BdiaghPair &pair, int row)
{
  return row >= pair.offset && !(pair.lower[row] == pair.upper[row - pair.offset]);
}

#if PetscDefined(HAVE_CUDA)
/* *differs (device) becomes 1 if one of the two pairs differs in one of n rows, else it is unchanged. Never
   synchronises. */
cudaError_t launch_bdiagh_pairs_differ(const BdiaghPair &a, const BdiaghPair &b, int n, int *differs, cudaStream_t stream);
#endif

} // namespace heptane

/*
   Products of the block-diagonal format on the host. Vectors: x[cols], y and z[rows] (transpose: x[rows], y and z[cols]).
*/
#pragma once

#include "bdiagh_rows.hpp"
#include <algorithm>

namespace heptane
{

/* Rows of a fused product that are finished while they are in the cache: whole cells, one at least */
inline int bdiagh_fused_tile(int block)
{
  return std::max(BdiaghTuning::host_fused_tile / block, 1) * block;
}

/* z = A x, or z = y + A x where y is not null (y may be z) */
void bdiagh_mult_host(const BdiaghDiagonals &A, const Scalar *x, const Scalar *y, Scalar *z);
/* z = A x without block diagonal `skip` in rows [first, last), first a multiple of the block size; z of row `first` first */
void bdiagh_mult_rows_host(const BdiaghDiagonals &A, const Scalar *x, int first, int last, int skip, Scalar *z);
/* z = A x of a symmetric A without its main diagonal in rows [first, last), U the diagonals above it: see bdiagh_symmetric_row(); z of row `first` first */
void bdiagh_mult_symmetric_rows_host(const BdiaghDiagonals &U, const Scalar *x, int first, int last, Scalar *z);
/* The same of a copy stored as Single, without a diagonal that is skipped: summed in single precision */
void bdiagh_mult_rows_host(const BdiaghDiagonalsOf<Single> &A, const Single *x, int first, int last, Scalar *z);
void bdiagh_mult_symmetric_rows_host(const BdiaghDiagonalsOf<Single> &U, const Single *x, int first, int last, Scalar *z);
/* z = A^T x, or z = y + A^T x */
void bdiagh_mult_transpose_host(const BdiaghDiagonals &A, const Scalar *x, const Scalar *y, Scalar *z);

} // namespace heptane

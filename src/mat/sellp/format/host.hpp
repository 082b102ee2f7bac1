/*
   Products of the sliced ELLPACK format on the host. Vectors: x[cols], y and z[rows] (transpose: x[rows], y and
   z[cols]). Rows of the remainder get y, or 0.
*/
#pragma once

#include "rows.hpp"
#include <algorithm>

namespace heptane
{

/* Rows of a fused product that are finished while they are in the cache: whole windows, whose rows follow each other */
inline int sellp_fused_tile(const SellpShape &A)
{
  const std::size_t slice = static_cast<std::size_t>(A.slice) * A.block;             /* rows of a slice */
  const std::size_t unit  = (A.place ? A.window / A.slice : std::size_t(1)) * slice; /* slices whose rows are a range */

  return static_cast<int>(std::min<std::size_t>(std::max<std::size_t>(SellpTuning::host_fused_tile / unit, 1) * unit, A.rows));
}

/* z = A x, or z = y + A x if y is not null (y may be z) */
void sellp_mult_host(const SellpSlices &A, const Scalar *x, const Scalar *y, Scalar *z);
/* z = A x for the rows of slices first .. last - 1 */
void sellp_mult_slices_host(const SellpSlices &A, const Scalar *x, int first, int last, Scalar *z);
/* The same of a copy stored as Single: summed in Scalars */
void sellp_mult_slices_host(const SellpSlicesOf<Single> &A, const Single *x, int first, int last, Scalar *z);
void sellp_mult_slices_host(const SellpSlicesOf<Single> &A, const Scalar *x, int first, int last, Scalar *z);
/* z += A^T x, scattered slice by slice */
void sellp_mult_transpose_add_host(const SellpSlices &A, const Scalar *x, Scalar *z);
/* sellp_gather_row() of every row */
void sellp_gather_blocks_host(const SellpSlices &A, int b, std::size_t ld, Scalar *d);
/* d[row] = A(row, row) */
void sellp_diagonal_host(const SellpSlices &A, Scalar *d);

} // namespace heptane

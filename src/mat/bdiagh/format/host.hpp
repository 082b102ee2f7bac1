/*
   Products of the block-diagonal format on the host. Vectors: x[cols], y and z[rows] (transpose: x[rows], y and
   z[cols]).
*/
#pragma once

#include "rows.hpp"

namespace heptane
{

/* Rows per tile of the product: a multiple of the 8 lanes in which HostStep adds, so that the order of its sums does
   not depend on tiles */
constexpr int bdiagh_tile_rows(int block)
{
  constexpr int lanes = 8;
  const int     unit = lanes * block, tile = block == 1 ? BdiaghTuning::host_tile<1> : BdiaghTuning::host_tile<2>;

  return tile > unit ? tile / unit * unit : unit;
}

/*
   Rows of a fused product that are finished while they are in the second-level cache: at least one tile of the product
*/
inline int bdiagh_fused_tile(int block)
{
  const int unit = bdiagh_tile_rows(block);

  return BdiaghTuning::host_fused_tile > unit ? BdiaghTuning::host_fused_tile / unit * unit : unit;
}

/* z = A x, or z = y + A x if y is not null (y may be z) */
void bdiagh_mult_host(const BdiaghDiagonals &A, const Scalar *x, const Scalar *y, Scalar *z);
/* z = A x without block diagonal `skip` in rows [first, last), first a multiple of the block size; z of row `first`
   first */
void bdiagh_mult_rows_host(const BdiaghDiagonals &A, const Scalar *x, int first, int last, int skip, Scalar *z);
/* z = A x of a symmetric A without its main diagonal in rows [first, last), U the diagonals above it: see
   bdiagh_symmetric_row(); z of row `first` first */
void bdiagh_mult_symmetric_rows_host(const BdiaghDiagonals &U, const Scalar *x, int first, int last, Scalar *z);
/* The same of a copy stored as Single, without a diagonal that is skipped: summed in single precision */
void bdiagh_mult_rows_host(const BdiaghDiagonalsOf<Single> &A, const Single *x, int first, int last, Scalar *z);
void bdiagh_mult_symmetric_rows_host(const BdiaghDiagonalsOf<Single> &U, const Single *x, int first, int last, Scalar *z);
/* The same with vectors of Scalars, and summed in these */
void bdiagh_mult_rows_host(const BdiaghDiagonalsOf<Single> &A, const Scalar *x, int first, int last, Scalar *z);
/* z = A^T x, or z = y + A^T x */
void bdiagh_mult_transpose_host(const BdiaghDiagonals &A, const Scalar *x, const Scalar *y, Scalar *z);

} // namespace heptane

/*
   The host executor of the block-diagonal products: loops around the arithmetic of rows.hpp and single_rows.hpp.
*/
#include "host.hpp"
#include "../../../device/host_clones.hpp"
#include "../../../device/with_block.hpp"
#include "single_rows.hpp"

namespace heptane
{

namespace kernels
{

/* For the rows left over by whole tiles of W rows, and for all rows of a small matrix */
constexpr int tail_rows(int W, int B)
{
  return W / 16 / B * B;
}

/* Rows [row, end), row a multiple of B; z of row `row` first. Both loops are inline here: a separate function would not
   be compiled for each clone. */
template <int B, class T>
HEPTANE_HOST_CLONES void mult(const BdiaghDiagonalsOf<T> &A, const Scalar *x, const Scalar *y, int row, int end, int skip, Scalar *z)
{
  if constexpr (B > 0) {
    constexpr int W = bdiagh_tile_rows(B), R = tail_rows(W, B);
    Scalar        sum[W];
    for (; row + W <= end; row += W, z += W) {
      bdiagh_tile<B, W>(A, x, row, sum, skip);
      if (y) {
        for (int w = 0; w < W; w++) z[w] = y[row + w] + sum[w];
      } else {
        for (int w = 0; w < W; w++) z[w] = sum[w];
      }
    }
    if constexpr (R > 0) {
      for (; row + R <= end; row += R, z += R) {
        bdiagh_tile<B, R>(A, x, row, sum, skip);
        for (int w = 0; w < R; w++) z[w] = y ? y[row + w] + sum[w] : sum[w];
      }
    }
  }
  for (; row < end; row++) {
    const Scalar sum = bdiagh_row<B, 1>(A, x, row, BdiaghNoTap(), skip);
    *z++             = y ? y[row] + sum : sum;
  }
}

HEPTANE_HOST_CLONES void mult_symmetric(const BdiaghDiagonals &U, const Scalar *x, int row, int end, Scalar *z)
{
  constexpr int W = BdiaghTuning::host_tile<1>, R = tail_rows(W, 1);

  for (; row + W <= end; row += W, z += W) bdiagh_symmetric_tile<W>(U, x, row, z);
  for (; row + R <= end; row += R, z += R) bdiagh_symmetric_tile<R>(U, x, row, z);
  for (; row < end; row++) *z++ = bdiagh_symmetric_row<0>(U, x, row);
}

/* Of copies stored as Single */
template <int B>
HEPTANE_HOST_CLONES void mult_single(const BdiaghSingles &A, const Single *x, int row, int end, Scalar *z)
{
  if constexpr (B > 0) {
    constexpr int W = BdiaghTuning::host_tile<B> / B * B;
    Single        sum[W];
    for (; row + W <= end; row += W, z += W) {
      bdiagh_single_tile<B, W>(A, x, row, sum);
      for (int w = 0; w < W; w++) z[w] = sum[w];
    }
  }
  for (; row < end; row++) *z++ = bdiagh_single_row<B>(A, x, row);
}

HEPTANE_HOST_CLONES void mult_single_symmetric(const BdiaghSingles &U, const Single *x, int row, int end, Scalar *z)
{
  constexpr int W = BdiaghTuning::host_tile<1>;
  Single        sum[W];

  for (; row + W <= end; row += W, z += W) {
    bdiagh_single_symmetric_tile<W>(U, x, row, sum);
    for (int w = 0; w < W; w++) z[w] = sum[w];
  }
  for (; row < end; row++) *z++ = bdiagh_single_symmetric_row(U, x, row);
}

template <int B>
HEPTANE_HOST_CLONES void mult_transpose(const BdiaghDiagonals &A, const Scalar *x, const Scalar *y, Scalar *z)
{
  for (int col = 0; col < A.cols; col++) {
    const Scalar sum = bdiagh_column<B>(A, x, col);
    z[col]           = y ? y[col] + sum : sum;
  }
}

} // namespace kernels

void bdiagh_mult_host(const BdiaghDiagonals &A, const Scalar *x, const Scalar *y, Scalar *z)
{
  with_block(A.block, [&](auto B) { kernels::mult<B()>(A, x, y, 0, A.rows, -1, z); });
}

void bdiagh_mult_rows_host(const BdiaghDiagonals &A, const Scalar *x, int first, int last, int skip, Scalar *z)
{
  with_block(A.block, [&](auto B) { kernels::mult<B()>(A, x, nullptr, first, last, skip, z); });
}

void bdiagh_mult_symmetric_rows_host(const BdiaghDiagonals &U, const Scalar *x, int first, int last, Scalar *z)
{
  kernels::mult_symmetric(U, x, first, last, z);
}

void bdiagh_mult_rows_host(const BdiaghDiagonalsOf<Single> &A, const Single *x, int first, int last, Scalar *z)
{
  with_block_of(BdiaghTuning::SingleSizes(), A.block, [&](auto B) { kernels::mult_single<B()>(A, x, first, last, z); });
}

void bdiagh_mult_rows_host(const BdiaghDiagonalsOf<Single> &A, const Scalar *x, int first, int last, Scalar *z)
{
  with_block_of(BdiaghTuning::SingleSizes(), A.block, [&](auto B) { kernels::mult<B()>(A, x, nullptr, first, last, -1, z); });
}

void bdiagh_mult_symmetric_rows_host(const BdiaghDiagonalsOf<Single> &U, const Single *x, int first, int last, Scalar *z)
{
  kernels::mult_single_symmetric(U, x, first, last, z);
}

void bdiagh_mult_transpose_host(const BdiaghDiagonals &A, const Scalar *x, const Scalar *y, Scalar *z)
{
  with_block(A.block, [&](auto B) { kernels::mult_transpose<B()>(A, x, y, z); });
}

} // namespace heptane

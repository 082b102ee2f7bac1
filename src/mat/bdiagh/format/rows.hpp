/*
   The arithmetic of one row, of a tile of rows and of one column in the block-diagonal format, written once for host
   and device. No PETSc objects, no launch syntax.
*/
#pragma once

#include "../../../device/add_components.hpp"
#include "tuning.hpp"

namespace heptane
{

/* The block diagonals of a BdiaghLayout for the arithmetic, stored as T; passed to kernels by value */
template <class T>
struct BdiaghDiagonalsOf {
  int         rows, cols; /* scalar */
  int         block, ndiag;
  std::size_t ld;
  const T    *values; /* [ndiag * block * ld] */
  int         offset[BdiaghTuning::max_diagonals];
};
using BdiaghDiagonals = BdiaghDiagonalsOf<Scalar>;

/* Common interface of compile-time (B > 0) and run-time (B == 0) block sizes */
template <int B, class T>
HEPTANE_HD int block_of(const BdiaghDiagonalsOf<T> &A)
{
  return B > 0 ? B : A.block;
}

struct BdiaghNoTap {
  HEPTANE_HD void operator()(int, int, Scalar, Scalar) const {}
};

/*
   (A x)_row, summed diagonal by diagonal in ascending order, with one accumulator, and one EntryNumber for the entries
   loaded together: the same order on host and device. B: block size or 0; U: diagonals whose loads are issued together,
   with B = 0 components of a block; N: number of diagonals or 0. x: an array, or any object with x[column]. tap(r, s,
   value, x) is called with every value of the row. Block diagonal `skip` is left out.
*/
template <int B, int U, int N = 0, class T, class X, class Tap = BdiaghNoTap>
HEPTANE_HD Scalar bdiagh_row(const BdiaghDiagonalsOf<T> &A, const X &x, int row, const Tap &tap = Tap(), int skip = -1)
{
  const int ndiag = N > 0 ? N : A.ndiag;
  const int b     = block_of<B>(A);
  const int cell  = row / b;
  const int cells = A.cols / b;
  const T  *v     = A.values + row;
  Scalar    sum   = 0;
  using Number    = EntryNumber<T, X>;

  if constexpr (B == 0) {
    for (int r = 0; r < ndiag; r++) {
      const int c = cell + A.offset[r];
      if (r != skip && static_cast<unsigned>(c) < static_cast<unsigned>(cells))
        sum = add_components<U>(sum, v + static_cast<std::size_t>(r) * b * A.ld, A.ld, x, static_cast<std::size_t>(c) * b, b,
                                [&](int s, Scalar a, Scalar xs) { tap(r, s, a, xs); });
    }
  } else {
    const auto group = [&](int r) {
      if (U == 1 && r == skip) return;
      Number a[U * B], xs[U * B];
      HEPTANE_UNROLL
      for (int u = 0; u < U; u++) {
        const bool stored = U == 1 || (r + u < ndiag && r + u != skip);
        const int  c      = stored ? cell + A.offset[r + u] : -1;
        const bool inside = static_cast<unsigned>(c) < static_cast<unsigned>(cells);
        HEPTANE_UNROLL
        for (int s = 0; s < B; s++) {
          a[u * B + s]  = stored ? load_once(v + (static_cast<std::size_t>(r + u) * B + s) * A.ld) : Number(0);
          xs[u * B + s] = inside ? x[static_cast<std::size_t>(c) * B + s] : Number(0);
          tap(r + u, s, a[u * B + s], xs[u * B + s]);
        }
      }
      sum = add_products<U * B>(sum, a, xs);
    };
    if constexpr (N > 0) {
      HEPTANE_UNROLL
      for (int r = 0; r < N; r += U) group(r);
    } else {
      for (int r = 0; r < ndiag; r += U) group(r);
    }
  }
  return sum;
}

/* (A x)_row of a symmetric matrix without its main diagonal, block size 1. U holds the diagonals above it, offsets
   ascending; A(row, row - k) is A(row - k, row), which a previous row has read. The order, and so the bits, of
   bdiagh_row() with all diagonals. N: number of diagonals of U or 0. */
template <int N, class T, class X>
HEPTANE_HD Scalar bdiagh_symmetric_row(const BdiaghDiagonalsOf<T> &U, const X &x, int row)
{
  Scalar sum = 0;

  if constexpr (N > 0) {
    using Number = EntryNumber<T, X>;
    Number a[2 * N], xs[2 * N];
    HEPTANE_UNROLL
    for (int r = 0; r < N; r++) {
      const int      below = row - U.offset[r], above = row + U.offset[r];
      const T *const v       = U.values + r * U.ld;
      const bool     in_rows = below >= 0, in_columns = above < U.cols;
      a[N - 1 - r]  = in_rows ? load_shared(v + below) : Number(0);
      xs[N - 1 - r] = in_rows ? x[below] : Number(0);
      a[N + r]      = load_shared(v + row);
      xs[N + r]     = in_columns ? x[above] : Number(0);
    }
    sum = add_products<2 * N>(sum, a, xs);
  } else {
    for (int r = U.ndiag - 1; r >= 0; r--) {
      const int below = row - U.offset[r];
      if (below >= 0) sum += static_cast<Scalar>(load_shared(U.values + r * U.ld + below)) * x[below];
    }
    for (int r = 0; r < U.ndiag; r++) {
      const int above = row + U.offset[r];
      if (above < U.cols) sum += static_cast<Scalar>(load_shared(U.values + r * U.ld + row)) * x[above];
    }
  }
  return sum;
}

/* sum[w] = (A x)_(row0 + w) for W rows from a cell boundary, all inside the matrix: the host's form of bdiagh_row(),
   with the loop over rows innermost so that it runs down the value columns. B > 0 divides W. The order of each sum is
   that of bdiagh_row(), `skip` too. */
template <int B, int W, class T, class X>
inline void bdiagh_tile(const BdiaghDiagonalsOf<T> &A, const X &x, int row0, Scalar sum[W], int skip = -1)
{
  constexpr int C     = W / B;
  const int     cell  = row0 / B;
  const int     cells = A.cols / B;

  for (int w = 0; w < W; w++) sum[w] = 0;
  for (int r = 0; r < A.ndiag; r++) {
    if (r == skip) continue;
    const int c0 = cell + A.offset[r];
    const int lo = c0 < 0 ? (-c0 < C ? -c0 : C) : 0, hi = c0 + C > cells ? (cells > c0 ? cells - c0 : 0) : C; /* cells of the tile whose column is inside */
    const T  *v = A.values + static_cast<std::size_t>(r) * B * A.ld + row0;
    for (int c = lo; c < hi; c++) {
      const std::size_t xc = static_cast<std::size_t>(c0 + c) * B;
      Scalar            row_sum[B];
      for (int i = 0; i < B; i++) row_sum[i] = sum[c * B + i];
      for (int s = 0; s < B; s++)
        for (int i = 0; i < B; i++) row_sum[i] += static_cast<Scalar>(v[s * A.ld + c * B + i]) * x[xc + s];
      for (int i = 0; i < B; i++) sum[c * B + i] = row_sum[i];
    }
  }
}

/* sum[w] = bdiagh_symmetric_row() of row0 + w for W rows, all inside the matrix: the host's form, as bdiagh_tile() */
template <int W, class T>
inline void bdiagh_symmetric_tile(const BdiaghDiagonalsOf<T> &U, const T *x, int row0, Scalar sum[W])
{
  for (int w = 0; w < W; w++) sum[w] = 0;
  for (int r = U.ndiag - 1; r >= 0; r--) {
    const int k = U.offset[r], first = k > row0 ? (k - row0 < W ? k - row0 : W) : 0;
    const T  *v = U.values + r * U.ld;
    for (int w = first; w < W; w++) sum[w] += static_cast<Scalar>(v[row0 + w - k]) * x[row0 + w - k];
  }
  for (int r = 0; r < U.ndiag; r++) {
    const int k = U.offset[r], inside = U.cols - row0 - k, last = inside < W ? inside : W;
    const T  *v = U.values + r * U.ld + row0;
    for (int w = 0; w < last; w++) sum[w] += static_cast<Scalar>(v[w]) * x[row0 + w + k];
  }
}

/* (A^T x)_col, gathered: no two threads add to one place. Diagonals in ascending order, rows of a block in ascending
   order. */
template <int B>
HEPTANE_HD Scalar bdiagh_column(const BdiaghDiagonals &A, const Scalar *x, int col)
{
  const int b     = block_of<B>(A);
  const int cell  = col / b;
  const int s     = col - cell * b;
  const int cells = A.rows / b;
  Scalar    sum   = 0;

  for (int r = 0; r < A.ndiag; r++) {
    const int c = cell - A.offset[r];
    if (static_cast<unsigned>(c) < static_cast<unsigned>(cells)) {
      const Scalar *v = A.values + (static_cast<std::size_t>(r) * b + s) * A.ld + static_cast<std::size_t>(c) * b;
      const Scalar *p = x + static_cast<std::size_t>(c) * b;
      HEPTANE_UNROLL
      for (int i = 0; i < (B > 0 ? B : b); i++) sum += v[i] * p[i];
    }
  }
  return sum;
}

/* A(row, row), from block diagonal r that has offset 0 */
HEPTANE_HD Scalar bdiagh_diagonal(const BdiaghDiagonals &A, int r, int row)
{
  return A.values[(static_cast<std::size_t>(r) * A.block + row % A.block) * A.ld + row];
}

/* A(row, first column of row's cell + s), from block diagonal r that has offset 0 */
HEPTANE_HD Scalar bdiagh_diagonal_block(const BdiaghDiagonals &A, int r, int row, int s)
{
  return A.values[(static_cast<std::size_t>(r) * A.block + s) * A.ld + row];
}

/* The largest entry of row `row` of M^-1 D - I, D the diagonal block of the row's cell on block diagonal r; inverse,
   ld: as in FusedPc */
HEPTANE_HD Scalar bdiagh_inverse_error(const BdiaghDiagonals &A, int r, const Scalar *inverse, std::size_t ld, int row)
{
  const int i = row % A.block, first = row - i;
  Scalar    error = 0;

  for (int s = 0; s < A.block; s++) {
    Scalar e = s == i ? Scalar(-1) : Scalar(0);
    for (int k = 0; k < A.block; k++) e += inverse[k * ld + row] * bdiagh_diagonal_block(A, r, first + k, s);
    e = e < 0 ? -e : e;
    if (!(e <= error)) error = e;
    if (e != e) break;
  }
  return error;
}

/* d[s * ld + row] = A(row, row / b * b + s) for the entries of a row in its diagonal block of b rows, for any relation
   of b to the block size */
HEPTANE_HD void bdiagh_gather_row(const BdiaghDiagonals &A, int row, int b, std::size_t ld, Scalar *d)
{
  const int cell = row / A.block, first = row / b * b;

  for (int r = 0; r < A.ndiag; r++) {
    const int col = (cell + A.offset[r]) * A.block;

    if (col + A.block <= first || col >= first + b) continue;
    for (int s = 0; s < A.block; s++) {
      const int c = col + s - first;
      if (c >= 0 && c < b) d[c * ld + row] = A.values[(static_cast<std::size_t>(r) * A.block + s) * A.ld + row];
    }
  }
}

} // namespace heptane

/*
   The arithmetic of one row, of a tile of rows and of the transpose in the sliced ELLPACK format, written once for host and device.
   Knows no PETSc objects and no launch syntax.
*/
#pragma once

#include "../../device/scalar.hpp"
#include "sellp_tuning.hpp"

namespace heptane
{

/* The slices of a SellpLayout as the arithmetic sees them (the arrays are described there); passed to kernels by value */
struct SellpSlices {
  int                  rows, cols; /* scalar */
  int                  block, slice, threads, window;
  int                  cells, slices;
  const int           *slice_ptr, *col;
  const int           *length; /* null: rows run to the width of their slice */
  const std::uint16_t *place;  /* null: not sorted */
  const Scalar        *values;
};

/* What a block size known to the compiler (B > 0) or only at run time (B == 0) is */
template <int B>
HEPTANE_HD int block_of(const SellpSlices &A)
{
  return B > 0 ? B : A.block;
}

/* The cell at a place of the slices; place < cells */
HEPTANE_HD int sellp_cell(const SellpSlices &A, int place)
{
  return A.place ? place - place % A.window + load_once(A.place + place) : place;
}

/* Blocks that are read of the cell at a place */
HEPTANE_HD int sellp_width(const SellpSlices &A, int slice, int place)
{
  return A.length ? load_once(A.length + place) : A.slice_ptr[slice + 1] - A.slice_ptr[slice];
}

/* The block column of block k of the cell at lane l of a slice */
HEPTANE_HD int sellp_column(const SellpSlices &A, int slice, int k, int l)
{
  return load_once(A.col + (static_cast<std::size_t>(A.slice_ptr[slice]) + k) * A.slice + l);
}

/* Component 0 of block k of row r of a slice; component s lies s * slice * block further */
template <int B>
HEPTANE_HD const Scalar *sellp_values(const SellpSlices &A, int slice, int k, int r)
{
  const std::size_t b = block_of<B>(A);
  return A.values + (static_cast<std::size_t>(A.slice_ptr[slice]) + k) * b * b * A.slice + r;
}

/*
   What thread `thread` of the row's A.threads adds to (A x)_row: every A.threads-th block of row r of a slice, in ascending order, one
   accumulator. B: block size or 0.
*/
template <int B, class X>
HEPTANE_HD Scalar sellp_row(const SellpSlices &A, const X &x, int slice, int r, int thread)
{
  const int         b     = block_of<B>(A);
  const int         l     = r / b;
  const int         width = sellp_width(A, slice, slice * A.slice + l);
  const std::size_t next  = static_cast<std::size_t>(A.slice) * b;
  Scalar            sum   = 0;

  for (int k = thread; k < width; k += A.threads) {
    const std::size_t c = static_cast<std::size_t>(sellp_column(A, slice, k, l)) * b;
    const Scalar     *v = sellp_values<B>(A, slice, k, r);
    HEPTANE_UNROLL
    for (int s = 0; s < (B > 0 ? B : b); s++) sum += load_once(v + s * next) * x[c + s];
  }
  return sum;
}

/* The shares of a row's threads, added as a warp adds them: halves onto halves. part[threads] is overwritten. */
inline Scalar sellp_add_shares(Scalar part[], int threads)
{
  for (int d = threads / 2; d > 0; d /= 2)
    for (int t = 0; t < d; t++) part[t] += part[t + d];
  return part[0];
}

/*
   sum[(l - first) * B + i] for the rows of lanes first .. first + count - 1 of a slice: the host's form of sellp_row() with one thread a row
   and the slice's width, with the loop over lanes innermost so that it runs down the slice. The order of each sum is that of sellp_row().
*/
template <int B, class X>
inline void sellp_tile(const SellpSlices &A, const X &x, int slice, int first, int count, Scalar sum[])
{
  const int         width = A.slice_ptr[slice + 1] - A.slice_ptr[slice];
  const std::size_t next  = static_cast<std::size_t>(A.slice) * B;

  for (int w = 0; w < count * B; w++) sum[w] = 0;
  for (int k = 0; k < width; k++) {
    const int    *col = A.col + (static_cast<std::size_t>(A.slice_ptr[slice]) + k) * A.slice + first;
    const Scalar *v   = sellp_values<B>(A, slice, k, first * B);
    for (int l = 0; l < count; l++) {
      const std::size_t c = static_cast<std::size_t>(col[l]) * B;
      if constexpr (B == 1) {
        sum[l] += v[l] * x[c];
      } else {
        Scalar row_sum[B];
        for (int i = 0; i < B; i++) row_sum[i] = sum[l * B + i];
        for (int s = 0; s < B; s++)
          for (int i = 0; i < B; i++) row_sum[i] += v[s * next + l * B + i] * x[c + s];
        for (int i = 0; i < B; i++) sum[l * B + i] = row_sum[i];
      }
    }
  }
}

/* z[column] += value * x_row for the entries of row r of a slice */
template <int B>
inline void sellp_row_transpose_add(const SellpSlices &A, int slice, int r, Scalar x_row, Scalar *z)
{
  const int         b     = block_of<B>(A);
  const int         l     = r / b;
  const int         width = sellp_width(A, slice, slice * A.slice + l);
  const std::size_t next  = static_cast<std::size_t>(A.slice) * b;

  for (int k = 0; k < width; k++) {
    const std::size_t c = static_cast<std::size_t>(sellp_column(A, slice, k, l)) * b;
    const Scalar     *v = sellp_values<B>(A, slice, k, r);
    for (int s = 0; s < (B > 0 ? B : b); s++) z[c + s] += v[s * next] * x_row;
  }
}

/* A(row, first column of row's cell + s) for row r of a slice, whose cell is given; 0 where the pattern has no such entry */
HEPTANE_HD Scalar sellp_diagonal_block(const SellpSlices &A, int slice, int r, int cell, int s)
{
  const int l     = r / A.block;
  const int width = sellp_width(A, slice, slice * A.slice + l);

  for (int k = 0; k < width; k++) /* the first of equal columns is the entry, those behind it are padding */
    if (sellp_column(A, slice, k, l) == cell) return sellp_values<0>(A, slice, k, r)[static_cast<std::size_t>(s) * A.slice * A.block];
  return 0;
}

} // namespace heptane

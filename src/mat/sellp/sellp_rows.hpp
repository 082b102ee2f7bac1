/*
   The arithmetic of one row, of a tile of rows and of the transpose in the sliced ELLPACK format, written once for host and device.
   Knows no PETSc objects and no launch syntax.
*/
#pragma once

#include "sellp_slice.hpp"

namespace heptane
{

/* The slices of a SellpLayout as the arithmetic sees them (the arrays are described there); passed to kernels by value */
struct SellpSlices {
  int                  rows, cols; /* scalar */
  int                  block, slice, threads, window;
  int                  cells, slices;
  const SellpSlice    *head;
  const int           *index;
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

/* The head of a slice, in one load */
HEPTANE_HD SellpSlice sellp_head(const SellpSlices &A, int slice)
{
#if defined(__CUDA_ARCH__)
  const int4 q = __ldg(reinterpret_cast<const int4 *>(A.head) + slice);
  return {q.x, q.y, static_cast<std::int64_t>(static_cast<std::uint32_t>(q.z) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(q.w)) << 32)};
#else
  return A.head[slice];
#endif
}

/* Blocks that are read of the cell at a place */
HEPTANE_HD int sellp_width(const SellpSlices &A, const SellpSlice &S, int place)
{
  return A.length ? load_once(A.length + place) : S.width;
}

/* Component 0 of block 0 of row r of a slice; component s of block k lies (k * block + s) * slice * block further */
template <int B>
HEPTANE_HD const Scalar *sellp_values(const SellpSlices &A, const SellpSlice &S, int r)
{
  const std::size_t b = block_of<B>(A);
  return A.values + static_cast<std::size_t>(S.first) * b * b * A.slice + r;
}

/*
   The sum over the blocks `thread`, thread + A.threads, ... < width of a row, in ascending order, one accumulator. v: the row's component 0 of
   block 0; column(k): its block column, one that is outside the matrix where no row of the matrix has such an entry. U blocks are loaded together.
*/
template <int B, int U, class X, class Column>
HEPTANE_HD Scalar sellp_run(const SellpSlices &A, const X &x, const Scalar *v, int width, int thread, const Column &column)
{
  const int         b     = block_of<B>(A);
  const unsigned    cells = static_cast<unsigned>(A.cols / b);
  const std::size_t next  = static_cast<std::size_t>(A.slice) * b;
  Scalar            sum   = 0;

  if constexpr (B == 0) {
    for (int k = thread; k < width; k += A.threads) {
      const unsigned c = static_cast<unsigned>(column(k));
      if (c < cells)
        for (int s = 0; s < b; s++) sum += load_once(v + (static_cast<std::size_t>(k) * b + s) * next) * x[static_cast<std::size_t>(c) * b + s];
    }
  } else {
    for (int k = thread; k < width; k += U * A.threads) {
      Scalar a[U * B], xs[U * B];
      HEPTANE_UNROLL
      for (int u = 0; u < U; u++) {
        const int      q      = k + u * A.threads;
        const bool     stored = U == 1 || q < width;
        const unsigned c      = stored ? static_cast<unsigned>(column(q)) : ~0u;
        HEPTANE_UNROLL
        for (int s = 0; s < B; s++) {
          a[u * B + s]  = stored ? load_once(v + (static_cast<std::size_t>(q) * B + s) * next) : Scalar(0);
          xs[u * B + s] = c < cells ? x[static_cast<std::size_t>(c) * B + s] : Scalar(0);
        }
      }
      HEPTANE_UNROLL
      for (int j = 0; j < U * B; j++) sum += a[j] * xs[j];
    }
  }
  return sum;
}

/*
   What thread `thread` of the row's A.threads adds to (A x)_row, for row r of a slice whose head is S. UN, U16, U32: blocks loaded together in a
   slice of each kind of index.
*/
template <int B, int UN, int U16, int U32, class X>
HEPTANE_HD Scalar sellp_row(const SellpSlices &A, const X &x, const SellpSlice &S, int slice, int r, int thread)
{
  const int     l = r / block_of<B>(A), place = slice * A.slice + l, width = sellp_width(A, S, place);
  const int    *index = sellp_index(A.index, S);
  const Scalar *v     = sellp_values<B>(A, S, r);

  switch (sellp_kind(S)) {
  case SellpIndex::none: {
    const int cell = sellp_cell(A, place);
    return sellp_run<B, UN>(A, x, v, width, thread, [=](int k) { return sellp_column_none(index, cell, k); });
  }
  case SellpIndex::narrow:
    return sellp_run<B, U16>(A, x, v, width, thread, [=, &A, &S](int k) { return sellp_column_narrow(index, S.width, A.slice, k, l); });
  default:
    return sellp_run<B, U32>(A, x, v, width, thread, [=, &A](int k) { return sellp_column_wide(index, A.slice, k, l); });
  }
}

/*
   (A x) of row r of a slice of 64 rows without index, of cell `first`, and of row r + 32, of cell `second` (beyond the matrix: any): one thread, two rows that share the distances. Loads in three
   sweeps, so that they are all under way together. 32 is a multiple of B. The order of each sum is that of sellp_row().
*/
template <int B, int U, class X>
HEPTANE_HD void sellp_row_pair(const SellpSlices &A, const X &x, const SellpSlice &S, int r, int first, int second, Scalar &sum0, Scalar &sum1)
{
  const unsigned cells    = static_cast<unsigned>(A.cols / B);
  constexpr int  next     = 64;
  const int     *distance = sellp_index(A.index, S);
  const Scalar  *v        = A.values + static_cast<std::size_t>(S.first) * B * next + r;
  const int      width    = S.width;

  sum0 = sum1 = 0;
  for (int k = 0; k < width; k += U) {
    int    d[U];
    Scalar a[U * B], b[U * B], p[U * B], q[U * B];
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) d[u] = k + u < width ? load_shared(distance + k + u) : 0;
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) {
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) {
        const Scalar *w = v + (static_cast<std::size_t>(k + u) * B + s) * next;
        a[u * B + s]    = k + u < width ? load_once(w) : Scalar(0);
        b[u * B + s]    = k + u < width ? load_once(w + 32) : Scalar(0);
      }
    }
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) {
      const unsigned c = static_cast<unsigned>(first) + static_cast<unsigned>(d[u]), e = static_cast<unsigned>(second) + static_cast<unsigned>(d[u]);
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) {
        p[u * B + s] = k + u < width && c < cells ? x[static_cast<std::size_t>(c) * B + s] : Scalar(0);
        q[u * B + s] = k + u < width && e < cells ? x[static_cast<std::size_t>(e) * B + s] : Scalar(0);
      }
    }
    HEPTANE_UNROLL
    for (int j = 0; j < U * B; j++) {
      sum0 += a[j] * p[j];
      sum1 += b[j] * q[j];
    }
  }
}

/* The shares of a row's threads, added as a warp adds them: halves onto halves. part[threads] is overwritten. */
inline Scalar sellp_add_shares(Scalar part[], int threads)
{
  for (int d = threads / 2; d > 0; d /= 2)
    for (int t = 0; t < d; t++) part[t] += part[t + d];
  return part[0];
}

/*
   sum[(l - first) * B + i] for the rows of lanes first .. first + count - 1 <= SellpTuning::host_tile of a slice: the host's form of sellp_row() with
   one thread a row and the slice's width, with the loop over lanes innermost so that it runs down the slice. The order of each sum is that of sellp_row().
*/
template <int B, class X>
inline void sellp_tile(const SellpSlices &A, const X &x, int slice, int first, int count, Scalar sum[])
{
  const SellpSlice  S     = A.head[slice];
  const int        *index = sellp_index(A.index, S);
  const std::size_t next  = static_cast<std::size_t>(A.slice) * B;
  const int         cells = A.cols / B, place = slice * A.slice + first;
  const SellpIndex  kind = sellp_kind(S);
  int               column[SellpTuning::host_tile];

  for (int w = 0; w < count * B; w++) sum[w] = 0;
  for (int k = 0; k < S.width; k++) {
    const Scalar *v  = sellp_values<B>(A, S, first * B) + static_cast<std::size_t>(k) * B * next;
    int           lo = 0, hi = count;
    if (kind == SellpIndex::none && !A.place) { /* neighbours: a run of lanes has its columns inside */
      const std::int64_t c = static_cast<std::int64_t>(place) + index[k];
      lo                   = static_cast<int>(c < 0 ? (-c < count ? -c : count) : 0);
      hi                   = static_cast<int>(c + count > cells ? (cells > c ? cells - c : 0) : count);
    } else if (kind == SellpIndex::none) {
      for (int l = 0; l < count; l++) column[l] = sellp_column_none(index, sellp_cell(A, place + l), k);
    } else if (kind == SellpIndex::narrow) {
      for (int l = 0; l < count; l++) column[l] = sellp_column_narrow(index, S.width, A.slice, k, first + l);
    } else {
      for (int l = 0; l < count; l++) column[l] = sellp_column_wide(index, A.slice, k, first + l);
    }
    const auto add = [&](int l, std::size_t c) {
      if constexpr (B == 1) {
        sum[l] += v[l] * x[c];
      } else {
        Scalar row_sum[B];
        for (int i = 0; i < B; i++) row_sum[i] = sum[l * B + i];
        for (int s = 0; s < B; s++)
          for (int i = 0; i < B; i++) row_sum[i] += v[s * next + l * B + i] * x[c + s];
        for (int i = 0; i < B; i++) sum[l * B + i] = row_sum[i];
      }
    };
    if (kind == SellpIndex::none && !A.place) {
      const std::int64_t c = static_cast<std::int64_t>(place) + index[k];
      for (int l = lo; l < hi; l++) add(l, static_cast<std::size_t>(c + l) * B);
    } else {
      for (int l = lo; l < hi; l++)
        if (static_cast<unsigned>(column[l]) < static_cast<unsigned>(cells)) add(l, static_cast<std::size_t>(column[l]) * B);
    }
  }
}

/* z[column] += value * x_row for the entries of row r of a slice */
template <int B>
inline void sellp_row_transpose_add(const SellpSlices &A, int slice, int r, Scalar x_row, Scalar *z)
{
  const SellpSlice  S = A.head[slice];
  const int         b = block_of<B>(A), l = r / b, place = slice * A.slice + l, cell = sellp_cell(A, place);
  const int         width = sellp_width(A, S, place), cells = A.cols / b;
  const std::size_t next = static_cast<std::size_t>(A.slice) * b;
  const Scalar     *v    = sellp_values<B>(A, S, r);

  for (int k = 0; k < width; k++, v += next * b) {
    const int c = sellp_column(A.index, S, A.slice, k, l, cell);
    if (static_cast<unsigned>(c) >= static_cast<unsigned>(cells)) continue;
    for (int s = 0; s < (B > 0 ? B : b); s++) z[static_cast<std::size_t>(c) * b + s] += v[s * next] * x_row;
  }
}

/* The blocks of each block column, for the transpose: blocks ptr[c] .. ptr[c + 1] - 1 in ascending order of their cells; block k of lane l of slice S is block[] = (head[S].first + k) * slice + l of cell row[] */
struct SellpColumns {
  const std::int64_t *ptr;
  const std::int64_t *block;
  const int          *row;
};

/* (A^T x)_col without the rows put aside, gathered: no two threads add to one place. Cells in ascending order, rows of a block in ascending order. */
template <int B>
HEPTANE_HD Scalar sellp_transposed_row(const SellpSlices &A, const SellpColumns &T, const Scalar *x, int col)
{
  const int b = block_of<B>(A), c = col / b, s = col - c * b;
  Scalar    sum = 0;

  for (std::int64_t p = T.ptr[c]; p < T.ptr[c + 1]; p++) {
    const std::size_t q = static_cast<std::size_t>(load_once(T.block + p)), column = q / A.slice, l = q % A.slice;
    const Scalar     *v = A.values + ((column * b + s) * A.slice + l) * b;
    const Scalar     *f = x + static_cast<std::size_t>(load_once(T.row + p)) * b;
    HEPTANE_UNROLL
    for (int i = 0; i < (B > 0 ? B : b); i++) sum += v[i] * f[i];
  }
  return sum;
}

/* A(row, first column of row's cell + s) for row r of a slice, whose cell is given; 0 where the pattern has no such entry */
HEPTANE_HD Scalar sellp_diagonal_block(const SellpSlices &A, int slice, int r, int cell, int s)
{
  const SellpSlice  S     = A.head[slice];
  const int         l     = r / A.block;
  const int         width = sellp_width(A, S, slice * A.slice + l);
  const std::size_t next  = static_cast<std::size_t>(A.slice) * A.block;

  for (int k = 0; k < width; k++) /* the first of equal columns is the entry, those behind it are padding */
    if (sellp_column(A.index, S, A.slice, k, l, cell) == cell) return sellp_values<0>(A, S, r)[(static_cast<std::size_t>(k) * A.block + s) * next];
  return 0;
}

/* The same of row k of the list of rows put aside */
HEPTANE_HD Scalar sellp_aside_diagonal_block(const int *row, const int *ptr, const int *col, const Scalar *values, int block, int k, int s)
{
  const int column = row[k] / block * block + s;

  for (int p = ptr[k]; p < ptr[k + 1]; p++)
    if (col[p] == column) return values[p];
  return 0;
}

} // namespace heptane

/*
   The arithmetic of one row and of the transpose in the sliced ELLPACK format, written once for host and device. No
   PETSc objects, no launch syntax.
*/
#pragma once

#include "../../../device/add_components.hpp"
#include "../../../device/pack.hpp"
#include "slice.hpp"

namespace heptane
{

/* The slices of a SellpLayout for the arithmetic (SellpLayout describes the arrays), without values; passed to kernels
   by value */
struct SellpShape {
  int                  rows, cols; /* scalar */
  int                  block, slice, window;
  int                  cells, slices;
  const SellpSlice    *head;
  const int           *index;
  const std::uint16_t *place; /* null: not sorted */
  const std::uint16_t *dropped =
    nullptr; /* not null: of the cell at each place this block has no values, all slices store one column of blocks less than their heads and index data say */
};

/* The same with values, stored as T */
template <class T>
struct SellpSlicesOf : SellpShape {
  const T *values;
};
using SellpSlices = SellpSlicesOf<Scalar>;

/* Common interface of compile-time (B > 0) and run-time (B == 0) block sizes */
template <int B>
HEPTANE_HD int block_of(const SellpShape &A)
{
  return B > 0 ? B : A.block;
}

/* The cell at a place of the slices; place < cells */
HEPTANE_HD int sellp_cell(const SellpShape &A, int place)
{
  return A.place ? place - place % A.window + load_once(A.place + place) : place;
}

/* The head of a slice, in one load */
HEPTANE_HD SellpSlice sellp_head(const SellpShape &A, int slice)
{
#if defined(__CUDA_ARCH__)
  const int4 q = __ldg(reinterpret_cast<const int4 *>(A.head) + slice);
  return {q.x, q.y, static_cast<std::int64_t>(static_cast<std::uint32_t>(q.z) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(q.w)) << 32)};
#else
  return A.head[slice];
#endif
}

/* The head of a slice in a copy without the dropped blocks; in other copies the slice's own head applies */
HEPTANE_HD SellpSlice sellp_without_dropped(const SellpSlice &S, int slice)
{
  return {S.first - slice, S.width - 1, S.index};
}

/* Component 0 of block 0 of row r of a slice; component s of block k has the offset (k * block + s) * slice * block */
template <int B, class T>
HEPTANE_HD const T *sellp_values(const SellpSlicesOf<T> &A, const SellpSlice &S, int r)
{
  const std::size_t b = block_of<B>(A);
  return A.values + static_cast<std::size_t>(S.first) * b * b * A.slice + r;
}

/* Which block of a row to leave out: none */
struct SellpAll {
  HEPTANE_HD bool operator()(int) const { return false; }
};

/* The k-th */
struct SellpAllBut {
  int             k;
  HEPTANE_HD bool operator()(int q) const { return q == k; }
};

/* Values of a row, or of a Pack of rows; values stored in the other precision become Scalars when loaded */
template <class V, class T>
HEPTANE_HD V sellp_load(const T *v, std::size_t i)
{
  if constexpr (std::is_same_v<T, V>) return load_once(v + i);
  else if constexpr (std::is_same_v<T, Scalar>) return load_once<V>(v, i);
  else return static_cast<V>(load_once(v + i));
}

/* xs[s] = x[first + s] for the columns of a block, or 0. If rows are processed in packs x is an array with their
   alignment. */
template <int B, class V, class X, class Number>
HEPTANE_HD void sellp_gather(const X &x, std::size_t first, bool inside, Number xs[])
{
  HEPTANE_UNROLL
  for (int s = 0; s < B; s += lanes<V>) {
    if constexpr (lanes<V> == 1) xs[s] = inside ? x[first + s] : Number(0);
    else {
      const V some = inside ? load<V>(x, first + s) : V();
      HEPTANE_UNROLL
      for (int l = 0; l < lanes<V>; l++) xs[s + l] = some.v[l];
    }
  }
}

/* Adds the blocks k, k + 1, ... of a row, U of them, to its sum; blocks from `width` on do not exist unless WHOLE.
   Loads in three sweeps, columns, values, x, so that all are in flight together. Blocks named by skip() are not read.
   V: Scalar, or a Pack for as many adjacent rows of a cell, with the same sum for each row as by itself. */
template <int B, int U, bool WHOLE, class V, class X, class T, class Column, class Skip>
HEPTANE_HD void sellp_add(const SellpShape &A, const X &x, const T *v, int k, int width, const Column &column, const Skip &skip, V &sum)
{
  const unsigned    cells = static_cast<unsigned>(A.cols / B);
  const std::size_t next  = static_cast<std::size_t>(A.slice) * B;
  bool              stored[U];
  unsigned          c[U];
  using Number = std::conditional_t<lanes<V> == 1, EntryNumber<T, X>, Scalar>;
  using Value  = std::conditional_t<lanes<V> == 1, Number, V>;
  Value  a[U * B];
  Number xs[U * B];

  HEPTANE_UNROLL
  for (int u = 0; u < U; u++) {
    const int q = k + u;
    stored[u]   = (WHOLE || q < width) && !skip(q);
    c[u]        = stored[u] ? static_cast<unsigned>(column(q)) : ~0u;
  }
  HEPTANE_UNROLL
  for (int u = 0; u < U; u++) {
    HEPTANE_UNROLL
    for (int s = 0; s < B; s++) a[u * B + s] = stored[u] ? sellp_load<Value>(v, static_cast<std::size_t>((k + u) * B + s) * next) : Value();
  }
  HEPTANE_UNROLL
  for (int u = 0; u < U; u++) {
    const bool inside = Column::inside ? stored[u] : c[u] < cells;
    sellp_gather<B, V>(x, static_cast<std::size_t>(c[u]) * B, inside, xs + u * B);
  }
  if constexpr (lanes<V> == 1) sum = add_products<U * B>(sum, xs, a);
  else {
    HEPTANE_UNROLL
    for (int j = 0; j < U * B; j++) sum = sum + xs[j] * a[j];
  }
}

/* The sum over the blocks 0, ..., width - 1 of a row, in ascending order, one accumulator. v: the row's component 0 of
   block 0; column(k): its block column, outside the matrix if no row of the matrix has such an entry. U blocks are
   loaded together, with B = 0 components of a block; blocks named by skip(k) are left out. V: as sellp_add(). */
template <int B, int U, class V = Scalar, class X, class T, class Column, class Skip>
HEPTANE_HD V sellp_run(const SellpShape &A, const X &x, const T *v, int width, const Column &column, const Skip &skip)
{
  V   sum = V();
  int k   = 0;

  static_assert(B > 0 ? B % lanes<V> == 0 : lanes<V> == 1, "rows of one cell");
  if constexpr (B == 0) {
    const int         b     = A.block;
    const unsigned    cells = static_cast<unsigned>(A.cols / b);
    const std::size_t next  = static_cast<std::size_t>(A.slice) * b;

    for (; k < width; k++) {
      const unsigned c = static_cast<unsigned>(column(k));
      if (c < cells && !skip(k)) sum = add_components<U>(sum, v + static_cast<std::size_t>(k) * b * next, next, x, static_cast<std::size_t>(c) * b, b);
    }
  } else {
    for (; k + U - 1 < width; k += U) sellp_add<B, U, true, V>(A, x, v, k, width, column, skip, sum);
    if (U > 1 && k < width) sellp_add<B, U, false, V>(A, x, v, k, width, column, skip, sum);
  }
  return sum;
}

/* (A x)_row for row r of a slice whose head is S. UN, U16, U32: blocks loaded together in a slice of each kind of
   index. skip: the block that is left out. V: as sellp_add(); r is the first of its rows. */
template <int B, int UN, int U16, int U32, class V = Scalar, class T, class X, class Skip = SellpAll>
HEPTANE_HD V sellp_row(const SellpSlicesOf<T> &A, const X &x, const SellpSlice &S, int slice, int r, const Skip &skip = Skip())
{
  const int  l = r / block_of<B>(A), place = slice * A.slice + l, width = S.width;
  const int *index = sellp_index(A.index, S);
  const T   *v     = sellp_values<B>(A, S, r);

  switch (sellp_kind(S)) {
  case SellpIndex::none:
    return sellp_run<B, UN, V>(A, x, v, width, SellpColumnNone{index, sellp_cell(A, place)}, skip);
  case SellpIndex::narrow:
    return sellp_run<B, U16, V>(A, x, v, width, SellpColumnNarrow(index, S.width, A.slice, l), skip);
  default:
    return sellp_run<B, U32, V>(A, x, v, width, SellpColumnWide{index, A.slice, l}, skip);
  }
}

/* The block columns of a cell without that of block number `dropped` */
template <class Column>
struct SellpColumnBut {
  Column                column;
  int                   dropped;
  static constexpr bool inside = Column::inside;

  HEPTANE_HD int operator()(int k) const { return column(k + (k >= dropped)); }
};

/* (A x)_row if A.dropped is not null, for row r of a slice whose head is S; UN, UI: blocks loaded together in slices
   without and with index */
template <int B, int UN, int UI, class T, class X>
HEPTANE_HD Scalar sellp_row_without_dropped(const SellpSlicesOf<T> &A, const X &x, const SellpSlice &S, int slice, int r)
{
  const int  l = r / block_of<B>(A), place = slice * A.slice + l, width = S.width - 1, dropped = load_once(A.dropped + place);
  const int *index = sellp_index(A.index, S);
  const T   *v     = sellp_values<B>(A, sellp_without_dropped(S, slice), r);

  switch (sellp_kind(S)) {
  case SellpIndex::none:
    return sellp_run<B, UN>(A, x, v, width,
                            SellpColumnBut<SellpColumnNone>{
                              {index, sellp_cell(A, place)},
                              dropped
    },
                            SellpAll());
  case SellpIndex::narrow:
    return sellp_run<B, UI>(A, x, v, width, SellpColumnBut<SellpColumnNarrow>{SellpColumnNarrow(index, S.width, A.slice, l), dropped}, SellpAll());
  default:
    return sellp_run<B, UI>(A, x, v, width,
                            SellpColumnBut<SellpColumnWide>{
                              {index, A.slice, l},
                              dropped
    },
                            SellpAll());
  }
}

/* (A x) of row r of a slice of 64 single rows without index, global index `first`, and of row r + 32, global index
   `second` (beyond the matrix: any): one thread, two rows with the same distances. Loads in three sweeps, so that all
   are in flight together. The order of each sum is the order of sellp_row(). */
template <int U, class X>
HEPTANE_HD void sellp_row_pair(const SellpSlices &A, const X &x, const SellpSlice &S, int r, int first, int second, Scalar &sum0, Scalar &sum1)
{
  const unsigned cells    = static_cast<unsigned>(A.cols);
  constexpr int  next     = 64;
  const int     *distance = sellp_index(A.index, S);
  const Scalar  *v        = A.values + static_cast<std::size_t>(S.first) * next + r;
  const int      width    = S.width;

  sum0 = sum1 = 0;
  for (int k = 0; k < width; k += U) {
    int    d[U];
    Scalar a[U], b[U], p[U], q[U];
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) d[u] = k + u < width ? load_shared(distance + k + u) : 0;
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) {
      const Scalar *w = v + static_cast<std::size_t>(k + u) * next;
      a[u]            = k + u < width ? load_once(w) : Scalar(0);
      b[u]            = k + u < width ? load_once(w + 32) : Scalar(0);
    }
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) {
      const unsigned c = static_cast<unsigned>(first) + static_cast<unsigned>(d[u]), e = static_cast<unsigned>(second) + static_cast<unsigned>(d[u]);
      p[u] = k + u < width && c < cells ? x[c] : Scalar(0);
      q[u] = k + u < width && e < cells ? x[e] : Scalar(0);
    }
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) {
      sum0 += a[u] * p[u];
      sum1 += b[u] * q[u];
    }
  }
}

/* The blocks of each block column, for the transpose: blocks ptr[c] .. ptr[c + 1] - 1 in ascending order of their
   cells; block k of lane l of slice S is block[] = (head[S].first + k) * slice + l of cell row[] */
struct SellpColumns {
  const std::int64_t *ptr;
  const std::int64_t *block;
  const int          *row;
};

/* (A^T x)_col without the rows put aside, gathered: no two threads add to one place. Cells in ascending order, rows of
   a block in ascending order. */
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

/* A(row, row) for row r of a slice, whose cell is given; 0 if the pattern has no such entry */
HEPTANE_HD Scalar sellp_diagonal(const SellpSlices &A, int slice, int r, int cell)
{
  const SellpSlice  S    = A.head[slice];
  const int         l    = r / A.block;
  const std::size_t next = static_cast<std::size_t>(A.slice) * A.block;

  for (int k = 0; k < S.width; k++) /* the first of equal columns is the entry, the next ones are padding */
    if (sellp_column(A.index, S, A.slice, k, l, cell) == cell) return sellp_values<0>(A, S, r)[(static_cast<std::size_t>(k) * A.block + r % A.block) * next];
  return 0;
}

/* d[s * ld + row] = A(row, row / b * b + s) for the entries of row r of a slice in its diagonal block of b rows, for
   any relation of b to the block size */
HEPTANE_HD void sellp_gather_row(const SellpSlices &A, int slice, int r, int b, std::size_t ld, Scalar *d)
{
  const SellpSlice  S = A.head[slice];
  const int         l = r / A.block, place = slice * A.slice + l, cell = sellp_cell(A, place), row = cell * A.block + r % A.block, first = row / b * b;
  const std::size_t next = static_cast<std::size_t>(A.slice) * A.block;
  const Scalar     *v    = sellp_values<0>(A, S, r);

  for (int k = S.width - 1; k >= 0; k--) { /* the first of equal columns is the entry, the next ones are padding */
    const std::int64_t column = static_cast<std::int64_t>(sellp_column(A.index, S, A.slice, k, l, cell)) * A.block - first;

    if (column + A.block <= 0 || column >= b) continue;
    for (int s = 0; s < A.block; s++) {
      const std::int64_t c = column + s;
      if (c >= 0 && c < b) d[static_cast<std::size_t>(c) * ld + row] = v[(static_cast<std::size_t>(k) * A.block + s) * next];
    }
  }
}

/* The index of the diagonal block in the cell at each place, if all cells have one; this value or more: no block */
constexpr int sellp_diagonal_limit = 0xffff;

} // namespace heptane

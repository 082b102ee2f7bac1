/*
   The host's form of sellp_row(): adjacent rows of a slice together, so that the values are read in memory order. The
   order of each sum is the order of sellp_row(). No PETSc objects.
*/
#pragma once

#include "rows.hpp"
#include <algorithm>
#include <type_traits>
#include <utility>

namespace heptane
{

/* 16 bytes: supported by every processor with vector instructions; if the processor has no wider ones, gcc splits wider
   vectors through the stack. With 32 bytes products outside of the caches are not faster */
typedef Scalar HostVector __attribute__((vector_size(16)));
constexpr int  host_vector = 16 / sizeof(Scalar), host_line = 64 / sizeof(Scalar);

typedef Single HostSingles __attribute__((vector_size(host_vector * sizeof(Single))));

HEPTANE_HOST_INLINE void load_vector(const Scalar *p, HostVector &v)
{
  std::memcpy(&v, p, sizeof(v));
}

/* The same of numbers stored in the other precision */
HEPTANE_HOST_INLINE void load_vector(const Single *p, HostVector &v)
{
  HostSingles s;
  std::memcpy(&s, p, sizeof(s));
  v = __builtin_convertvector(s, HostVector);
}

HEPTANE_HOST_INLINE void store_vector(Scalar *p, const HostVector &v)
{
  std::memcpy(p, &v, sizeof(v));
}

template <class F, std::size_t... I>
HEPTANE_HOST_INLINE void gather_vector(const F &at, HostVector &v, std::index_sequence<I...>)
{
  v = HostVector{static_cast<Scalar>(at(static_cast<int>(I)))...};
}

/* The layout of a cell's sums in a tile: the rows of a block as vectors, of which the last two overlap if B is no
   multiple; rows in both get the same sum twice */
template <int B>
struct SellpSums {
  static constexpr int V       = B < host_vector ? 1 : host_vector;
  static constexpr int vectors = (B + V - 1) / V, size = vectors * V;
  static constexpr int first(int n) { return n < vectors - 1 ? n * V : B - V; }      /* row of vector n */
  static constexpr int at(int row) { return row < size - V ? row : row + size - B; } /* index of a row's sum */
};

/* Prefetches the N values SellpTuning::host_ahead<B> bytes after v: streams of slices break at each page, which
   hardware prefetching does not cross */
template <int B, int N, class T>
HEPTANE_HOST_INLINE void prefetch_values(const T *v)
{
  for (int i = 0; i < N; i += static_cast<int>(64 / sizeof(T)))
    __builtin_prefetch(reinterpret_cast<const void *>(reinterpret_cast<std::uintptr_t>(v + i) + SellpTuning::host_ahead<B>));
}

/* Adds a block's product with x[B] to the sums of its rows; component s of the block has the offset s * next */
template <int B, class T, class X>
HEPTANE_HOST_INLINE void sellp_add_block(const T *v, std::size_t next, const X *x, Scalar *sum)
{
  using Sums = SellpSums<B>;

  if constexpr (B < host_vector) {
    for (int s = 0; s < B; s++)
      for (int i = 0; i < B; i++) sum[i] += static_cast<Scalar>(v[s * next + i]) * static_cast<Scalar>(x[s]);
  } else {
    HostVector row_sum[Sums::vectors];
    for (int n = 0; n < Sums::vectors; n++) load_vector(sum + n * host_vector, row_sum[n]);
    for (int s = 0; s < B; s++) {
      for (int n = 0; n < Sums::vectors; n++) {
        HostVector a;
        load_vector(v + s * next + Sums::first(n), a);
        row_sum[n] += a * static_cast<Scalar>(x[s]);
      }
    }
    for (int n = 0; n < Sums::vectors; n++) store_vector(sum + n * host_vector, row_sum[n]);
  }
}

/* The offset of lane l's x, in blocks from a column's first: consecutive lanes; a list of 32 or 16 bits */
struct SellpLaneRun {
  HEPTANE_HOST_INLINE int operator()(int l) const { return l; }
};
struct SellpLaneWide {
  const int              *column;
  HEPTANE_HOST_INLINE int operator()(int l) const { return column[l]; }
};
struct SellpLaneNarrow {
  const unsigned char    *delta; /* aligned, but not for the language */
  HEPTANE_HOST_INLINE int operator()(int l) const
  {
    std::uint16_t d;
    std::memcpy(&d, delta + l * sizeof(d), sizeof(d));
    return d;
  }
};

/* Adds a column of blocks, one of each of `count` lanes whose block column is not negative */
template <int B, class T, class X>
HEPTANE_HOST_INLINE void sellp_add_listed(const T *v, std::size_t next, const X *x, const int column[], int count, Scalar *sum)
{
  for (int l = 0; l < count; l++) {
    prefetch_values<B, B * B>(v + l * B * B);
    if (column[l] >= 0) sellp_add_block<B>(v + l * B, next, x + static_cast<std::ptrdiff_t>(column[l]) * B, sum + l * SellpSums<B>::size);
  }
}

/* Adds a column of blocks, one of each of `count` lanes */
template <int B, class T, class X, class Lane>
HEPTANE_HOST_INLINE void sellp_add_column(const T *v, std::size_t next, const X *x, const Lane &lane, int count, Scalar *sum)
{
  for (int l = 0; l < count; l++) {
    prefetch_values<B, B * B>(v + l * B * B);
    sellp_add_block<B>(v + l * B, next, x + static_cast<std::ptrdiff_t>(lane(l)) * B, sum + l * SellpSums<B>::size);
  }
}

template <std::size_t... I>
HEPTANE_HOST_INLINE void store_vectors(Scalar *p, const HostVector v[],
                                       std::index_sequence<I...>) /* a loop would become a copy of all of them through memory */
{
  (store_vector(p + I * host_vector, v[I]), ...);
}

/* sum[] of L single rows, all columns of a slice: the sums stay in registers. column(k, l)(i): the element of x for
   block k of lane l + i */
template <int L, class T, class Column>
HEPTANE_HOST_INLINE void sellp_add_lanes(const T *v, std::size_t next, int width, const Column &column, int first, Scalar *sum)
{
  if constexpr (L < host_vector) {
    Scalar total = 0;
    for (int k = 0; k < width; k++) total += static_cast<Scalar>(v[k * next + first]) * static_cast<Scalar>(column(k, first)(0));
    sum[first] = total;
  } else {
    constexpr int vectors        = L / host_vector;
    HostVector    total[vectors] = {};
    v += first;
    for (int k = 0; k < width; k++, v += next) {
      const auto x_of = column(k, first);
      prefetch_values<1, L>(v);
      for (int n = 0; n < vectors; n++) {
        HostVector a, xs;
        gather_vector([&](int i) { return x_of(n * host_vector + i); }, xs, std::make_index_sequence<host_vector>());
        load_vector(v + n * host_vector, a);
        total[n] += a * xs;
      }
    }
    store_vectors(sum + first, total, std::make_index_sequence<vectors>());
  }
}

/* The same for `count` lanes */
template <class T, class Column>
HEPTANE_HOST_INLINE void sellp_add_all_lanes(const T *v, std::size_t next, int width, const Column &column, int count, Scalar *sum)
{
  int l = 0;

  for (; l + 16 <= count; l += 16) sellp_add_lanes<16>(v, next, width, column, l, sum);
  for (; l + 8 <= count; l += 8) sellp_add_lanes<8>(v, next, width, column, l, sum);
  for (; l < count; l++) sellp_add_lanes<1>(v, next, width, column, l, sum);
}

/*
   Column k of blocks of the lanes first .. first + count - 1 <= SellpTuning::host_tile of a slice, as far as inside the
   matrix, in runs: run(l, n, c, lane): the blocks of lanes first + l .. first + l + n - 1 are in block columns
   c + lane(0) .. c + lane(n - 1). cell: the lanes' cells if they were sorted; inside: no block of a slice without index
   is outside.
*/
template <class Run>
HEPTANE_HOST_INLINE void sellp_each_run(const SellpShape &A, const SellpSlice &S, int slice, int first, int count, const int cell[], int cells, bool inside,
                                        int k, const Run &run)
{
  const int *index = sellp_index(A.index, S);

  switch (sellp_kind(S)) {
  case SellpIndex::none:
    if (!A.place) { /* neighbours */
      const std::int64_t c  = static_cast<std::int64_t>(slice) * A.slice + first + index[k];
      const int          lo = static_cast<int>(std::min<std::int64_t>(std::max<std::int64_t>(-c, 0), count));
      const int          hi = static_cast<int>(std::max<std::int64_t>(std::min<std::int64_t>(cells - c, count), lo));
      run(lo, hi - lo, c + lo, SellpLaneRun());
    } else if (inside) {
      run(0, count, static_cast<std::int64_t>(index[k]), SellpLaneWide{cell});
    } else {
      for (int l = 0; l < count; l++) {
        const std::int64_t c = static_cast<std::int64_t>(index[k]) + cell[l];
        if (c >= 0 && c < cells) run(l, 1, c, SellpLaneRun());
      }
    }
    break;
  case SellpIndex::narrow: {
    const unsigned char *delta =
      reinterpret_cast<const unsigned char *>(index + S.width) + (static_cast<std::size_t>(k) * A.slice + first) * sizeof(std::uint16_t);
    run(0, count, static_cast<std::int64_t>(index[k]), SellpLaneNarrow{delta});
    break;
  }
  default:
    run(0, count, static_cast<std::int64_t>(0), SellpLaneWide{index + static_cast<std::size_t>(k) * A.slice + first});
  }
}

/* column[l]: the block column of lane first + l in such a column of blocks, -1 if it is outside the matrix */
HEPTANE_HOST_INLINE void sellp_list_columns(const SellpShape &A, const SellpSlice &S, int slice, int first, int count, const int cell[], int cells, bool inside,
                                            int k, int column[])
{
  if (!inside) std::fill(column, column + count, -1);
  sellp_each_run(A, S, slice, first, count, cell, cells, inside, k, [&](int l, int n, std::int64_t c, const auto &lane) HEPTANE_HOST_LAMBDA {
    for (int i = 0; i < n; i++) column[l + i] = static_cast<int>(c) + lane(i);
  });
}

/* Whether every block of the lanes of a slice without index is inside the matrix; with index all are */
HEPTANE_HOST_INLINE bool sellp_all_inside(const SellpShape &A, const SellpSlice &S, int place, int count, int cells)
{
  const int         *index = sellp_index(A.index, S);
  const std::int64_t low = A.place ? place - place % A.window : place, high = A.place ? std::min<std::int64_t>(low + A.window, A.cells) : place + count;

  return sellp_kind(S) != SellpIndex::none || (S.width && low + index[0] >= 0 && high + index[S.width - 1] <= cells);
}

/* The sums of the rows of lanes first .. first + count - 1 <= SellpTuning::host_tile of a slice, in the layout of
   SellpSums; cell: the lanes' cells if they were sorted. */
template <int B, class T, class X>
HEPTANE_HOST_INLINE void sellp_tile(const SellpSlicesOf<T> &A, const X *x, int slice, int first, int count, const int cell[], Scalar sum[])
{
  constexpr int              P      = SellpSums<B>::size;
  constexpr bool             listed = B >= SellpTuning::host_listed;
  const SellpSlice           S = A.head[slice], stored = A.dropped ? sellp_without_dropped(S, slice) : S;
  const int                 *index = sellp_index(A.index, S);
  const std::size_t          next  = static_cast<std::size_t>(A.slice) * B;
  const int                  cells = A.cols / B, place = slice * A.slice + first;
  const SellpIndex           kind    = sellp_kind(S);
  const T *const             values  = sellp_values<B>(A, stored, first * B);
  const std::uint16_t *const dropped = A.dropped ? A.dropped + place : nullptr;
  const auto                 block   = [&](int l, int k) { return dropped && k >= dropped[l] ? k + 1 : k; }; /* its index including dropped ones */
  const bool                 inside  = sellp_all_inside(A, S, place, count, cells);
  int                        column[SellpTuning::host_tile];

  if constexpr (B == 1) {
    if (inside && kind == SellpIndex::none && !A.place) {
      const auto column = [=](int k, int l) { return [from = x + (place + l + index[block(0, k)])](int i) { return from[i]; }; };
      sellp_add_all_lanes(values, next, stored.width, column, count, sum);
      return;
    }
    if (inside && kind == SellpIndex::none) {
      const auto column = [=](int k, int l) { return [lane = SellpLaneWide{cell + l}, from = x + index[block(0, k)]](int i) { return from[lane(i)]; }; };
      sellp_add_all_lanes(values, next, stored.width, column, count, sum);
      return;
    }
    if (kind == SellpIndex::narrow && !dropped) {
      const unsigned char *delta  = reinterpret_cast<const unsigned char *>(index + S.width);
      const auto           column = [=](int k, int l) {
        return [lane = SellpLaneNarrow{delta + (k * next + first + l) * sizeof(std::uint16_t)}, from = x + index[k]](int i) { return from[lane(i)]; };
      };
      sellp_add_all_lanes(values, next, stored.width, column, count, sum);
      return;
    }
    if (kind == SellpIndex::wide && !dropped) {
      const auto column = [=](int k, int l) { return [lane = SellpLaneWide{index + k * next + first + l}, x](int i) { return x[lane(i)]; }; };
      sellp_add_all_lanes(values, next, stored.width, column, count, sum);
      return;
    }
  }
  for (int w = 0; w < count * P; w++) sum[w] = 0;
  for (int k = 0; k < stored.width; k++) {
    const T *v = values + static_cast<std::size_t>(k) * B * next;
    if (dropped && kind != SellpIndex::none) {
      for (int l = 0; l < count; l++) column[l] = sellp_column(A.index, S, A.slice, block(l, k), first + l, 0);
      if constexpr (!listed) sellp_add_column<B>(v, next, x, SellpLaneWide{column}, count, sum);
    } else if constexpr (listed) sellp_list_columns(A, S, slice, first, count, cell, cells, inside, block(0, k), column);
    else { /* without index all lanes drop the same block */
      sellp_each_run(A, S, slice, first, count, cell, cells, inside, block(0, k), [&](int l, int n, std::int64_t c, const auto &lane) HEPTANE_HOST_LAMBDA {
        sellp_add_column<B>(v + l * B, next, x + c * B, lane, n, sum + l * P);
      });
    }
    if constexpr (listed) sellp_add_listed<B>(v, next, x, column, count, sum);
  }
}

} // namespace heptane

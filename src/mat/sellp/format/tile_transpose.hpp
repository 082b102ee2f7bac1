/*
   The transpose of tile.hpp's products: z += A^T x for the rows of a tile. No PETSc objects.
*/
#pragma once

#include "tile.hpp"

namespace heptane
{

/* Sum of B products */
template <int B>
HEPTANE_HOST_INLINE Scalar dot(const Scalar *v, const Scalar *x)
{
  constexpr int vectors = B / host_vector;
  HostVector    part    = {};
  Scalar        sum     = 0;

  for (int n = 0; n < vectors; n++) {
    HostVector a, f;
    load_vector(v + n * host_vector, a);
    load_vector(x + n * host_vector, f);
    part += a * f;
  }
  for (int i = vectors * host_vector; i < B; i++) sum += v[i] * x[i];
  for (int i = 0; vectors && i < host_vector; i++) sum += part[i];
  return sum;
}

/* Adds the transposed product of a column of blocks, one of each of `count` lanes, with x[count * B] to z. Blocks of a
   run of lanes are in different columns */
template <int B, class Lane>
HEPTANE_HOST_INLINE void sellp_transpose_column(const Scalar *v, std::size_t next, const Scalar *x, const Lane &lane, int count, Scalar *z)
{
  if constexpr (B == 1) {
    for (int l = 0; l < count; l += host_line) prefetch_values<B, 1>(v + l);
    if constexpr (std::is_same_v<Lane, SellpLaneRun>) {
      const Scalar *__restrict__ a = v, *__restrict__ f = x;
      Scalar *__restrict__ to = z;
      for (int l = 0; l < count; l++) to[l] += a[l] * f[l];
    } else {
      for (int l = 0; l < count; l++) z[lane(l)] += v[l] * x[l];
    }
  } else {
    for (int l = 0; l < count; l++, v += B, x += B) {
      Scalar *const block = z + static_cast<std::ptrdiff_t>(lane(l)) * B;
      prefetch_values<B, B * B>(v + l * (B * B - B));
      for (int s = 0; s < B; s++) block[s] += dot<B>(v + s * next, x);
    }
  }
}

/* The same for lanes whose block column is not negative */
template <int B>
HEPTANE_HOST_INLINE void sellp_transpose_listed(const Scalar *v, std::size_t next, const Scalar *x, const int column[], int count, Scalar *z)
{
  for (int l = 0; l < count; l++) {
    Scalar *const block = z + static_cast<std::ptrdiff_t>(column[l]) * B;
    prefetch_values<B, B * B>(v + l * B * B);
    if (column[l] >= 0)
      for (int s = 0; s < B; s++) block[s] += dot<B>(v + l * B + s * next, x + l * B);
  }
}

/* z[columns] += A^T x for the rows of lanes first .. first + count - 1 <= SellpTuning::host_tile of a slice, read to
   its width; cell: as in sellp_tile() */
template <int B>
HEPTANE_HOST_INLINE void sellp_tile_transpose_add(const SellpSlices &A, const Scalar *x, int slice, int first, int count, const int cell[], Scalar *z)
{
  const SellpSlice    S     = A.head[slice];
  const std::size_t   next  = static_cast<std::size_t>(A.slice) * B;
  const int           cells = A.cols / B, place = slice * A.slice + first;
  const bool          inside = sellp_all_inside(A, S, place, count, cells);
  const Scalar *const values = sellp_values<B>(A, S, first * B), *own = x + static_cast<std::size_t>(place) * B;
  Scalar              sorted[SellpTuning::host_tile * B];
  int                 column[SellpTuning::host_tile];

  if (A.place) {
    for (int l = 0; l < count; l++)
      for (int i = 0; i < B; i++) sorted[l * B + i] = x[static_cast<std::size_t>(cell[l]) * B + i];
    own = sorted;
  }
  for (int k = 0; k < S.width; k++) {
    const Scalar *v = values + static_cast<std::size_t>(k) * B * next;
    if constexpr (B >= SellpTuning::host_listed) {
      sellp_list_columns(A, S, slice, first, count, cell, cells, inside, k, column);
      sellp_transpose_listed<B>(v, next, own, column, count, z);
    } else {
      sellp_each_run(A, S, slice, first, count, cell, cells, inside, k, [&](int l, int n, std::int64_t c, const auto &lane) HEPTANE_HOST_LAMBDA {
        sellp_transpose_column<B>(v + l * B, next, own + l * B, lane, n, z + c * B);
      });
    }
  }
}

/* z[columns] += A_cell^T x[rows of the cell] for the cell at lane l of a slice, rows in ascending order: for run-time
   block sizes */
HEPTANE_HOST_INLINE void sellp_cell_transpose_add(const SellpSlices &A, int slice, int l, const Scalar *x, Scalar *z)
{
  const SellpSlice  S = A.head[slice];
  const int         b = A.block, cell = sellp_cell(A, slice * A.slice + l), cells = A.cols / b;
  const std::size_t next = static_cast<std::size_t>(A.slice) * b;
  const Scalar     *v    = sellp_values<0>(A, S, l * b);

  x += static_cast<std::size_t>(cell) * b;
  for (int k = 0; k < S.width; k++, v += next * b) {
    const int c = sellp_column(A.index, S, A.slice, k, l, cell);
    if (static_cast<unsigned>(c) >= static_cast<unsigned>(cells)) continue;
    Scalar *const block = z + static_cast<std::size_t>(c) * b;
    for (int s = 0; s < b; s++) {
      Scalar sum = block[s];
      for (int i = 0; i < b; i++) sum += v[s * next + i] * x[i];
      block[s] = sum;
    }
  }
}

} // namespace heptane

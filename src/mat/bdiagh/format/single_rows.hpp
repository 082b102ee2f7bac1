/*
   The row arithmetic of products with copies stored in single precision, computed in single precision: a row's rounding
   is as large as the vectors', and conversions would take longer than the memory traffic. Single rows, tiles of rows
   for the host, and four adjacent rows for the device, with the same order within a row. For host and device.
*/
#pragma once

#include "../../../pass/product/gather.hpp"
#include "rows.hpp"
#include "single_tuning.hpp"

namespace heptane
{

using BdiaghSingles = BdiaghDiagonalsOf<Single>;
using SingleQuad    = SinglePack<BdiaghSingleTuning::together>;

/* Whether the diagonals next to the main one have the indices that quads assume; before: negative if there is none */
inline bool bdiagh_next_to_main(const BdiaghSingles &D, int before, int after)
{
  return (before < 0 || D.offset[before] == -1) && D.offset[after] == 1;
}

/* Whether other offsets are no multiples of four: see bdiagh_quad() */
inline bool bdiagh_are_shifted(const BdiaghSingles &D)
{
  for (int r = 0; r < D.ndiag; r++)
    if ((D.offset[r] > 1 || D.offset[r] < -1) && D.offset[r] % 4) return true;
  return false;
}

/* Four values of a column; once: no other row reads them */
template <bool ONCE>
HEPTANE_HD SingleQuad bdiagh_load_quad(const Single *p)
{
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Single, float>) {
    const float4 a = ONCE ? __ldcs(reinterpret_cast<const float4 *>(p)) : __ldg(reinterpret_cast<const float4 *>(p));
    return {
      {a.x, a.y, a.z, a.w}
    };
  }
#endif
  return load_stored<Pack<BdiaghSingleTuning::together>>(p, 0);
}

/* Part (A x)_row of a copy without its unit diagonal, or with it */
template <int B, class X>
HEPTANE_HD Single bdiagh_single_row(const BdiaghSingles &A, const X &x, int row)
{
  const int b = block_of<B>(A), cell = row / b, cells = A.cols / b;
  Single    sum = 0;

  for (int r = 0; r < A.ndiag; r++) {
    const int c = cell + A.offset[r];
    if (static_cast<unsigned>(c) >= static_cast<unsigned>(cells)) continue;
    HEPTANE_UNROLL
    for (int s = 0; s < (B > 0 ? B : b); s++) sum += A.values[(static_cast<std::size_t>(r) * b + s) * A.ld + row] * x[static_cast<std::size_t>(c) * b + s];
  }
  return sum;
}

/* The same of a symmetric matrix, of which U holds the diagonals above the main one, block size 1 */
template <class X>
HEPTANE_HD Single bdiagh_single_symmetric_row(const BdiaghSingles &U, const X &x, int row)
{
  Single sum = 0;

  for (int r = U.ndiag - 1; r >= 0; r--) {
    const int below = row - U.offset[r];
    if (below >= 0) sum += U.values[r * U.ld + below] * x[below];
  }
  for (int r = 0; r < U.ndiag; r++) {
    const int above = row + U.offset[r];
    if (above < U.cols) sum += U.values[r * U.ld + row] * x[above];
  }
  return sum;
}

/* pack(first) .. first + 3, zero outside [0, end). Elements from end to the next multiple of four are read, and are
   zero. SHIFTED: first need not be a multiple of four; two packs are combined, since scalar loads would touch every
   line four times. */
template <bool SHIFTED, class Load>
HEPTANE_HD SingleQuad bdiagh_quad(const Load &pack, int first, int end)
{
  const auto inside = [&](int at) { return static_cast<unsigned>(at) < static_cast<unsigned>(end); };
  SingleQuad low = {}, high = {};

  if constexpr (!SHIFTED) {
    if (inside(first)) low = pack(first);
    return low;
  } else {
    const int shift = first & 3, base = first - shift;
    if (inside(base)) low = pack(base);
    if (shift && inside(base + 4)) high = pack(base + 4);
    const bool   one = shift & 1, two = shift & 2;
    const Single t[6] = {one ? low.v[1] : low.v[0],  one ? low.v[2] : low.v[1],   one ? low.v[3] : low.v[2],
                         one ? high.v[0] : low.v[3], one ? high.v[1] : high.v[0], one ? high.v[2] : high.v[1]};
    return {
      {two ? t[2] : t[0], two ? t[3] : t[1], two ? t[4] : t[2], two ? t[5] : t[3]}
    };
  }
}

/* Four elements shifted by one, with the element before or after them: for the diagonals next to the main one */
HEPTANE_HD SingleQuad bdiagh_before(Single first, const SingleQuad &center)
{
  return {
    {first, center.v[0], center.v[1], center.v[2]}
  };
}
HEPTANE_HD SingleQuad bdiagh_after(const SingleQuad &center, Single last)
{
  return {
    {center.v[1], center.v[2], center.v[3], last}
  };
}

/* sum[j] = bdiagh_single_symmetric_row() of row + j; all four rows exist, row is a multiple of four, U.offset[0] is 1;
   center: x of these rows. SHIFTED: other offsets need not be multiples of four. */
template <int N, bool SHIFTED, class X>
HEPTANE_HD void bdiagh_symmetric_quad(const BdiaghSingles &U, const X &x, int row, const SingleQuad &center, SingleQuad &sum)
{
  SingleQuad a[2 * N], xs[2 * N];

  HEPTANE_UNROLL
  for (int r = 0; r < N; r++) {
    const Single *const v       = U.values + r * U.ld;
    const auto          of_v    = [&](int at) { return bdiagh_load_quad<false>(v + at); };
    const auto          of_x    = [&](int at) { return x.template pack<4>(static_cast<std::size_t>(at)); };
    const int           k       = U.offset[r];
    SingleQuad         &a_below = a[N - 1 - r], &x_below = xs[N - 1 - r], &x_above = xs[N + r];

    a[N + r] = of_v(row);
    if (r == 0) {
      a_below = bdiagh_before(row > 0 ? load_shared(v + row - 1) : Single(0), a[N]);
      x_below = bdiagh_before(row > 0 ? x[row - 1] : Single(0), center);
      x_above = bdiagh_after(center, row + 4 < U.cols ? x[row + 4] : Single(0));
    } else {
      a_below = bdiagh_quad<SHIFTED>(of_v, row - k, U.cols);
      x_below = bdiagh_quad<SHIFTED>(of_x, row - k, U.cols);
      x_above = bdiagh_quad<SHIFTED>(of_x, row + k, U.cols);
    }
  }
  HEPTANE_UNROLL
  for (int k = 0; k < 2 * N; k++) {
    HEPTANE_UNROLL
    for (int j = 0; j < 4; j++) sum.v[j] += a[k].v[j] * xs[k].v[j];
  }
}

/* sum[j] = bdiagh_single_row<1>() of row + j, likewise; the offsets next to the middle are -1 and 1. N is 6, or 7 with
   the main diagonal */
template <int N, bool SHIFTED, class X>
HEPTANE_HD void bdiagh_plain_quad(const BdiaghSingles &A, const X &x, int row, const SingleQuad &center, SingleQuad &sum)
{
  constexpr int before = N / 2 - 1, after = (N + 1) / 2;
  SingleQuad    a[N], xs[N];

  HEPTANE_UNROLL
  for (int r = 0; r < N; r++) {
    a[r] = bdiagh_load_quad<true>(A.values + r * A.ld + row);
    if (r == before) xs[r] = bdiagh_before(row > 0 ? x[row - 1] : Single(0), center);
    else if (r == after) xs[r] = bdiagh_after(center, row + 4 < A.cols ? x[row + 4] : Single(0));
    else if (r > before && r < after) xs[r] = center;
    else xs[r] = bdiagh_quad<SHIFTED>([&](int at) { return x.template pack<4>(static_cast<std::size_t>(at)); }, row + A.offset[r], A.cols);
  }
  HEPTANE_UNROLL
  for (int r = 0; r < N; r++) {
    HEPTANE_UNROLL
    for (int j = 0; j < 4; j++) sum.v[j] += a[r].v[j] * xs[r].v[j];
  }
}

/* x of a cell, 0 of one outside */
template <int B, class X>
HEPTANE_HD void bdiagh_load_cell(const X &x, int cell, bool inside, Single (&u)[B])
{
  constexpr int W = B % 4 == 0 ? 4 : B % 2 == 0 ? 2 : 1;

  HEPTANE_UNROLL
  for (int s = 0; s < B; s += W) {
    SinglePack<W> part = {};
    if constexpr (W == 1) {
      if (inside) part.v[0] = x[static_cast<std::size_t>(cell) * B + s];
    } else if (inside) part = x.template pack<W>(static_cast<std::size_t>(cell) * B + s);
    HEPTANE_UNROLL
    for (int k = 0; k < W; k++) u[s + k] = part.v[k];
  }
}

/* sum[j] = bdiagh_single_row<B>() of row + j, likewise, for B = 2, 3 or a multiple of four: the four rows are in one or
   two cells. N: diagonals, or 0 for any number */
template <int B, int N, class X>
HEPTANE_HD void bdiagh_cells_quad(const BdiaghSingles &A, const X &x, int row, SingleQuad &sum)
{
  static_assert(B == 2 || B == 3 || B % 4 == 0, "in two cells");
  constexpr bool two_cells = B < 4;
  const int      ndiag = N > 0 ? N : A.ndiag, cells = A.cols / B, cell = row / B, left = B - (row - cell * B); /* left: rows in the first cell */
  const Single  *v      = A.values + row;
  const auto     inside = [&](int c) { return static_cast<unsigned>(c) < static_cast<unsigned>(cells); };

  HEPTANE_UNROLL
  for (int r = 0; r < ndiag; r++) {
    const int  c = cell + A.offset[r];
    Single     first[B], second[B];
    SingleQuad a[B];

    HEPTANE_UNROLL
    for (int s = 0; s < B; s++) a[s] = bdiagh_load_quad<true>(v + (static_cast<std::size_t>(r) * B + s) * A.ld);
    bdiagh_load_cell<B>(x, c, inside(c), first);
    if constexpr (two_cells) bdiagh_load_cell<B>(x, c + 1, inside(c + 1), second);
    HEPTANE_UNROLL
    for (int s = 0; s < B; s++) {
      HEPTANE_UNROLL
      for (int j = 0; j < 4; j++) sum.v[j] += a[s].v[j] * (two_cells && j >= left ? second[s] : first[s]);
    }
  }
}

/* sum[w] = bdiagh_single_row<B>() of row0 + w for W rows from a cell boundary, all inside the matrix: the host's form,
   as bdiagh_tile() */
template <int B, int W>
inline void bdiagh_single_tile(const BdiaghSingles &A, const Single *x, int row0, Single sum[W])
{
  constexpr int C    = W / B;
  const int     cell = row0 / B, cells = A.cols / B;

  for (int w = 0; w < W; w++) sum[w] = 0;
  for (int r = 0; r < A.ndiag; r++) {
    const int     c0 = cell + A.offset[r];
    const int     lo = c0 < 0 ? (-c0 < C ? -c0 : C) : 0, hi = c0 + C > cells ? (cells > c0 ? cells - c0 : 0) : C;
    const Single *v = A.values + static_cast<std::size_t>(r) * B * A.ld + row0;
    for (int c = lo; c < hi; c++) {
      const Single *xc = x + static_cast<std::size_t>(c0 + c) * B;
      Single        row_sum[B];
      for (int i = 0; i < B; i++) row_sum[i] = sum[c * B + i];
      for (int s = 0; s < B; s++)
        for (int i = 0; i < B; i++) row_sum[i] += v[s * A.ld + c * B + i] * xc[s];
      for (int i = 0; i < B; i++) sum[c * B + i] = row_sum[i];
    }
  }
}

/* sum[w] = bdiagh_single_symmetric_row() of row0 + w, likewise */
template <int W>
inline void bdiagh_single_symmetric_tile(const BdiaghSingles &U, const Single *x, int row0, Single sum[W])
{
  for (int w = 0; w < W; w++) sum[w] = 0;
  for (int r = U.ndiag - 1; r >= 0; r--) {
    const int     k = U.offset[r], first = k > row0 ? (k - row0 < W ? k - row0 : W) : 0;
    const Single *v = U.values + r * U.ld;
    for (int w = first; w < W; w++) sum[w] += v[row0 + w - k] * x[row0 + w - k];
  }
  for (int r = 0; r < U.ndiag; r++) {
    const int     k = U.offset[r], inside = U.cols - row0 - k, last = inside < W ? inside : W;
    const Single *v = U.values + r * U.ld + row0;
    for (int w = 0; w < last; w++) sum[w] += v[w] * x[row0 + w + k];
  }
}

} // namespace heptane

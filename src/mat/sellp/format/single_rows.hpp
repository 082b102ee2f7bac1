/*
   Two rows of a copy in single precision by one thread, written once for host and device: a row alone has half the bytes under way that one in double precision has. Knows no PETSc objects and no
   launch syntax.
*/
#pragma once

#include "rows.hpp"

namespace heptane
{

/*
   7-point, 4.1M rows, one H100, us per iteration with two rows a thread and with one: CG 135.5, 142.4; BiCGStab 211.4, 205.9 (with the scaled copy in double precision 197.5 and 316.1).
   Whether slices are of 64 single rows in their order, of which threads take rows r and r + 32: where such a slice has no index, its rows share the distances and the number of the block that is dropped
*/
inline bool sellp_single_pairs(const SellpShape &A, SellpMix mix)
{
  return A.dropped && A.block == 1 && A.slice == SellpTuning::pair_slice && !A.place && (mix == SellpMix::none || mix == SellpMix::short_none) &&
         A.rows >= SellpTuning::pair_rows;
}

/*
   (A x) of rows r and r + 32 of a slice of 64 single rows without index, head S, without entry number `dropped` of each; rows beyond the matrix: any numbers. U entries of both are loaded together, in
   three sweeps. The order of each sum is that of sellp_row_without_dropped().
*/
template <int U, class X>
HEPTANE_HD void sellp_single_pair(const SellpSlicesOf<Single> &A, const X &x, const SellpSlice &S, int slice, int r, int dropped, Scalar &sum0, Scalar &sum1)
{
  constexpr int    next = SellpTuning::pair_slice, half = next / 2;
  const SellpSlice stored   = sellp_without_dropped(S, slice);
  const int       *distance = sellp_index(A.index, S);
  const Single    *v        = A.values + static_cast<std::size_t>(stored.first) * next + r;
  const unsigned   cells = static_cast<unsigned>(A.cols), first = static_cast<unsigned>(slice * next + r);

  sum0 = sum1 = 0;
  for (int k = 0; k < stored.width; k += U) {
    unsigned d[U];
    using Number = EntryNumber<Single, X>;
    Number a[U], b[U], p[U], q[U];
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) d[u] = k + u < stored.width ? first + static_cast<unsigned>(load_shared(distance + k + u + (k + u >= dropped))) : ~0u - half;
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) {
      const Single *w = v + static_cast<std::size_t>(k + u) * next;
      a[u]            = k + u < stored.width ? load_once(w) : Number(0);
      b[u]            = k + u < stored.width ? load_once(w + half) : Number(0);
    }
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) {
      p[u] = d[u] < cells ? x[d[u]] : Number(0);
      q[u] = d[u] + half < cells ? x[d[u] + half] : Number(0);
    }
    sum0 = add_products<U>(sum0, p, a);
    sum1 = add_products<U>(sum1, q, b);
  }
}

} // namespace heptane

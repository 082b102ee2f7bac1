/*
   Two rows of a copy in single precision per thread, written once for host and device: with one row, half as many bytes
   are in flight as in double precision. No PETSc objects, no launch syntax.
*/
#pragma once

#include "rows.hpp"

namespace heptane
{

/* Whether slices are of 64 single rows in their order: a thread sums rows r and r + 32, which share the distances and
   the index of the dropped block if the slice has no index. 5 % less time with CG, 3 % more with BiCGStab than one row
   per thread (H100, 7-point) */
inline bool sellp_single_pairs(const SellpShape &A, SellpMix mix)
{
  return A.dropped && A.block == 1 && A.slice == SellpTuning::pair_slice && !A.place && (mix == SellpMix::none || mix == SellpMix::short_none) &&
         A.rows >= SellpTuning::pair_rows;
}

/* (A x) of rows r and r + 32 of a slice of 64 single rows without index, head S, without entry number `dropped` of
   each; rows beyond the matrix: any numbers. U entries of both are loaded together, in three sweeps. The order of each
   sum is the order of sellp_row_without_dropped(). */
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

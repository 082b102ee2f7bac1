/*
   Sums over the components of a block whose size is known only at run time. For host and device; has no PETSc objects.
*/
#pragma once

#include "entry_sum.hpp"

namespace heptane
{

struct NoComponentTap {
  HEPTANE_HD void operator()(int, Scalar, Scalar) const {}
};

/* U components, or the first `inside` of them if not ALL */
template <int U, bool ALL, class T, class X, class Tap>
HEPTANE_HD Scalar add_group(Scalar sum, const T *v, std::size_t next, const X &x, std::size_t first, int s, int inside, const Tap &tap)
{
  using Number = EntryNumber<T, X>;
  Number a[U], xs[U];

  HEPTANE_UNROLL
  for (int u = 0; u < U; u++) {
    a[u]  = ALL || u < inside ? load_once(v + (s + u) * next) : Number(0);
    xs[u] = ALL || u < inside ? x[first + s + u] : Number(0);
    tap(s + u, a[u], xs[u]);
  }
  return add_products<U>(sum, a, xs);
}

/*
   sum + v[0] x[first] + v[next] x[first + 1] + ... of b components, in ascending order, with the loads of U in flight
   at once. Calls tap(s, value, x) for each.
*/
template <int U, class T, class X, class Tap = NoComponentTap>
HEPTANE_HD Scalar add_components(Scalar sum, const T *v, std::size_t next, const X &x, std::size_t first, int b, const Tap &tap = Tap())
{
  int s = 0;

  for (; s + U <= b; s += U) sum = add_group<U, true>(sum, v, next, x, first, s, U, tap);
  if (s < b) sum = add_group<U, false>(sum, v, next, x, first, s, b - s, tap);
  return sum;
}

} // namespace heptane

/*
   Sums over the components of a block whose size is known at run time only. For host and device; knows no PETSc objects.
*/
#pragma once

#include "scalar.hpp"

namespace heptane
{

struct NoComponentTap {
  HEPTANE_HD void operator()(int, Scalar, Scalar) const {}
};

/* sum + v[0] x[first] + v[next] x[first + 1] + ... of b components, in ascending order, the loads of U under way together. tap(s, value, x) sees each. */
template <int U, class X, class Tap = NoComponentTap>
HEPTANE_HD Scalar add_components(Scalar sum, const Scalar *v, std::size_t next, const X &x, std::size_t first, int b, const Tap &tap = Tap())
{
  for (int s = 0; s < b; s += U) {
    Scalar a[U], xs[U];
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) {
      const bool inside = U == 1 || s + u < b;
      a[u]              = inside ? load_once(v + (s + u) * next) : Scalar(0);
      xs[u]             = inside ? x[first + s + u] : Scalar(0);
      tap(s + u, a[u], xs[u]);
    }
    HEPTANE_UNROLL
    for (int u = 0; u < U; u++) sum += a[u] * xs[u];
  }
  return sum;
}

} // namespace heptane

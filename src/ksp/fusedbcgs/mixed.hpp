/*
   The passes of BiCGStab between single and double precision: see ksp/fused/mixed/mixed.cxx. r is the preconditioned
   residual. For host and device.
*/
#pragma once

#include "steps.hpp"

namespace heptane
{

/*
   The vectors of the recurrences; y is the correction of x, s is used on the host. The shadow residual r0 appears only
   in scalar products and may be any vector that is not orthogonal to r: it is r in 16 bits.
*/
struct BcgsSingles {
  Single            *r = nullptr, *p = nullptr, *v = nullptr, *t = nullptr, *s = nullptr, *y = nullptr;
  OperandOf<Single> *r0 = nullptr;
};

/*
   r rounded to single precision, which replaces the recurred r. The direction p contains r and changes by the same
   difference; r0 is kept. At a restart r0 and p become r; at the start of the solve also y = 0.
   Sums: (r, r), (r, r0). Bytes: 26 per row; 18 at a restart, 22 at the start of the solve.
*/
struct BcgsRound : StepDefaults {
  static constexpr int sums = 2;
  enum How : int { starts, keeps, restarts };
  const Scalar *r;
  BcgsSingles   to;
  How           how;

  BcgsRound(const Scalar *r_, const BcgsSingles &s, How how_) : r(r_), to(s), how(how_) {}
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V ri = load<V>(r, i);

    if (how == keeps) {
      store(to.p, i, load<V>(to.p, i) + (ri - load<V>(to.r, i)));
    } else {
      store(to.p, i, ri);
      store(to.r0, i, ri);
      if (how == starts) store(to.y, i, V{});
    }
    store(to.r, i, ri);
    acc[0] = acc[0] + ri * ri;
    acc[1] = acc[1] + ri * load<V>(to.r0, i); /* the stored, rounded value */
  }
};

} // namespace heptane

/*
   CG with one reduction per iteration in passes, for sums that are added apart from the passes (ProcessSums::Apart()).
   For host and device.
*/
#pragma once

#include "../../pass/step_cost.hpp"
#include "one_sum.hpp"
#include "steps.hpp"

namespace heptane
{

/*
   Completes the iteration before, and computes b and a of this one. If the recurrence of (p, A p) is not accurate
   enough, the next direction is z
*/
HEPTANE_HD void cg_before_one_sum(CgScalars &S, const Scalar sums[])
{
  const Scalar of[cg_one_sums] = {sums[cg_one_zr], sums[cg_one_nn], sums[cg_one_zw], 0}; /* z is M^-1 r: no drift */
  Scalar       dpi;

  if (!S.settled) cg_after_residual(S, sums[cg_zr], sums[cg_nn]);
  S.settled = 0;
  S.input   = 0;
  if (S.stop != FusedStop::no) return;
  if (!cg_curvature(S, of, &dpi)) {
    S.b = 0;
    dpi = of[cg_one_zw];
  }
  cg_after_product(S, dpi);
  x_is_complete(S); /* by this pass */
}

/*
   p = z + b p, s = w + b s, x += a p, r -= a s, z = M^-1 r; (z, r) and (r, r) or (z, z), which are added over the
   processes together with (z, w) of the product that follows. s = A p. Bytes: 72 per row, 96 with Jacobi.
*/
struct CgOneSumStep : StepDefaults {
  using Scalars                  = CgScalars;
  static constexpr bool  changes = true;
  static constexpr bool  joins   = true;
  static constexpr int   taken   = cg_one_zw + 1;
  static constexpr int   sums    = 2;
  static constexpr int   reads   = 6;
  FusedPc                pc;
  const Scalar          *w;
  Scalar                *x, *r, *z, *p, *s; /* z: r without preconditioner */
  bool                   norm_of_r;
  Scalar                 a = 0, b = 0;
  HEPTANE_HD static void advance(CgScalars &S, const Scalar of_passes[]) { cg_before_one_sum(S, of_passes); }
  HEPTANE_HD void        begin(const CgScalars &S)
  {
    a = S.a;
    b = S.b;
  }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    V pi = load<V>(z, i), si = load<V>(w, i);

    if (b != Scalar(0)) { /* the first p does not exist yet */
      pi = pi + b * load<V>(p, i);
      si = si + b * load<V>(s, i);
    }
    store(p, i, pi);
    store(s, i, si);
    store(x, i, load<V>(x, i) + a * pi);
    const V ri = load<V>(r, i) - a * si;

    store(r, i, ri);
    cg_precondition(pc, ri, i, z, norm_of_r, acc);
  }
};

inline StepCost CostOf(const CgOneSumStep &step, const CgScalars &)
{
  const bool point = step.pc.form == FusedPc::point;

  return {std::string("update: p = z + b p, s = w + b s, x += a p, r -= a s, z = ") + (point ? "D r" : "r") + ", sums (z, r) " +
            (step.norm_of_r ? "(r, r)" : "(z, z)"),
          point ? 12. : 9., point ? 13. : 12.};
}

} // namespace heptane

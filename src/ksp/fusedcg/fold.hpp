/*
   The passes of CG for the matrix S A S, S = M^-1/2: the vectors are x / S, S r and p / S instead of x, r, p, and their
   scalar products equal the ones of CG. For host and device.
*/
#pragma once

#include "../../pass/fold.hpp"
#include "steps.hpp"

namespace heptane
{

/*
   Converts the vectors to that form, or back; x is complete. p is not converted if it does not exist yet or is no
   longer needed. Bytes: 56 per row in, 40 out, once a solve.
*/
struct CgFold : StepDefaults {
  const Scalar *inverse;
  Scalar       *x, *r, *p; /* p: or null */
  bool          has_p, back;

  CgFold(const Scalar *inverse_, Scalar *x_, Scalar *r_, Scalar *p_, bool is_there, bool back_)
    : inverse(inverse_), x(x_), r(r_), p(p_), has_p(p && is_there), back(back_)
  {}
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    V s = load<V>(inverse, i), t;

    HEPTANE_UNROLL
    for (int k = 0; k < lanes<V>; k++) {
      s.v[k] = half_of(s.v[k]);
      t.v[k] = Scalar(1) / s.v[k];
    }
    store(x, i, (back ? s : t) * load<V>(x, i));
    store(r, i, (back ? t : s) * load<V>(r, i));
    if (has_p) store(p, i, t * load<V>(p, i));
  }
};

/*
   r -= a w; (r, r), which is (z, r) of CG; if `inverse` = S^2 is not null, the squared norm of CG's z = S r, or of its
   r = r / S. Single: `inverse` is the weight of r. Bytes: 24 per row, 32 with a norm.
*/
template <class T>
struct CgFoldedResidual : CgAfterProduct {
  static constexpr int sums = 2, width = pass_width<T>;
  const T             *inverse, *w;
  T                   *r;
  bool                 norm_of_r;
  Scalar               a = 0;

  CgFoldedResidual(const T *inverse_, const T *w_, T *r_, bool of_r) : inverse(inverse_), w(w_), r(r_), norm_of_r(of_r) {}
  HEPTANE_HD void begin(const CgScalars &S) { a = S.a; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const auto ri   = add_scaled(load_stored<V>(r, i), -a, load_stored<V>(w, i));
    const V    of_r = widened(ri), rr = of_r * of_r;

    store(r, i, ri);
    acc[0] = acc[0] + rr;
    if (inverse) {
      V d = load<V>(inverse, i);
      if (std::is_same_v<T, Scalar> && norm_of_r) {
        HEPTANE_UNROLL
        for (int k = 0; k < lanes<V>; k++) d.v[k] = Scalar(1) / d.v[k];
      }
      acc[1] = acc[1] + d * rr;
    } else if constexpr (!std::is_same_v<T, Scalar>) acc[1] = acc[1] + rr; /* without a preconditioner */
  }
};

} // namespace heptane

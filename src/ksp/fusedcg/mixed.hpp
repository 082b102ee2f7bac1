/*
   The passes of CG between single and double precision: see ksp/fused/mixed/mixed.cxx. S is M^-1/2, or I without a
   preconditioner. For host and device.
*/
#pragma once

#include "../../pass/fold.hpp"
#include "../../pass/add_correction.hpp"
#include "steps.hpp"

namespace heptane
{

/*
   The vectors of the recurrences with S A S: S r; its product; the correction of x / S; the weight of (S r)^2 in the
   norm, S^2 or its inverse
*/
struct CgSingles {
  Single                *r = nullptr, *w = nullptr, *y = nullptr, *weight = nullptr;
  CgDirectionsOf<Single> p;
};

/*
   kept = x, unless kept is null; x += S (y + pending steps), y = 0. No effect after a breakdown. Bytes: 32 per row, 4
   for each p, 8 for kept.
*/
struct CgAddCorrection : StepDefaults {
  using Scalars             = CgScalars;
  static constexpr int most = CgDirections::most;

  const Scalar          *inverse; /* S^2, or null */
  CgDirectionsOf<Single> all;
  Single                *y;
  Scalar                *x, *kept;
  Scalar                 step[most] = {};
  bool                   valid      = true;

  HEPTANE_HD CgAddCorrection(const Scalar *inverse_, const CgSingles &s, Scalar *x_, Scalar *kept_) : inverse(inverse_), all(s.p), y(s.y), x(x_), kept(kept_) {}
  HEPTANE_HD void begin(const CgScalars &S)
  {
    valid = correction_is_valid(S);
    for (int j = 0; j < most; j++) step[j] = S.pending[j];
  }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    if (!valid) return;
    V add = load<V>(y, i);

    HEPTANE_UNROLL
    for (int j = 0; j < most; j++)
      if (step[j] != Scalar(0)) add = add + step[j] * load<V>(all.p[j], i);
    if (inverse) {
      V s = load<V>(inverse, i);
      HEPTANE_UNROLL
      for (int k = 0; k < lanes<V>; k++) s.v[k] = half_of(s.v[k]);
      add = s * add;
    }
    add_correction(add, i, x, kept);
    store(y, i, V{});
  }
};

/*
   S r of r; at the start of a solve also the weight and y = 0. Sums: the square of S r, which is (z, r), and the
   squared norm of z = S^2 r, or of r. Bytes: 20 per row, 8 more at the start.
*/
struct CgRound : StepDefaults {
  static constexpr int sums = 2;

  const Scalar *inverse; /* S^2, or null */
  const Scalar *r;
  CgSingles     to;
  bool          norm_of_r, begins;

  HEPTANE_HD CgRound(const Scalar *inverse_, const Scalar *r_, const CgSingles &s, bool of_r, bool begins_)
    : inverse(inverse_), r(r_), to(s), norm_of_r(of_r), begins(begins_)
  {}
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V ri     = load<V>(r, i);
    V       scaled = ri, z = ri;

    if (inverse) {
      const V d = load<V>(inverse, i);
      HEPTANE_UNROLL
      for (int k = 0; k < lanes<V>; k++) scaled.v[k] = half_of(d.v[k]) * ri.v[k];
      z = d * ri;
      if (begins) {
        V weight = d;
        HEPTANE_UNROLL
        for (int k = 0; norm_of_r && k < lanes<V>; k++) weight.v[k] = Scalar(1) / d.v[k];
        store(to.weight, i, weight);
      }
    }
    if (begins) store(to.y, i, V{});
    store(to.r, i, scaled);
    acc[0] = acc[0] + scaled * scaled;
    acc[1] = acc[1] + (norm_of_r ? ri * ri : z * z);
  }
};

} // namespace heptane

/*
   The passes of Chebyshev iteration in mixed precision: see ksp/fused/mixed/mixed.cxx. Instead of two iterates the
   recurrences have the last difference d of iterates, the preconditioned residual z and the sum y of the differences:
     z -= M^-1 A d,  y += d,  d = (omega - 1) d + omega scale z
   For host and device.
*/
#pragma once

#include "../../pass/add_correction.hpp"
#include "../../pass/stored_pack.hpp"
#include "steps.hpp"

namespace heptane
{

/* The vectors of the recurrences; w = M^-1 A d, y is the correction of x, weight the factor of z in a norm of r */
struct ChebyshevSingles {
  Single *z = nullptr, *d = nullptr, *w = nullptr, *y = nullptr, *weight = nullptr;
};

/*
   z -= w; the squared norm of z, or of weight z if weight is not null; y += d, so that z is the residual of x + y; the
   next difference. Bytes: 28 per row, 32 with a weight.
*/
struct ChebyshevSingleStep : StepDefaults {
  using Scalars                 = ChebyshevScalars;
  static constexpr bool changes = true;
  static constexpr int  width = pass_width<Single>, taken = chebyshev_nn + 1, sums = 1, reads = 4;
  const Single         *w, *weight;
  Single               *z, *d, *y;
  Scalar                of_z = 0, of_d = 0;

  explicit ChebyshevSingleStep(const ChebyshevSingles &s, bool norm_of_r) : w(s.w), weight(norm_of_r ? s.weight : nullptr), z(s.z), d(s.d), y(s.y) {}
  HEPTANE_HD static void advance(ChebyshevScalars &S, const Scalar sums[]) { chebyshev_before_step(S, sums[chebyshev_nn]); }
  HEPTANE_HD void        begin(const ChebyshevScalars &S)
  {
    of_z = S.omega * S.scale;
    of_d = S.omega - Scalar(1);
  }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    using Stored    = SinglePack<lanes<V>>;
    const Stored wi = load_stored<V>(w, i), di = load_stored<V>(d, i);
    Stored       zi = load_stored<V>(z, i), yi = load_stored<V>(y, i);

    HEPTANE_UNROLL
    for (int k = 0; k < lanes<V>; k++) {
      zi.v[k] -= wi.v[k];
      yi.v[k] += di.v[k];
    }
    V norm = widened(zi);
    if (weight) norm = load<V>(weight, i) * norm;
    acc[0] = acc[0] + norm * norm;
    store(z, i, zi);
    store(y, i, yi);
    store(d, i, add_scaled(add_scaled(Stored{}, of_z, zi), of_d, di));
  }
};

/*
   z rounded to single precision, which replaces the recurred z. The difference d contains z and changes accordingly; at
   a restart it is the difference of a first iterate; at the start of the solve also y = 0 and the weights are set.
   inverse: of the diagonal M if the norm is the norm of r = M z, else null.
   Sums: the squared norm, (z, z). Bytes: 24 per row, 16 at a restart, 20 at the start of the solve, with `inverse` 8
   more, and 4 for the weights.
*/
struct ChebyshevRound : StepDefaults {
  static constexpr int sums = 2;
  enum How : int { starts, keeps, restarts };
  const Scalar    *z, *inverse;
  ChebyshevSingles to;
  Scalar           step; /* of the last difference: omega scale */
  How              how;

  ChebyshevRound(const Scalar *z_, const Scalar *inverse_, const ChebyshevSingles &s, Scalar step_, How how_)
    : z(z_), inverse(inverse_), to(s), step(step_), how(how_)
  {}
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V zi   = load<V>(z, i);
    V       norm = zi;

    if (inverse) {
      V weight = load<V>(inverse, i);
      norm     = zi / weight;
      HEPTANE_UNROLL
      for (int k = 0; k < lanes<V>; k++) weight.v[k] = Scalar(1) / weight.v[k];
      if (how == starts) store(to.weight, i, weight);
    }
    if (how == keeps) store(to.d, i, load<V>(to.d, i) + step * (zi - load<V>(to.z, i)));
    else store(to.d, i, step * zi);
    if (how == starts) store(to.y, i, V{});
    store(to.z, i, zi);
    acc[0] = acc[0] + norm * norm;
    acc[1] = acc[1] + zi * zi;
  }
};

/*
   The first iterate in double precision from x with the preconditioned residual z, and the squared norm of z, or of
   r = z / inverse. Bytes: 24 per row, 32 with `inverse`.
*/
struct ChebyshevFirst : StepDefaults {
  static constexpr int sums = 1;
  const Scalar        *x, *z, *inverse;
  Scalar              *p;
  Scalar               scale;

  ChebyshevFirst(const Scalar *x_, const Scalar *z_, const Scalar *inverse_, Scalar *p_, Scalar s) : x(x_), z(z_), inverse(inverse_), p(p_), scale(s) {}
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V zi   = load<V>(z, i);
    V       norm = zi;

    if (inverse) norm = zi / load<V>(inverse, i);
    store(p, i, load<V>(x, i) + scale * zi);
    acc[0] = acc[0] + norm * norm;
  }
};

} // namespace heptane

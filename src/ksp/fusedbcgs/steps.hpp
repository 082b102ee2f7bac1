/*
   BiCGStab as passes over the vectors, which are stored as T. For host and device.
*/
#pragma once

#include "../../pass/steps.hpp"
#include "scalars.hpp"

namespace heptane
{

/* r0 = r; p = r; (r, r). Bytes: 24 per row, once a solve. */
struct BcgsStart : StepDefaults {
  static constexpr int sums = 1;
  const Scalar        *r;
  Scalar              *r0, *p;

  BcgsStart(const Scalar *r_, Scalar *r0_, Scalar *p_) : r(r_), r0(r0_), p(p_) {}
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V ri = load<V>(r, i);

    store(r0, i, ri);
    store(p, i, ri);
    acc[0] = acc[0] + ri * ri;
  }
};

/* s = r - alpha v, if the product is a call that needs s as a vector. Bytes: 24 per row. */
template <class T>
struct BcgsHalf : StepDefaults {
  using Scalars                 = BcgsScalars;
  static constexpr bool changes = true;
  static constexpr int  taken = bcgs_vr0 + 1, width = pass_width<T>;
  const T              *r, *v;
  T                    *s;
  Scalar                alpha = 0;

  BcgsHalf(const T *r_, const T *v_, T *s_) : r(r_), v(v_), s(s_) {}
  HEPTANE_HD static void advance(BcgsScalars &S, const Scalar sums[]) { bcgs_before_half(S, sums); }
  HEPTANE_HD void        begin(const BcgsScalars &S) { alpha = S.alpha; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    store(s, i, load<V>(r, i) - alpha * load<V>(v, i));
  }
};

/*
   With right preconditioning, if x is updated by the exact operands of the matrix: x += alpha u, u = M^-1 p;
   s = r - alpha v, stored over u. Bytes: 48 per row.
*/
struct BcgsHalfRight : StepDefaults {
  using Scalars                 = BcgsScalars;
  static constexpr bool changes = true;
  static constexpr int  taken   = bcgs_vr0 + 1;
  const Scalar         *r, *v;
  Scalar               *u, *x;
  Scalar                alpha = 0;

  BcgsHalfRight(const Scalar *r_, const Scalar *v_, Scalar *u_, Scalar *x_) : r(r_), v(v_), u(u_), x(x_) {}
  HEPTANE_HD static void advance(BcgsScalars &S, const Scalar sums[]) { bcgs_before_half(S, sums); }
  HEPTANE_HD void        begin(const BcgsScalars &S) { alpha = S.alpha; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    store(x, i, load<V>(x, i) + alpha * load<V>(u, i));
    store(u, i, load<V>(r, i) - alpha * load<V>(v, i));
  }
};

/*
   Computes the scalars like the first pass of the next iteration, from the sums of the last one: whether there is a
   next iteration. Never run as a pass.
*/
struct BcgsAgain : StepDefaults {
  using Scalars                = BcgsScalars;
  static constexpr int   taken = bcgs_rr + 1;
  HEPTANE_HD static void advance(BcgsScalars &S, const Scalar sums[])
  {
    if (!S.settled) bcgs_after_update(S, sums[bcgs_rr]);
  }
};

/*
   s = r - alpha v, recomputed instead of loaded; x += alpha p + omega s; r = s - omega t; p = r + beta (p - omega v)
   for the next iteration, whose beta is already known; (r, r). Bytes: 64 per row.
*/
template <class T>
struct BcgsUpdate : StepDefaults {
  using Scalars                 = BcgsScalars;
  static constexpr bool changes = true;
  static constexpr int  taken   = bcgs_second + 4;
  static constexpr int  sums = 1, width = pass_width<T>;
  static constexpr int  blocks_per_sm = 2; /* 16.8M rows: 258 us with 2, 267 with 3, 4 and 8 */
  static constexpr int  reads         = 5;
  const T              *v, *t, *s; /* s: the half step if it is a vector, else null */
  T                    *r, *p, *x;
  bool                  half; /* a pass computed the half step and has used alpha */
  Scalar                alpha = 0, omega = 0, beta = 0;

  BcgsUpdate(const T *v_, const T *t_, const T *s_, T *r_, T *p_, T *x_, bool half_) : v(v_), t(t_), s(s_), r(r_), p(p_), x(x_), half(half_) {}
  HEPTANE_HD void advance(BcgsScalars &S, const Scalar sums[]) const
  {
    if (!half) bcgs_before_half(S, sums);
    if (S.stop == FusedStop::no) bcgs_after_second(S, sums + bcgs_second);
  }
  HEPTANE_HD void begin(const BcgsScalars &S)
  {
    alpha = S.alpha;
    omega = S.omega;
    beta  = S.beta;
  }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V vi = load<V>(v, i), pi = load<V>(p, i);
    const V si = s ? load<V>(s, i) : load<V>(r, i) - alpha * vi;
    const V ri = si - omega * load<V>(t, i);

    store(x, i, load<V>(x, i) + (alpha * pi + omega * si));
    store(r, i, ri);
    store(p, i, ri + beta * (pi - omega * vi));
    acc[0] = acc[0] + ri * ri;
  }
};

/*
   The rest of such an iteration: x += omega u, u = M^-1 s; s = r - alpha v, recomputed; r, p and (r, r) as above.
   Bytes: 72 per row.
*/
struct BcgsUpdateRight : StepDefaults {
  using Scalars                 = BcgsScalars;
  static constexpr bool changes = true;
  static constexpr int  taken   = bcgs_second + 4;
  static constexpr int  sums    = 1;
  const Scalar         *v, *t, *u;
  Scalar               *r, *p, *x;
  Scalar                alpha = 0, omega = 0, beta = 0;

  BcgsUpdateRight(const Scalar *v_, const Scalar *t_, const Scalar *u_, Scalar *r_, Scalar *p_, Scalar *x_) : v(v_), t(t_), u(u_), r(r_), p(p_), x(x_) {}
  HEPTANE_HD static void advance(BcgsScalars &S, const Scalar sums[])
  {
    if (S.stop == FusedStop::no) bcgs_after_second(S, sums + bcgs_second);
  }
  HEPTANE_HD void begin(const BcgsScalars &S)
  {
    alpha = S.alpha;
    omega = S.omega;
    beta  = S.beta;
  }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V vi = load<V>(v, i);
    const V ri = load<V>(r, i) - alpha * vi - omega * load<V>(t, i);

    store(x, i, load<V>(x, i) + omega * load<V>(u, i));
    store(r, i, ri);
    store(p, i, ri + beta * (load<V>(p, i) - omega * vi));
    acc[0] = acc[0] + ri * ri;
  }
};

} // namespace heptane

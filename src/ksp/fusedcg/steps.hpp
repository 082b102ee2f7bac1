/*
   CG as passes over the vectors, which are stored as T. For host and device.
*/
#pragma once

#include "../../pass/steps.hpp"
#include "../../pass/stored_pack.hpp"
#include "scalars.hpp"

namespace heptane
{

/* The vectors of p: one, or cg_directions in turn */
template <class T>
struct CgDirectionsOf {
  static constexpr int most    = PassTuning::cg_directions;
  T                   *p[most] = {};
};
using CgDirections = CgDirectionsOf<Scalar>;

/*
   p = z + b p, stored in the vector of the oldest p. If that is the first vector, also x += (steps of previous
   iterations) p, which saves one read of p per iteration. The steps are added one by one, so that x is bitwise
   independent of the number of vectors. Bytes: 24 per row, every 1 + others iterations 8 (2 + others) more.
*/
template <class T>
struct CgDirection : StepDefaults {
  using Scalars                       = CgScalars;
  static constexpr int  width         = pass_width<T>;
  static constexpr bool changes       = true;
  static constexpr int  taken         = cg_nn + 1;
  static constexpr int  blocks_per_sm = 3; /* 16.8M rows: 171 us with 2, 162 with 3, 165 with 4, 169 with 8 */
  static constexpr int  reads         = 3;
  static constexpr int  most          = CgDirections::most;

  const T          *z;
  CgDirectionsOf<T> all;
  T                *x, *now = nullptr;
  const T          *old    = nullptr;
  int               before = 0; /* old is vector number `before` */
  bool              add    = false;
  Scalar            b = 0, step[most] = {};

  CgDirection(const T *z_, const CgDirectionsOf<T> &p, T *x_) : z(z_), all(p), x(x_) {}
  HEPTANE_HD static void advance(CgScalars &S, const Scalar sums[]) { cg_before_direction(S, sums); }
  HEPTANE_HD void        begin(const CgScalars &S)
  {
    const int k = S.input;

    b      = S.b;
    before = k == 0 ? S.others : k - 1;
    now    = pick(all.p, k);
    old    = pick(all.p, before);
    add    = k == 0 && x_is_incomplete(S);
    for (int j = 0; j < most; j++) step[j] = S.pending[j];
  }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    auto pn = load_stored<V>(z, i);

    if (b != Scalar(0) || add) { /* the first p does not exist yet */
      const auto po = load_stored<V>(old, i);
      if (add) {
        V xi = load<V>(x, i);
        HEPTANE_UNROLL
        for (int j = 0; j < most; j++)
          if (step[j] != Scalar(0)) xi = xi + step[j] * (j == before ? widened(po) : load<V>(all.p[j], i));
        store(x, i, xi);
      }
      if (b != Scalar(0)) pn = add_scaled(pn, b, po);
    }
    store(now, i, pn);
  }
};

/* x += pending p, at the end of the iteration or when x is requested: 16 bytes per row and 8 for each p */
struct CgComplete : StepDefaults {
  using Scalars             = CgScalars;
  static constexpr int most = CgDirections::most;
  CgDirections         all;
  Scalar              *x;
  Scalar               step[most] = {};

  CgComplete(const CgDirections &p, Scalar *x_) : all(p), x(x_) {}
  HEPTANE_HD void begin(const CgScalars &S)
  {
    for (int j = 0; j < most; j++) step[j] = S.pending[j];
  }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    V xi = load<V>(x, i);
    HEPTANE_UNROLL
    for (int j = 0; j < most; j++)
      if (step[j] != Scalar(0)) xi = xi + step[j] * load<V>(all.p[j], i);
    store(x, i, xi);
  }
};

/* A pass after the product, whose sum determines the step a */
struct CgAfterProduct : StepDefaults {
  using Scalars                  = CgScalars;
  static constexpr bool  changes = true;
  static constexpr int   taken   = cg_pw + 1;
  HEPTANE_HD static void advance(CgScalars &S, const Scalar sums[]) { cg_after_product(S, sums[cg_pw]); }
};

/* r -= a w, if the preconditioner is called after it: 24 bytes per row */
struct CgUpdate : CgAfterProduct {
  const Scalar *w;
  Scalar       *r;
  Scalar        a = 0;

  CgUpdate(const Scalar *w_, Scalar *r_) : w(w_), r(r_) {}
  HEPTANE_HD void begin(const CgScalars &S) { a = S.a; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    store(r, i, load<V>(r, i) - a * load<V>(w, i));
  }
};

/* z = M^-1 r, stored unless it is r; adds (z, r) and (r, r) or (z, z). For preconditioners of one row. */
template <class V>
HEPTANE_HD void cg_precondition(const FusedPc &pc, const V &r, std::size_t i, Scalar *z, bool norm_of_r, V acc[])
{
  V zi = r;

  if (pc.form == FusedPc::point) {
    zi = load<V>(pc.inverse, i) * r;
    store(z, i, zi);
  }
  acc[0] = acc[0] + zi * r;
  acc[1] = acc[1] + (norm_of_r ? r * r : zi * zi);
}

/*
   r -= a w; z = M^-1 r, stored over w; (z, r) and (r, r) or (z, z). Bytes: 24 per row, 40 with Jacobi, 32 + 8 b with
   blocks.
*/
struct CgResidual : CgAfterProduct {
  static constexpr int  sums  = 2;
  static constexpr bool cells = true;
  FusedPc               pc;
  Scalar               *r, *wz;
  bool                  norm_of_r;
  Scalar                a = 0;

  CgResidual(const FusedPc &p, Scalar *r_, Scalar *wz_, bool of_r) : pc(p), r(r_), wz(wz_), norm_of_r(of_r) {}
  HEPTANE_HD void begin(const CgScalars &S) { a = S.a; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V ri = load<V>(r, i) - a * load<V>(wz, i);

    store(r, i, ri);
    cg_precondition(pc, ri, i, wz, norm_of_r, acc);
  }
  HEPTANE_HD FusedPc &of_cells() { return pc; }
  HEPTANE_HD void     first(std::size_t i, Scalar *v) const { *v = r[i] - a * wz[i]; }
  HEPTANE_HD void     second(std::size_t i, const Scalar *const *cell, int k, Pack<1> acc[]) const
  {
    const Scalar ri = cell[0][k], zi = pc_block_row(pc, i, cell[0]);

    r[i]  = ri;
    wz[i] = zi;
    acc[0].v[0] += zi * ri;
    acc[1].v[0] += norm_of_r ? ri * ri : zi * zi;
  }
};

/* FusedPc::z_alone: z -= a D w, without storing r = z / D; (z, r) and (r, r) or (z, z). Bytes: 32 per row. */
struct CgScaledResidual : CgAfterProduct {
  static constexpr int sums = 2;
  const Scalar        *d, *w;
  Scalar              *z;
  bool                 norm_of_r;
  Scalar               a = 0;

  CgScaledResidual(const FusedPc &pc, const Scalar *w_, Scalar *z_, bool of_r) : d(pc.inverse), w(w_), z(z_), norm_of_r(of_r) {}
  HEPTANE_HD void begin(const CgScalars &S) { a = S.a; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V di = load<V>(d, i), zi = load<V>(z, i) - a * (di * load<V>(w, i)), ri = zi / di;

    store(z, i, zi);
    acc[0] = acc[0] + zi * ri;
    acc[1] = acc[1] + (norm_of_r ? ri * ri : zi * zi);
  }
};

/* r = z / D, for readers of r after the solve. Bytes: 24 per row, once a solve. */
struct CgUnscale : StepDefaults {
  const Scalar *d, *z;
  Scalar       *r;

  CgUnscale(const FusedPc &pc, const Scalar *z_, Scalar *r_) : d(pc.inverse), z(z_), r(r_) {}
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    store(r, i, load<V>(z, i) / load<V>(d, i));
  }
};

} // namespace heptane

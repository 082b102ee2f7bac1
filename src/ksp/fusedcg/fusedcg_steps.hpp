/*
   CG and BiCG as passes over the vectors. For host and device.
*/
#pragma once

#include "../../pass/steps.hpp"

namespace heptane
{

/* r and z given: (z, r) and the norm's (r, r) or (z, z). Bytes 16 a row. */
template <class Finish>
struct DotsStep : StepDefaults {
  static constexpr int sums = 2;
  const Scalar        *z, *r, *l; /* l: BiCG's left residual in (z, l); CG's r */
  bool                 norm_of_r;

  DotsStep(const Scalar *z_, const Scalar *r_, const Scalar *l_, bool of_r) : z(z_), r(r_), l(l_), norm_of_r(of_r) {}
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V zi = load<V>(z, i), li = load<V>(l, i), ni = norm_of_r ? load<V>(r, i) : zi;

    acc[0] = acc[0] + zi * li;
    acc[1] = acc[1] + ni * ni;
  }
  HEPTANE_HD static void finish(FusedScalars &S, const Scalar *s, Real *history, int length) { Finish::run(S, s, history, length); }
};

struct CgStartFinish {
  HEPTANE_HD static void run(FusedScalars &S, const Scalar *s, Real *, int)
  {
    S.cg      = CgScalars();
    S.cg.beta = s[0];
    S.dp      = S.norm == FusedNorm::none ? Real(0) : S.norm == FusedNorm::natural ? std::sqrt(std::fabs(s[0])) : std::sqrt(s[1]);
  }
};

struct CgFinish {
  HEPTANE_HD static void run(FusedScalars &S, const Scalar *s, Real *history, int length) { cg_after_residual(S, s[0], s[1], history, length); }
};

struct BicgFinish {
  HEPTANE_HD static void run(FusedScalars &S, const Scalar *s, Real *history, int length) { bicg_after_residual(S, s[0], s[1], history, length); }
};

/* The vectors of p: one, or cg_directions in turn */
struct CgDirections {
  static constexpr int most    = PassTuning::cg_directions;
  Scalar              *p[most] = {};
};

/*
   p = z + b p, in the place of the oldest p; where that is the first one, x += (steps of the iterations before) p, which saves reading a p beside x. The steps are added one by one, so that x has the
   same bits however many vectors p has. Bytes: 24 a row, every 1 + S.cg.others iterations 8 (2 + S.cg.others) more.
*/
struct CgDirection : StepDefaults {
  static constexpr int blocks_per_sm = 3; /* 16.8M rows: 171 us with 2, 162 with 3, 165 with 4, 169 with 8 */
  static constexpr int most          = CgDirections::most;

  const Scalar *z;
  CgDirections  all;
  Scalar       *x, *now = nullptr;
  const Scalar *old    = nullptr;
  int           before = 0; /* old is vector number `before` */
  bool          add    = false;
  Scalar        b = 0, step[most] = {};

  CgDirection(const Scalar *z_, const CgDirections &p, Scalar *x_) : z(z_), all(p), x(x_) {}
  HEPTANE_HD void begin(const FusedScalars &S)
  {
    const int k = direction_of(S);

    b      = S.cg.b;
    before = k == 0 ? S.cg.others : k - 1;
    now    = pick(all.p, k);
    old    = pick(all.p, before);
    add    = k == 0 && x_is_incomplete(S.cg);
    for (int j = 0; j < most; j++) step[j] = S.cg.pending[j];
  }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    V pn = load<V>(z, i);

    if (b != Scalar(0) || add) { /* the first p is not there yet */
      const V po = load<V>(old, i);
      if (add) {
        V xi = load<V>(x, i);
        HEPTANE_UNROLL
        for (int j = 0; j < most; j++)
          if (step[j] != Scalar(0)) xi = xi + step[j] * (j == before ? po : load<V>(all.p[j], i));
        store(x, i, xi);
      }
      if (b != Scalar(0)) pn = pn + b * po;
    }
    store(now, i, pn);
  }
};

/* x += pending p, when the iteration has ended or somebody wants x: 16 bytes a row and 8 for each p */
struct CgComplete : StepDefaults {
  static constexpr int most = CgDirections::most;
  CgDirections         all;
  Scalar              *x;
  Scalar               step[most] = {};

  CgComplete(const CgDirections &p, Scalar *x_) : all(p), x(x_) {}
  HEPTANE_HD void begin(const FusedScalars &S)
  {
    for (int j = 0; j < most; j++) step[j] = S.cg.pending[j];
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

/* r -= a w, where the preconditioner comes after it as a call: 24 bytes a row */
struct CgUpdate : StepDefaults {
  const Scalar *w;
  Scalar       *r;
  Scalar        a = 0;

  CgUpdate(const Scalar *w_, Scalar *r_) : w(w_), r(r_) {}
  HEPTANE_HD void begin(const FusedScalars &S) { a = S.cg.a; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    store(r, i, load<V>(r, i) - a * load<V>(w, i));
  }
};

/* r -= a w; z = M^-1 r in the place of w; (z, r) and (r, r) or (z, z). Bytes: 24 a row, 40 with Jacobi, 32 + 8 b with blocks. */
struct CgResidual : StepDefaults {
  static constexpr int  sums  = 2;
  static constexpr bool cells = true;
  FusedPc               pc;
  Scalar               *r, *wz;
  bool                  norm_of_r;
  Scalar                a = 0;

  CgResidual(const FusedPc &p, Scalar *r_, Scalar *wz_, bool of_r) : pc(p), r(r_), wz(wz_), norm_of_r(of_r) {}
  HEPTANE_HD void begin(const FusedScalars &S) { a = S.cg.a; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V ri = load<V>(r, i) - a * load<V>(wz, i);
    V       zi = ri;

    store(r, i, ri);
    if (pc.kind == FusedPc::jacobi) {
      zi = load<V>(pc.inverse, i) * ri;
      store(wz, i, zi);
    }
    acc[0] = acc[0] + zi * ri;
    acc[1] = acc[1] + (norm_of_r ? ri * ri : zi * zi);
  }
  HEPTANE_HD void first(std::size_t i, Scalar *v) const { *v = r[i] - a * wz[i]; }
  HEPTANE_HD void second(std::size_t i, const Scalar *const *cell, int k, Pack<1> acc[]) const
  {
    const Scalar ri = cell[0][k], zi = pc_block_row(pc, i, cell[0]);

    r[i]  = ri;
    wz[i] = zi;
    acc[0].v[0] += zi * ri;
    acc[1].v[0] += norm_of_r ? ri * ri : zi * zi;
  }
  HEPTANE_HD static void finish(FusedScalars &S, const Scalar *s, Real *history, int length) { cg_after_residual(S, s[0], s[1], history, length); }
};

/* FusedPc::z_alone: z -= a D w, where r = z / D need not be kept; (z, r) and (r, r) or (z, z). Bytes: 32 a row. */
struct CgScaledResidual : StepDefaults {
  static constexpr int sums = 2;
  const Scalar        *d, *w;
  Scalar              *z;
  bool                 norm_of_r;
  Scalar               a = 0;

  CgScaledResidual(const FusedPc &pc, const Scalar *w_, Scalar *z_, bool of_r) : d(pc.inverse), w(w_), z(z_), norm_of_r(of_r) {}
  HEPTANE_HD void begin(const FusedScalars &S) { a = S.cg.a; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V di = load<V>(d, i), zi = load<V>(z, i) - a * (di * load<V>(w, i)), ri = zi / di;

    store(z, i, zi);
    acc[0] = acc[0] + zi * ri;
    acc[1] = acc[1] + (norm_of_r ? ri * ri : zi * zi);
  }
  HEPTANE_HD static void finish(FusedScalars &S, const Scalar *s, Real *history, int length) { cg_after_residual(S, s[0], s[1], history, length); }
};

/* r = z / D, for who looks at r after the solve. Bytes: 24 a row, once a solve. */
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

/* BiCG: both directions and x. Bytes: 64 a row. */
struct BicgDirection : StepDefaults {
  const Scalar *zr, *zl;
  Scalar       *pr, *pl, *x;
  Scalar        b = 0, pending = 0;

  BicgDirection(const Scalar *zr_, const Scalar *zl_, Scalar *pr_, Scalar *pl_, Scalar *x_) : zr(zr_), zl(zl_), pr(pr_), pl(pl_), x(x_) {}
  HEPTANE_HD void begin(const FusedScalars &S)
  {
    b       = S.cg.b;
    pending = S.cg.pending[0];
  }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    V rn = load<V>(zr, i), ln = load<V>(zl, i);

    if (b != Scalar(0) || pending != Scalar(0)) {
      const V ro = load<V>(pr, i), lo = load<V>(pl, i);
      if (pending != Scalar(0)) store(x, i, load<V>(x, i) + pending * ro);
      if (b != Scalar(0)) {
        rn = rn + b * ro;
        ln = ln + b * lo;
      }
    }
    store(pr, i, rn);
    store(pl, i, ln);
  }
};

/* BiCG, as CgUpdate: both residuals. Bytes: 48 a row. */
struct BicgUpdate : StepDefaults {
  const Scalar *wr, *wl;
  Scalar       *rr, *rl;
  Scalar        a = 0;

  BicgUpdate(const Scalar *wr_, const Scalar *wl_, Scalar *rr_, Scalar *rl_) : wr(wr_), wl(wl_), rr(rr_), rl(rl_) {}
  HEPTANE_HD void begin(const FusedScalars &S) { a = S.cg.a; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    store(rr, i, load<V>(rr, i) - a * load<V>(wr, i));
    store(rl, i, load<V>(rl, i) - a * load<V>(wl, i));
  }
};

/* BiCG, as CgResidual: both residuals, zr and zl in the places of the products. Bytes: 48 a row, 72 with Jacobi, 64 + 16 b with blocks. */
struct BicgResidual : StepDefaults {
  static constexpr int  sums        = 2;
  static constexpr bool cells       = true;
  static constexpr int  cell_values = 2;
  FusedPc               pc;
  Scalar               *rr, *rl, *zr, *zl;
  bool                  norm_of_r;
  Scalar                a = 0;

  BicgResidual(const FusedPc &p, Scalar *rr_, Scalar *rl_, Scalar *zr_, Scalar *zl_, bool of_r) : pc(p), rr(rr_), rl(rl_), zr(zr_), zl(zl_), norm_of_r(of_r) {}
  HEPTANE_HD void begin(const FusedScalars &S) { a = S.cg.a; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V ri = load<V>(rr, i) - a * load<V>(zr, i), li = load<V>(rl, i) - a * load<V>(zl, i);
    V       zi = ri;

    store(rr, i, ri);
    store(rl, i, li);
    if (pc.kind == FusedPc::jacobi) {
      const V d = load<V>(pc.inverse, i);
      zi        = d * ri;
      store(zl, i, d * li);
      store(zr, i, zi);
    }
    acc[0] = acc[0] + zi * li;
    acc[1] = acc[1] + (norm_of_r ? ri * ri : zi * zi);
  }
  HEPTANE_HD void first(std::size_t i, Scalar *v) const
  {
    v[0] = rr[i] - a * zr[i];
    v[1] = rl[i] - a * zl[i];
  }
  HEPTANE_HD void second(std::size_t i, const Scalar *const *cell, int k, Pack<1> acc[]) const
  {
    const Scalar ri = cell[0][k], li = cell[1][k], zi = pc_block_row(pc, i, cell[0]);

    rr[i] = ri;
    rl[i] = li;
    zr[i] = zi;
    zl[i] = pc_block_row_transpose(pc, i, cell[1]);
    acc[0].v[0] += zi * li;
    acc[1].v[0] += norm_of_r ? ri * ri : zi * zi;
  }
  HEPTANE_HD static void finish(FusedScalars &S, const Scalar *s, Real *history, int length) { bicg_after_residual(S, s[0], s[1], history, length); }
};

} // namespace heptane

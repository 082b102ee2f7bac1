/*
   BiCG as passes over the vectors. For host and device.
*/
#pragma once

#include "../../pass/steps.hpp"
#include "scalars.hpp"

namespace heptane
{

/* Both directions and x. Bytes: 64 per row. */
struct BicgDirection : StepDefaults {
  using Scalars                 = BicgScalars;
  static constexpr bool changes = true;
  static constexpr int  taken   = bicg_nn + 1;
  const Scalar         *zr, *zl;
  Scalar               *pr, *pl, *x;
  Scalar                b = 0, pending = 0;

  BicgDirection(const Scalar *zr_, const Scalar *zl_, Scalar *pr_, Scalar *pl_, Scalar *x_) : zr(zr_), zl(zl_), pr(pr_), pl(pl_), x(x_) {}
  HEPTANE_HD static void advance(BicgScalars &S, const Scalar sums[]) { bicg_before_direction(S, sums); }
  HEPTANE_HD void        begin(const BicgScalars &S)
  {
    b       = S.b;
    pending = S.pending;
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

/* x += pending pr, at the end of the iteration or when x is requested: 24 bytes per row */
struct BicgComplete : StepDefaults {
  using Scalars = BicgScalars;
  const Scalar *pr;
  Scalar       *x;
  Scalar        step = 0;

  BicgComplete(const Scalar *pr_, Scalar *x_) : pr(pr_), x(x_) {}
  HEPTANE_HD void begin(const BicgScalars &S) { step = S.pending; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    if (step != Scalar(0)) store(x, i, load<V>(x, i) + step * load<V>(pr, i));
  }
};

/* A pass after the product, whose sum determines the step a */
struct BicgAfterProduct : StepDefaults {
  using Scalars                  = BicgScalars;
  static constexpr bool  changes = true;
  static constexpr int   taken   = bicg_wp + 1;
  HEPTANE_HD static void advance(BicgScalars &S, const Scalar sums[]) { bicg_after_product(S, sums[bicg_wp]); }
};

/* Both residuals, if the preconditioner is called after it. Bytes: 48 per row. */
struct BicgUpdate : BicgAfterProduct {
  const Scalar *wr, *wl;
  Scalar       *rr, *rl;
  Scalar        a = 0;

  BicgUpdate(const Scalar *wr_, const Scalar *wl_, Scalar *rr_, Scalar *rl_) : wr(wr_), wl(wl_), rr(rr_), rl(rl_) {}
  HEPTANE_HD void begin(const BicgScalars &S) { a = S.a; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    store(rr, i, load<V>(rr, i) - a * load<V>(wr, i));
    store(rl, i, load<V>(rl, i) - a * load<V>(wl, i));
  }
};

/* Both residuals; zr and zl are stored over the products. Bytes: 48 per row, 72 with Jacobi, 64 + 16 b with blocks. */
struct BicgResidual : BicgAfterProduct {
  static constexpr int  sums        = 2;
  static constexpr bool cells       = true;
  static constexpr int  cell_values = 2;
  FusedPc               pc;
  Scalar               *rr, *rl, *zr, *zl;
  bool                  norm_of_r;
  Scalar                a = 0;

  BicgResidual(const FusedPc &p, Scalar *rr_, Scalar *rl_, Scalar *zr_, Scalar *zl_, bool of_r) : pc(p), rr(rr_), rl(rl_), zr(zr_), zl(zl_), norm_of_r(of_r) {}
  HEPTANE_HD void begin(const BicgScalars &S) { a = S.a; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V ri = load<V>(rr, i) - a * load<V>(zr, i), li = load<V>(rl, i) - a * load<V>(zl, i);
    V       zi = ri;

    store(rr, i, ri);
    store(rl, i, li);
    if (pc.form == FusedPc::point) {
      const V d = load<V>(pc.inverse, i);
      zi        = d * ri;
      store(zl, i, d * li);
      store(zr, i, zi);
    }
    acc[0] = acc[0] + zi * li;
    acc[1] = acc[1] + (norm_of_r ? ri * ri : zi * zi);
  }
  HEPTANE_HD FusedPc &of_cells() { return pc; }
  HEPTANE_HD void     first(std::size_t i, Scalar *v) const
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
};

} // namespace heptane

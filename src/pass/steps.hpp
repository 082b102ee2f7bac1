/*
   Passes over the vectors that every method uses. A step is a struct with
     Scalars            the struct of scalars that it reads: of its method, or of all methods
     changes, taken     whether it changes them: advance(S, sums) computes the scalars of this pass from the last ones
     and the
                        first `taken` sums of earlier passes; it does nothing if S.stop is set
     begin(S)           loads the scalars it needs, once per thread
     rows<V>(i, acc)    processes rows i .. i + lanes<V> - 1; acc: [sums] of V, added to
     width              rows of the widest V on the device: of Scalars 2, which are 16 bytes
     reads              vectors that a row reads, about: loads that a thread has in flight
     sums, first_sum()  number of scalar products, and their position for the next pass that advances the scalars
   and, if a row needs the changed values of other rows of its cell, instead of rows() and with V = Pack<1>
     first(i, v)             cell_values values of row i that its cell needs
     second(i, cell, k, acc) the rest; cell[j]: value j of each row of the cell, the row's own at k
     of_cells()              the preconditioner that has these cells as blocks
   Host and device share this source: see step_host.hpp, step_device.cuh.
*/
#pragma once

#include "../device/pack.hpp"
#include "pass_tuning.hpp"
#include "pc_rows.hpp"

namespace heptane
{

/* Rows of the widest pack of a pass over vectors stored as T: 16 bytes, of Singles as of doubles */
template <class T>
inline constexpr int pass_width = std::is_same_v<T, Scalar> ? 2 : 16 / sizeof(T);

struct StepDefaults {
  using Scalars                        = FusedScalars;
  static constexpr int            sums = 0, taken = fused_sums, cell_values = 1, blocks_per_sm = PassTuning::blocks_per_sm, width = 2, reads = 3;
  static constexpr bool           cells   = false; /* has first() and second() */
  static constexpr bool           changes = false;
  static constexpr bool           joins   = false; /* see PassOf */
  HEPTANE_HD static constexpr int first_sum() { return 0; }
  HEPTANE_HD void                 begin(const FusedScalars &) {}
};

/*
   The operations of a fused product on its rows, after MatMult() and, unless it is row arithmetic, PCApply(). K sums.
   Reads own u, w, y and writes y: 8 (K + 2) bytes per row.
*/
template <int K>
struct ProductStep : StepDefaults {
  static constexpr int  sums  = K;
  static constexpr bool cells = true;
  FusedProduct          P;
  Scalar                alpha_now = 0;

  explicit ProductStep(const FusedProduct &product) : P(product) {}
  HEPTANE_HD void begin(const FusedScalars &) { alpha_now = P.alpha ? alpha_of(P) : Scalar(0); }
  HEPTANE_HD int  first_sum() const { return P.at; }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    HEPTANE_UNROLL
    for (int k = 0; k < lanes<V>; k++) {
      const RowOperands o    = row_operands<K>(P, P.q, i + k, alpha_now);
      Scalar            y    = P.y[i + k];
      Scalar            s[K] = {};
      if (applies_loaded(P.pc, FusedPc::point)) y = P.pc.inverse[i + k] * y;
      product_row<K>(P, i + k, y, o, s);
      HEPTANE_UNROLL
      for (int j = 0; j < K; j++) acc[j].v[k] += s[j];
    }
  }
  HEPTANE_HD FusedPc &of_cells() { return P.pc; }
  HEPTANE_HD void     first(std::size_t i, Scalar *v) const { *v = P.y[i]; }
  HEPTANE_HD void     second(std::size_t i, const Scalar *const *cell, int, Pack<1> acc[]) const
  {
    Scalar s[K] = {};
    product_row<K>(P, i, pc_block_row(P.pc, i, cell[0]), row_operands<K>(P, P.q, i, alpha_now), s);
    HEPTANE_UNROLL
    for (int j = 0; j < K; j++) acc[j].v[0] += s[j];
  }
};

/*
   After MatMult(): the row operations of a product that combines. w is A u, or the residual itself if P.combine.rhs is
   null; P.q is read if its factor is not zero. Bytes: 16 per row, 8 for each of rhs, u and old, and the bytes of M^-1.
*/
struct CombineStep : StepDefaults {
  static constexpr bool cells = true;
  FusedProduct          P;
  const Scalar         *w;

  CombineStep(const FusedProduct &product, const Scalar *w_) : P(product), w(w_) {}
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    V r = residual<V>(i);

    if (applies(P.pc, FusedPc::point)) r = load<V>(P.pc.inverse, i) * r;
    combine(i, r);
  }
  HEPTANE_HD FusedPc &of_cells() { return P.pc; }
  HEPTANE_HD void     first(std::size_t i, Scalar *v) const { *v = residual<Pack<1>>(i).v[0]; }
  HEPTANE_HD void     second(std::size_t i, const Scalar *const *cell, int, Pack<1> *) const { combine(i, Pack<1>{{pc_block_row(P.pc, i, cell[0])}}); }

private:
  template <class V>
  HEPTANE_HD V residual(std::size_t i) const
  {
    return P.combine.rhs ? load<V>(P.combine.rhs, i) - load<V>(w, i) : load<V>(w, i);
  }
  template <class V>
  HEPTANE_HD void combine(std::size_t i, const V &r) const
  {
    const V u = P.combine.of_u != Scalar(0) ? load<V>(P.q, i) : V{}, old = P.combine.old ? load<V>(P.combine.old, i) : V{};

    store(P.y, i, combine_row(P.combine, r, u, old));
  }
};

/* The sums (z, l) and (n, n). Bytes 16 per row, 8 more if n is another vector. */
struct DotsStep : StepDefaults {
  static constexpr int sums = 2;
  const Scalar        *z, *l, *n;

  DotsStep(const Scalar *z_, const Scalar *l_, const Scalar *n_) : z(z_), l(l_), n(n_) {}
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V zi = load<V>(z, i), li = load<V>(l, i), ni = n == z ? zi : n == l ? li : load<V>(n, i);

    acc[0] = acc[0] + zi * li;
    acc[1] = acc[1] + ni * ni;
  }
};

/* z = M^-1 r */
struct ApplyPcStep : StepDefaults {
  static constexpr int  reads = 2;
  static constexpr bool cells = true;
  FusedPc               pc;
  const Scalar         *r;
  Scalar               *z;

  ApplyPcStep(const FusedPc &p, const Scalar *from, Scalar *to) : pc(p), r(from), z(to) {}
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    store(z, i, load<V>(pc.inverse, i) * load<V>(r, i));
  }
  HEPTANE_HD FusedPc &of_cells() { return pc; }
  HEPTANE_HD void     first(std::size_t i, Scalar *v) const { *v = r[i]; }
  HEPTANE_HD void     second(std::size_t i, const Scalar *const *cell, int, Pack<1> *) const { z[i] = pc_block_row(pc, i, cell[0]); }
};

/* v = 1 in one component of every cell, else 0 */
struct UnitStep : StepDefaults {
  Scalar *v;
  int     block, component;

  UnitStep(Scalar *v_, int b, int c) : v(v_), block(b), component(c) {}
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    V u;
    HEPTANE_UNROLL
    for (int k = 0; k < lanes<V>; k++) u.v[k] = (i + k) % block == static_cast<std::size_t>(component) ? Scalar(1) : Scalar(0);
    store(v, i, u);
  }
};

} // namespace heptane

/*
   Chebyshev iteration as passes over the vectors, and the scalars between them, in the order of PETSc's
   KSPSolve_Chebyshev_FirstKind(). For host and device.
*/
#pragma once

#include "../../pass/steps.hpp"

namespace heptane
{

/*
   p_k+1 = omega (scale M^-1 (b - A p_k) + p_k) + (1 - omega) p_k-1, omega = 2 mu c_k / c_k+1,
   c_k+1 = 2 mu c_k - c_k-1. The ratio of two c is stored, since the c themselves would overflow.
*/
struct ChebyshevScalars : FusedScalars {
  Scalar scale, mu;
  Scalar ratio; /* c_k / c_k+1 of the last iterate made; of the first it is 1 / mu */
  Scalar omega;
  int    made; /* iterates */
};
static_assert(sizeof(ChebyshevScalars) <= fused_scalars_bytes, "room for the scalars of Chebyshev");

/* Index of the squared norm */
enum ChebyshevSums : int { chebyshev_nn = 0 };

HEPTANE_HD void chebyshev_start(ChebyshevScalars &S, Real emin, Real emax)
{
  S.scale = Scalar(2) / (emax + emin);
  S.ratio = Scalar(1) - S.scale * emin;
  S.mu    = Scalar(1) / S.ratio;
  S.omega = 1;
  S.made  = 0;
}

/* The scalars after the first iterate from the solution of previous iterations */
HEPTANE_HD void chebyshev_restart(ChebyshevScalars &S)
{
  S.ratio = Scalar(1) / S.mu;
  S.omega = 1;
  S.made  = 1;
}

/* Before an iterate is made: its omega */
HEPTANE_HD void chebyshev_next(ChebyshevScalars &S)
{
  if (S.made > 0) {
    S.ratio = Scalar(1) / (Scalar(2) * S.mu - S.ratio);
    S.omega = Scalar(2) * S.mu * S.ratio;
  }
  S.made++;
}

/* nn = the squared norm of iteration S.it + 1, whose count PETSc's loop has already incremented */
HEPTANE_HD void chebyshev_after_norm(ChebyshevScalars &S, Scalar nn)
{
  S.dp = std::sqrt(nn);
  if (!is_finite(S.dp)) {
    stop_at(S, FusedStop::norm, S.it + 2 < S.last ? S.it + 2 : S.last);
    return;
  }
  complete_iteration(S);
  if (S.stop == FusedStop::no && S.it >= S.last) stop_at(S, FusedStop::limit, S.it);
}

/* Before a pass that makes the next iterate: tests the squared norm of the previous pass */
HEPTANE_HD void chebyshev_before_step(ChebyshevScalars &S, Scalar nn)
{
  if (!S.settled) chebyshev_after_norm(S, nn);
  S.settled = 0;
  if (S.stop == FusedStop::no) chebyshev_next(S);
}

/*
   r = b - w, or r = w if b is null; z = M^-1 r, or the vector z; the squared norm of r or z; and the next iterate: it
   is stored in p, and the previous one in x, so that x is the solution if this norm meets the test. Bytes: 48 per row,
   8 more with Jacobi, 8 b more with blocks; 16 less at the start.
*/
struct ChebyshevStep : StepDefaults {
  using Scalars                 = ChebyshevScalars;
  static constexpr bool changes = true, cells = true;
  static constexpr int  taken = chebyshev_nn + 1, sums = 1;
  FusedPc               pc;
  const Scalar         *b, *w, *z;
  Scalar               *x, *p;
  bool                  norm_of_r, first_p = false; /* first_p: p has no iterate yet */
  Scalar                scale = 0, omega = 0;

  ChebyshevStep(const FusedPc &pc_, const Scalar *b_, const Scalar *w_, const Scalar *z_, Scalar *x_, Scalar *p_, bool of_r)
    : pc(pc_), b(b_), w(w_), z(z_), x(x_), p(p_), norm_of_r(of_r)
  {}
  HEPTANE_HD static void advance(ChebyshevScalars &S, const Scalar sums[]) { chebyshev_before_step(S, sums[chebyshev_nn]); }
  HEPTANE_HD void        begin(const ChebyshevScalars &S)
  {
    scale   = S.scale;
    omega   = S.omega;
    first_p = S.made == 1;
  }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V acc[]) const
  {
    const V ri = norm_of_r || !z ? residual<V>(i) : V{};

    finish(i, ri, z ? load<V>(z, i) : pc.form == FusedPc::point ? load<V>(pc.inverse, i) * ri : ri, acc);
  }
  HEPTANE_HD FusedPc &of_cells() { return pc; }
  HEPTANE_HD void     first(std::size_t i, Scalar *v) const { *v = residual<Pack<1>>(i).v[0]; }
  HEPTANE_HD void     second(std::size_t i, const Scalar *const *cell, int k, Pack<1> acc[]) const
  {
    finish(i, Pack<1>{{cell[0][k]}}, Pack<1>{{pc_block_row(pc, i, cell[0])}}, acc);
  }

private:
  template <class V>
  HEPTANE_HD V residual(std::size_t i) const
  {
    return b ? load<V>(b, i) - load<V>(w, i) : load<V>(w, i);
  }
  template <class V>
  HEPTANE_HD void finish(std::size_t i, const V &ri, const V &zi, V acc[]) const
  {
    const V xi = load<V>(x, i);

    acc[0] = acc[0] + (norm_of_r ? ri * ri : zi * zi);
    if (first_p) store(p, i, xi + scale * zi);
    else {
      const V pi = load<V>(p, i);

      store(x, i, pi);
      store(p, i, (omega * scale) * zi + omega * pi + (Scalar(1) - omega) * xi);
    }
  }
};

} // namespace heptane

/*
   State of every solve in addition to its vectors: stop reason, iteration count, convergence test. A method derives its
   scalars from this struct, in its own folder. They are in the memory space of the vectors; on the device only passes
   change them between two checks by the host. Has no PETSc objects and no launch syntax.
*/
#pragma once

#include "../device/scalar.hpp"
#include "pass_tuning.hpp"
#include <cmath>

namespace heptane
{

using Real = PetscReal;

/* Why the iteration has stopped; the host translates it to a KSPConvergedReason */
enum class FusedStop : int {
  no,             /* the iteration runs */
  test,           /* the norm of iteration `it` met the test: converged or diverged */
  limit,          /* `it` reached `last` */
  norm,           /* the norm of iteration it + 1 is infinite or not a number: it is not logged */
  product,        /* a scalar product is infinite or not a number: `bad` */
  no_beta,        /* CG: (z, r) = 0 */
  indefinite_pc,  /* CG: (z, r) changed its sign */
  indefinite_mat, /* CG: (p, A p) = 0 or changed its sign */
  zero_product,   /* BiCGStab: (v, r0) = 0 */
  zero_rho,       /* BiCGStab: (r, r0) = 0 */
  singular        /* BiCGStab: (t, t) = 0 */
};

enum class FusedNorm : int { none, preconditioned, unpreconditioned, natural };

/* Aligned so that a thread loads it in few instructions */
struct alignas(16) FusedScalars {
  /* control */
  FusedStop stop;
  int       it;      /* iterations completed and logged */
  int       its;     /* when it stopped: the count that PETSc's own loop would report */
  int       last;    /* iteration at which to stop */
  int       settled; /* the scalars already include the sums of the last pass of an iteration: the host has added them */
  int       input;   /* index of the vector that a product multiplies, for methods with several alternating vectors: see FusedProduct::other_q */
  /* the test, set by the host after iteration 0 */
  int       test; /* 0: only the host tests */
  FusedNorm norm;
  int       min_it, chknorm;
  Real      converged, diverged; /* the iteration stops at norms at most / at least these */
  Real      dp;                  /* the norm last computed; 0 if none was */
  Scalar    bad;                 /* see FusedStop::product */
};

/* Room for the scalars of any method, and for the sums of all passes of an iteration */
inline constexpr std::size_t fused_scalars_bytes = 256;
inline constexpr int         fused_sums          = 8;

/*
   On the device: a pass that changes the scalars reads one copy and writes the other, so that no block reads words that
   another one overwrites
*/
struct alignas(16) FusedMemory {
  unsigned char scalars[2][fused_scalars_bytes];
  Scalar        sums[fused_sums];
};

/* a[k] without the local memory that a variable index would cost on the device */
template <class T, int N>
HEPTANE_HD T pick(T const (&a)[N], int k)
{
  T chosen = a[0];
  HEPTANE_UNROLL
  for (int j = 1; j < N; j++)
    if (j == k) chosen = a[j];
  return chosen;
}

HEPTANE_HD bool is_finite(Scalar a)
{
  return a - a == Scalar(0);
}

HEPTANE_HD void stop_at(FusedScalars &S, FusedStop stop, int its)
{
  S.stop = stop;
  S.its  = its;
}

/* Whether the norm of iteration it is needed: see KSPSetCheckNormIteration() */
HEPTANE_HD bool norm_wanted(const FusedScalars &S, int it)
{
  return S.norm != FusedNorm::none && S.chknorm <= it;
}

/* Whether the norm dp of iteration it ends the solve, as in KSPConvergedDefault() */
HEPTANE_HD bool passes_test(const FusedScalars &S, int it, Real dp)
{
  return S.test && S.norm != FusedNorm::none && it > S.chknorm && it >= S.min_it && (dp <= S.converged || dp >= S.diverged);
}

/*
   Completes iteration S.it + 1, whose norm is S.dp, and tests it. The caller that stores these scalars logs the norm:
   see log_norm().
*/
HEPTANE_HD void complete_iteration(FusedScalars &S)
{
  S.it++;
  if (passes_test(S, S.it, S.dp)) stop_at(S, FusedStop::test, S.it);
}

/* after: the scalars after the iteration; history: ring of `length` norms */
HEPTANE_HD void log_norm(int it_before, const FusedScalars &after, Real *history, int length)
{
  if (after.it != it_before) history[after.it % length] = after.dp;
}

/*
   Whether a pass has no work. square: the squared norm of iteration S.it + 1 if a pass has computed it and no pass has
   tested it yet; has_square: false if there is none. The next pass that changes the scalars repeats the test and stores
   its result.
*/
HEPTANE_HD bool is_stopped(const FusedScalars &S, bool has_square, Scalar square)
{
  if (S.stop != FusedStop::no) return true;
  if (!has_square || S.settled) return false;
  const Real dp = norm_wanted(S, S.it + 1) ? std::sqrt(square) : Real(0);
  return !is_finite(dp) || passes_test(S, S.it + 1, dp) || S.it + 1 >= S.last;
}

} // namespace heptane

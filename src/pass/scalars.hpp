/*
   The scalars of a solve: what the iteration carries beside its vectors, and the convergence test. They live where the vectors live; on the
   device only device code changes them between two looks of the host. Knows no PETSc objects and no launch syntax.
*/
#pragma once

#include "../device/scalar.hpp"
#include "pass_tuning.hpp"

namespace heptane
{

using Real = PetscReal;

/* Why the iteration stands still; the host gives it a KSPConvergedReason */
enum class FusedStop : int {
  no,             /* it runs */
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

struct CgScalars {
  Scalar beta, betaold;                      /* (z, r) of this iteration and of the one before */
  Scalar dpi;                                /* (p, w) */
  Scalar a, b;                               /* step, and p = z + b p */
  int    others;                             /* vectors that p lies in beside the first, in turn: see direction_of() */
  Scalar pending[PassTuning::cg_directions]; /* x still lacks pending[k] * (vector k of p) */
};

struct BcgsScalars {
  Scalar rho, rhoold; /* (r, r0); rhoold that of the iteration whose update comes next */
  Scalar alpha, omega, beta;
};

struct FusedScalars {
  CgScalars   cg; /* BiCG too */
  BcgsScalars bcgs;
  Real        dp;  /* the norm last computed; 0 where it is not */
  Scalar      bad; /* see FusedStop::product */
  /* control */
  int       it;   /* iterations completed and logged */
  int       its;  /* when it stopped: the count that PETSc's own loop would report */
  int       last; /* stop there */
  FusedStop stop;
  /* the test, set by the host after iteration 0 */
  int       test; /* 0: only the host tests */
  FusedNorm norm;
  int       min_it, chknorm;
  Real      converged, diverged; /* norms at most / at least which it stops */
};

/* Which of its vectors p of the iteration S.it + 1 lies in */
HEPTANE_HD int direction_of(const FusedScalars &S)
{
  return S.cg.others ? S.it % (1 + S.cg.others) : 0;
}

/* a[k], without the memory that indexing by a variable would take on the device */
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

/* The norm of iteration it is wanted: see KSPSetCheckNormIteration() */
HEPTANE_HD bool norm_wanted(const FusedScalars &S, int it)
{
  return S.norm != FusedNorm::none && S.chknorm <= it;
}

/* Iteration S.it + 1 is complete and its norm is S.dp: logs it and tests as KSPConvergedDefault() does. history: ring of `length` norms. */
HEPTANE_HD void complete_iteration(FusedScalars &S, Real *history, int length)
{
  S.it++;
  history[S.it % length] = S.dp;
  if (S.test && S.norm != FusedNorm::none && S.it > S.chknorm && S.it >= S.min_it && (S.dp <= S.converged || S.dp >= S.diverged))
    stop_at(S, FusedStop::test, S.it);
}

} // namespace heptane

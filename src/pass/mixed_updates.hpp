/*
   What a persistent kernel in single precision takes that makes updates of mixed precision itself (ksp/fused/mixed.cxx), and what it leaves: where the norms of the solve stand. Knows no PETSc objects.
*/
#pragma once

#include "operator.hpp"
#include "scalars.hpp"

namespace heptane
{

/* Where the norms of a solve in mixed precision stand */
struct MixedState {
  int    since     = 0;           /* the iteration behind which the residual was last computed in double precision */
  int    poor      = 0;           /* updates in a row that have found little progress */
  Real   reference = 0, most = 0; /* the norm then, and the largest since */
  Real   best    = 0;             /* the norm that updates have to halve, and the iteration that had it */
  int    best_at = 0;
  Real   kept    = 0; /* the norm of the solution that is kept, and its iteration */
  int    kept_at = 0;
  bool   keep    = false; /* it is x itself, until the next pass that changes x */
  Real   factor  = 0;     /* what the norm falls by before the next update */
  double rate    = 0;     /* by which an iteration lowered the logarithm of the norm between the last two updates; 0: not known */
};

/* What ends such a solve, and what it is to know beside that */
struct MixedTest {
  bool tests  = false;              /* by the norm: KSPConvergedDefault() */
  int  min_it = 0, end = 0;         /* iterations */
  int  until     = 0;               /* where a launch stops at the latest */
  Real converged = 0, diverged = 0; /* norms */
  Real factor = 0;                  /* -ksp_fused_precision_factor */
  Real rows   = 1;                  /* of all processes */
};

struct MixedRecord {
  int  it;
  Real recurred, norm; /* of the recurrences, and what the residual in double precision has */
};

/* What the kernel leaves for the host, in whose memory it lies */
struct MixedLeft {
  static constexpr int most = 32;

  MixedState  state;
  int         updates = 0; /* behind which it went on: at most so many per launch */
  MixedRecord record[most];
};

/* The method of such a kernel is called "NAME with updates"; whoever names it gives one of these to FusedOperator::LaunchPersistentSingle() */
struct FusedUpdatingPersistent : FusedSinglePersistent {
  const FusedOperator *matrix = nullptr;                  /* in double precision */
  const Scalar        *rhs = nullptr, *inverse = nullptr; /* inverse: of the preconditioner, null where there is none */
  Scalar              *x = nullptr, *kept = nullptr, *residual = nullptr;
  bool                 norm_of_r = false, restarts = false; /* CG: the norm is that of r, not of M^-1 r; -ksp_fused_precision refine */
  MixedState           state;
  MixedTest            test;
  MixedLeft           *left = nullptr;
};

} // namespace heptane

/*
   Input and output of a persistent kernel in single precision that makes the updates of mixed precision itself
   (ksp/fused/mixed/mixed.cxx): the state of the norms of the solve. Has no PETSc objects.
*/
#pragma once

#include "../scalars.hpp"
#include "operator.hpp"
#include <cstring>

namespace heptane
{

/*
   State of the norms of a solve in mixed precision. Zeros before the solve begins; no initial values, so that it may be
   in shared memory
*/
struct MixedState {
  int    since;           /* the last iteration at whose end the residual was computed in double precision */
  int    poor;            /* consecutive updates with little progress */
  Real   reference, most; /* the norm then, and the largest since */
  Real   best;            /* the norm that updates have to halve, and its iteration */
  int    best_at;
  Real   kept; /* the norm of the stored solution, and its iteration */
  int    kept_at;
  bool   keep;   /* the stored solution is x itself, until the next pass that changes x */
  Real   factor; /* reduction of the norm before the next update */
  double rate;   /* decrease of the logarithm of the norm per iteration between the last two updates; 0: unknown */
};

/* Stopping criteria of such a solve, and further parameters */
struct MixedTest {
  bool tests  = false;              /* by the norm: KSPConvergedDefault() */
  int  min_it = 0, end = 0;         /* iterations */
  int  until     = 0;               /* iteration at which a launch stops at the latest */
  Real converged = 0, diverged = 0; /* norms */
  Real factor = 0;                  /* -ksp_fused_precision_factor */
  Real rows   = 1;                  /* of all processes */
};

struct MixedRecord {
  int  it;
  Real recurred, norm; /* of the recurrences, and of the residual in double precision */
};

/* Result of the kernel, in host memory */
struct MixedResult {
  static constexpr int most = 32;

  MixedState  state   = {};
  int         updates = 0; /* iterations after which it continued: at most `most` per launch */
  MixedRecord record[most];
};

/*
   Arguments of FusedOperator::LaunchPersistent() for the methods "NAME with updates", a kernel that makes updates
   itself, and "NAME of ranks", a kernel that runs on several GPUs. Between two updates the latter uses only `ranks` of
   these members.
*/
struct FusedUpdatingPersistent : FusedSinglePersistent {
  const FusedRanks    *ranks  = nullptr;
  const FusedOperator *matrix = nullptr;                  /* in double precision */
  const Scalar        *rhs = nullptr, *inverse = nullptr; /* inverse: of the preconditioner, null if there is none */
  Scalar              *x = nullptr, *kept = nullptr, *residual = nullptr;
  bool                 norm_of_r = false; /* CG: the norm is that of r, not of M^-1 r */
  MixedState           state     = {};
  MixedTest            test;
  MixedResult         *result = nullptr;
};

/* Whether the method has this name */
inline bool with_updates(const FusedSinglePersistent &V)
{
  return std::strstr(V.method, " with updates") != nullptr;
}
inline bool of_ranks(const FusedSinglePersistent &V)
{
  return std::strstr(V.method, " of ranks") != nullptr;
}

} // namespace heptane

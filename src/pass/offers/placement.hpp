/*
   The interface of a matrix to a solver that chooses between host and GPU, and the rule: where values are up to date,
   the bytes to be copied, and the number of rows from which a GPU is faster. A type composes "MatGetPlacement_C" on its
   matrices.
*/
#pragma once

#include <petscksp.h>

namespace heptane
{

struct MatPlacement {
  bool   on_device   = false; /* values are up to date there */
  double value_bytes = 0;     /* of the format's values: copied if they are only on the host */
};

/* The name under which a type composes PetscErrorCode (*)(Mat A, MatPlacement *) */
inline constexpr char placement_name[] = "MatGetPlacement_C";

/*
   The name under which a fused solver composes PetscErrorCode (*)(KSP, Vec *b, Vec *x), for a preconditioner whose
   PCPreSolve() changes x. If the next solve runs on work vectors, *b and *x are these vectors, with the values of the
   solver's, and the solve starts from the values of *x. Otherwise *b and *x are the solver's.
*/
inline constexpr char staged_name[] = "KSPFusedStaged_C";

struct PlacementTuning {
  /*
     Rows per process, averaged over the processes, from which a solve with host vectors runs on a GPU, and below which
     gridmg runs on the host with such vectors. CG with 10 to 200 iterations: bench/results/2026-11-28-h200-host-vectors
  */
  static constexpr PetscInt rows = 1000;
  /* The same for solves of few iterations without a convergence test, such as smoothers */
  static constexpr PetscInt rows_of_smoothers = 10000;
};

} // namespace heptane

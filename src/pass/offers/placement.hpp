/*
   What a matrix tells a solver that decides where to run, and the rule: where values are up to date, what would have to
   be copied, and from how many rows on a GPU is the faster side. A type composes "MatGetPlacement_C" on its matrices.
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
   PCPreSolve() changes x. If the solve that follows runs on vectors of its own, *b and *x are these, with the values
   of the solver's, and the solve begins with what *x has then. Else *b and *x are the solver's.
*/
inline constexpr char staged_name[] = "KSPFusedStaged_C";

struct PlacementTuning {
  /*
     Rows of a process, on average over the processes, from which on a solve whose vectors are on the host runs on a
     GPU, and below which gridmg runs on the host with such vectors. Measured with 10, 50 and 200 iterations of CG:
     bench/results/2026-11-28-h200-host-vectors
  */
  static constexpr PetscInt rows = 1000;
  /* The same for a fixed number of iterations without a test, as smoothers have few of */
  static constexpr PetscInt rows_of_smoothers = 10000;
};

} // namespace heptane

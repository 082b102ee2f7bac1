/*
   What a fused solve tells -heptane_advise: its work before it runs, and what it took.
*/
#pragma once

#include "../../model/predict.hpp"
#include "../../pass/placement.hpp"
#include "solver.hpp"

namespace heptane
{

class FusedAdvice {
public:
  /* Before a solve that starts on this side: what is predicted */
  PetscErrorCode Before(KSP ksp, FusedContext *ctx, bool on_device);
  /* After it, on the side where it ran */
  PetscErrorCode After(KSP ksp, FusedContext *ctx, bool on_device, double us);
  void           Reset();

private:
  enum Side { host, device };
  /* An iteration on that side when it last ran there */
  struct Cost {
    bool   known = false, persistent = false;
    double bytes_a_row = 0, launches = 0, reductions = 0, products = 0;
    double product_us = 0, product_bytes = 0; /* of one on the host */
  };

  PetscErrorCode FirstCost(KSP ksp, FusedContext *ctx);
  PetscErrorCode Work(KSP ksp, FusedContext *ctx, bool on_device);

  Cost         cost[2];
  PetscInt     last_iterations = 0;
  MatPlacement matrix;
  SolveWork    work; /* of the solve under way; no rows: nothing is to be said of it */
};

} // namespace heptane

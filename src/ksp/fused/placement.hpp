/*
   Where a fused solve runs whose vectors could be copied to the other side: as -ksp_fused_place or -heptane_device say, by the predictions of src/model where they say auto. One process.
*/
#pragma once

#include "../../model/predict.hpp"
#include "../../pass/placement.hpp"
#include "../../sys/device.hpp"
#include "solver.hpp"

namespace heptane
{

class FusedPlacement {
public:
  ~FusedPlacement();
  PetscErrorCode SetFromOptions(KSP ksp, PetscOptionItems items);
  /* solve(ksp, ctx), there where it is to run */
  PetscErrorCode Solve(KSP ksp, FusedContext *ctx, PetscErrorCode (*solve)(KSP, FusedContext *));
  /* For the view: where the last solve ran and why; empty where vectors decide and nothing was asked */
  const std::string &Text() const { return text; }
  PetscErrorCode     Reset();

private:
  enum Side { host, device };
  /* What an iteration was on that side when it last ran there */
  struct Cost {
    bool   known = false, persistent = false, warm = false; /* warm: a solve has ended there */
    double bytes_a_row = 0, launches = 0, reductions = 0, products = 0;
    double product_us = 0, product_bytes = 0; /* of one on the host */
  };
  /* What a solve finds */
  struct Situation {
    MatPlacement matrix;
    PetscBool    cuda             = PETSC_FALSE; /* the vectors are of CUDA's type */
    bool         values_on_device = false;       /* those of the right-hand side, and there alone or there too */
    bool         movable          = false;       /* the solve could run on both sides */
    bool         counted          = false;       /* there is something to say of it, without a GPU too */
    Side         start            = host;        /* where it runs if nothing is moved */

    bool InPlace() const { return values_on_device || !matrix.on_host; } /* what a solve on the host would have to copy first */
  };

  PetscErrorCode Find(KSP ksp, Situation *s);
  PetscErrorCode Work(KSP ksp, FusedContext *ctx, const Situation &s, SolveWork *work);
  PetscErrorCode FirstCost(KSP ksp, FusedContext *ctx, const Situation &s);
  PetscErrorCode Choose(KSP ksp, const Situation &s, const SolveWork &work, Side *side);
  PetscErrorCode Run(KSP ksp, FusedContext *ctx, PetscErrorCode (*solve)(KSP, FusedContext *), const Situation &s, Side side);
  PetscErrorCode OnDevice(KSP ksp, FusedContext *ctx, PetscErrorCode (*solve)(KSP, FusedContext *));
  PetscErrorCode OnHost(KSP ksp, FusedContext *ctx, PetscErrorCode (*solve)(KSP, FusedContext *));
  PetscErrorCode MakeMoved(KSP ksp);
  void           Learn(KSP ksp, FusedContext *ctx, const SolveWork &before, Side ran, double us, SolveWork *after);

  Placing     own = Placing::vectors, placing = Placing::vectors; /* -ksp_fused_place where given; what holds now */
  bool        given = false;
  std::string text, remark; /* remark: why it was not moved */
  Cost        cost[2];
  double      measured_over_predicted[2] = {1, 1}; /* of the iterations */
  PetscInt    last_iterations            = 0;
  /* vectors of CUDA's type in the place of the solver's: solution, right-hand side, work */
  Vec     *moved        = NULL;
  PetscInt number_moved = 0;
};

} // namespace heptane

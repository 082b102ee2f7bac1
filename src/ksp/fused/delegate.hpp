/*
   Solves that other processes make for this one: what the fused solver types ask before they solve themselves. Made by
   src/ksp/groups, which this folder does not know.
*/
#pragma once

#include <petscksp.h>
#include <memory>

namespace heptane
{

struct FusedContext;

class FusedDelegate {
public:
  virtual ~FusedDelegate() = default;
  /* When the solver is set up, before its preconditioner is */
  virtual PetscErrorCode SetUp(KSP ksp, FusedContext *ctx) = 0;
  /* solved: as KSPSolve() leaves a solver; false: nothing has been done, on no process */
  virtual PetscErrorCode Solve(KSP ksp, FusedContext *ctx, bool *solved) = 0;
  /* Of the last solve, which was made so */
  virtual PetscErrorCode View(KSP ksp, PetscViewer viewer) = 0;
  virtual PetscErrorCode Reset()                           = 0;
};

/* Null: there are none */
inline std::unique_ptr<FusedDelegate> (*fused_make_delegate)() = nullptr;

} // namespace heptane

/*
   The side on which a fused solve with vectors on the host runs: by one rule, or as -ksp_fused_place or -heptane_device
   say.
   A solve that is moved to the GPU has its own vectors: the right-hand side and the initial guess are copied to them,
   and the solution is copied back.
*/
#pragma once

#include "../../pass/offers/placement.hpp"
#include "../../sys/device.hpp"
#include "solver.hpp"

namespace heptane
{

class FusedPlacement {
public:
  ~FusedPlacement();
  PetscErrorCode SetFromOptions(KSP ksp, PetscOptionItems items);
  void           CopySettings(const FusedPlacement &from)
  {
    requested = from.requested;
    given     = from.given;
    pretended = from.pretended;
  }
  /* Before a solve: decides on which side it runs, and moves the vectors there; tested: it has a convergence test */
  PetscErrorCode Begin(KSP ksp, bool tested);
  /* After it, also if it has failed: the solver has its own vectors again, and the solution as far as it got */
  PetscErrorCode End(KSP ksp);
  /* What staged_name stands for */
  PetscErrorCode Stage(KSP ksp, FusedContext *ctx, Vec *b, Vec *x);
  /* Within a moved solve, around functions of the program: the solver has the program's vectors, x up to date */
  PetscErrorCode Show(KSP ksp);
  PetscErrorCode Hide(KSP ksp);
  /* v = the first work vector of the last solve, if that ran on vectors that the solver does not have */
  PetscErrorCode CopyWork(KSP ksp, Vec v, PetscBool *copied) const;
  /* For the view: the side of the last solve and the reason; empty if vectors decide and nothing was requested */
  const std::string &Text() const { return text; }
  PetscErrorCode     Reset();

private:
  enum Side { host, device };

  PetscErrorCode WhyStays(KSP ksp, bool on_device, bool gpus, std::string *why);
  PetscErrorCode HasRoom(KSP ksp, PetscBool *room);
  PetscErrorCode FindPlacing();
  PetscErrorCode Decide(KSP ksp, bool tested, Side *from, Side *to);
  PetscErrorCode MakeMoved(KSP ksp);
  PetscErrorCode CopyUp(KSP ksp);
  void           Swap(KSP ksp);
  void           ForgetStaged() { staged[0].Clear(), staged[1].Clear(); }

  Placing     requested = Placing::automatic, placing = Placing::automatic; /* -ksp_fused_place if given; what holds */
  bool        given     = false;
  PetscBool   pretended = PETSC_FALSE; /* -heptane_test_move: solves are moved without a GPU, to vectors on the host */
  std::string text;
  /* In a moved solve these are exchanged with the solver's: solution, right-hand side, work */
  Vec             *moved = NULL, solution = NULL, rhs = NULL, *work = NULL;
  PetscInt         number_moved = 0;
  bool             running = false, ran_moved = false; /* the last solve */
  std::vector<Vec> bound;                              /* to the host, during a solve there */
  /* Until the solve: the solution whose guess moved[0] has, and the right-hand side of which moved[1] is a copy */
  Stamp staged[2];
};

/*
   f(), which calls functions of the program and returns a PetscErrorCode: in a moved solve with the program's vectors,
   if the program may read them
*/
template <class F>
PetscErrorCode FusedShown(KSP ksp, F &&f)
{
  const bool    watched = FusedIterateWatched(ksp);
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  if (watched) PetscCall(ctx->placement->Show(ksp));
  const PetscErrorCode code = f();
  if (watched) PetscCall(ctx->placement->Hide(ksp)); /* also after an error: what ends the solve works on the vectors that it began with */
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

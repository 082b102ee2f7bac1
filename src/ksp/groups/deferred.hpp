/*
   A preconditioner whose set-up is left out, because a leader sets up its own. If the program uses it nevertheless, the
   first application makes the set-up.
*/
#pragma once

#include <petscksp.h>
#include <string>

namespace heptane
{

/* A set-up is left out, made as usual, or made and the user is removed */
enum class Deferral { left_out, made, given_up };

/* Decides on each set-up */
class DeferredUser {
public:
  virtual PetscErrorCode SetUpPc(PC pc, Deferral *deferral) = 0;
  virtual PetscErrorCode ViewPc(PC pc, PetscViewer viewer)  = 0;
  virtual PetscErrorCode IsSolver(KSP ksp, bool *is) const  = 0; /* whether ksp is the solver whose solves leave out PCPreSolve() */

protected:
  ~DeferredUser() = default;
};

/* Further set-ups call the user first; no effect for types without a set-up. *why: there is another user */
PetscErrorCode DeferredInstall(PC pc, DeferredUser *user, std::string *why);
/* Whether set-ups call this user */
PetscErrorCode DeferredAsks(PC pc, const DeferredUser *user, bool *asks);
/* Removes the user; left_out: the set-up was left out, and the next PCSetUp() makes it */
PetscErrorCode DeferredRemove(PC pc, bool *left_out);

} // namespace heptane

/*
   A preconditioner whose set-up is left out because that of a leader takes its place. Whoever uses it nevertheless finds
   it set up: the first application makes up for it.
*/
#pragma once

#include <petscpc.h>
#include <string>

namespace heptane
{

/* Whose set-up takes its place */
class DeferredUser {
public:
  /* done: a leader has one, and this process needs none */
  virtual PetscErrorCode SetUpPc(PC pc, bool *done)             = 0;
  virtual PetscErrorCode ViewPc(PC pc, PetscViewer viewer)      = 0;
  virtual PetscErrorCode IsSolver(KSP ksp, bool *is) const      = 0; /* solves of that leave out PCPreSolve() */

protected:
  ~DeferredUser() = default;
};

/* The next set-ups ask the user first; nothing for types without a set-up of their own. *why: another one is asked */
PetscErrorCode DeferredInstall(PC pc, DeferredUser *user, std::string *why);
/* Nobody is asked any more; left_out: the set-up was, and the next PCSetUp() makes it */
PetscErrorCode DeferredRemove(PC pc, bool *left_out);

} // namespace heptane

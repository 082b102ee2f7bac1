/*
   A preconditioner whose set-up is left out because that of a leader takes its place. Whoever uses it nevertheless finds
   it set up: the first application makes up for it.
*/
#pragma once

#include <petscksp.h>
#include <string>

namespace heptane
{

/* What becomes of a set-up: it is left out, made as ever, or made and nobody is asked any more */
enum class Deferral { left_out, made, given_up };

/* Whose set-up takes its place */
class DeferredUser {
public:
  virtual PetscErrorCode SetUpPc(PC pc, Deferral *deferral) = 0;
  virtual PetscErrorCode ViewPc(PC pc, PetscViewer viewer)  = 0;
  virtual PetscErrorCode IsSolver(KSP ksp, bool *is) const  = 0; /* solves of that leave out PCPreSolve() */

protected:
  ~DeferredUser() = default;
};

/* The next set-ups ask the user first; nothing for types without a set-up of their own. *why: another one is asked */
PetscErrorCode DeferredInstall(PC pc, DeferredUser *user, std::string *why);
/* Whether this user is asked */
PetscErrorCode DeferredAsks(PC pc, const DeferredUser *user, bool *asks);
/* Nobody is asked any more; left_out: the set-up was, and the next PCSetUp() makes it */
PetscErrorCode DeferredRemove(PC pc, bool *left_out);

} // namespace heptane

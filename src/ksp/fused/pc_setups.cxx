/*
   The count of set-ups is kept with the preconditioner, whose operation for it is preceded by the counting.
*/
#include "pc_setups.hpp"
#include "../../sys/composed.hpp"
#include <petsc/private/pcimpl.h>

namespace heptane
{

namespace
{

struct PcSetups {
  PetscErrorCode (*setup)(PC) = NULL;
  PetscInt64 count            = 0;
};
const char setups_name[] = "heptane_pc_setups";

PetscErrorCode CountedSetUp(PC P)
{
  PcSetups *s;

  PetscFunctionBegin;
  PetscCall(ComposedGet(P, setups_name, "set-ups of a preconditioner", &s));
  s->count++;
  PetscCall((*s->setup)(P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode FusedPcSetups(PC P, PetscInt64 *setups)
{
  PcSetups *s;

  PetscFunctionBegin;
  PetscCall(ComposedQuery(P, setups_name, &s));
  if (!s) {
    s = new PcSetups;
    PetscCall(Compose(P, setups_name, s));
  }
  if (P->ops->setup && P->ops->setup != CountedSetUp) { /* the first time, and after PCSetType() */
    s->setup      = P->ops->setup;
    P->ops->setup = CountedSetUp;
    s->count++;
  }
  *setups = s->count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

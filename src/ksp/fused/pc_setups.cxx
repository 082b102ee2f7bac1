/*
   The count is kept with the preconditioner, whose set-up function is wrapped by the counter. PCJACOBI checks for zeros
   on the diagonal at each set-up in a host loop, which copies a device vector to the host and back. The wrapper checks
   on the side of the vector.
*/
#include "solver.hpp"
#include "../../sys/composed.hpp"
#include "../../sys/petsc_compat.hpp"
#include "../../sys/vectors.hpp"
#include "../../private/pc.hpp"

namespace heptane
{

namespace
{

struct PcSetups {
  PetscErrorCode (*setup)(PC) = NULL;
  PetscInt64 count            = 0;
  /* the signs of the inverses of PCJACOBI; kept, since allocation costs more than the check */
  Vec signs = NULL;

  PcSetups()                 = default;
  PcSetups(const PcSetups &) = delete;
  ~PcSetups() { (void)VecDestroy(&signs); }
};
const char setups_name[] = "heptane_pc_setups";

/*
   Whether the set-up of P ends with a host loop over a device vector that only replaces zeros, and rows can be counted
   exactly
*/
PetscErrorCode ReplacesZerosOnHost(PC P, PetscBool *replaces)
{
  PetscBool    jacobi, fix;
  PCJacobiType type;
  VecType      vectors;
  PetscInt     rows;

  PetscFunctionBegin;
  *replaces = PETSC_FALSE;
  PetscCall(MatGetSize(P->pmat, &rows, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)P, PCJACOBI, &jacobi));
  if (!jacobi || (PetscReal)rows * PETSC_MACHINE_EPSILON >= 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCJacobiGetFixDiagonal(P, &fix));
  PetscCall(PCJacobiGetType(P, &type));
  if (!fix || type == PC_JACOBI_ROWL1) PetscFunctionReturn(PETSC_SUCCESS); /* fixing then has a further meaning */
  PetscCall(MatGetVecType(P->pmat, &vectors));
  PetscCall(PetscStrendswith(vectors, "cuda", replaces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeSigns(PC P, PcSetups *s)
{
  PetscLayout signs, rows;
  PetscBool   fits = PETSC_FALSE;

  PetscFunctionBegin;
  if (s->signs) {
    PetscCall(VecGetLayout(s->signs, &signs));
    PetscCall(MatGetLayouts(P->pmat, &rows, NULL));
    PetscCall(PetscLayoutCompare(signs, rows, &fits));
  }
  if (fits) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(&s->signs));
  PetscCall(MatCreateVecs(P->pmat, NULL, &s->signs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Whether an inverse of the diagonal is zero on any process: its sign is 0. False before PCApply() has created the
   inverses.
*/
PetscErrorCode HasZeros(PC P, PcSetups *s, PetscBool *zeros)
{
  PetscReal      count;
  PetscErrorCode none;

  PetscFunctionBegin;
  *zeros = PETSC_FALSE;
  PetscCall(MakeSigns(P, s));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  none = PCJacobiGetDiagonal(P, s->signs, NULL); /* an error shows that none exist yet */
  PetscCall(PetscPopErrorHandler());
  if (none) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecPointwiseSign(s->signs, s->signs, VEC_SIGN_ZERO_TO_ZERO));
  PetscCall(VecNorm(s->signs, NORM_1, &count));
  *zeros = (PetscBool)(count != (PetscReal)GlobalSize(s->signs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetUpWithoutHost(PC P, PcSetups *s)
{
  PetscErrorCode failed;
  PetscBool      zeros;

  PetscFunctionBegin;
  PetscCall(PCJacobiSetFixDiagonal(P, PETSC_FALSE));
  failed = (*s->setup)(P);
  PetscCall(PCJacobiSetFixDiagonal(P, PETSC_TRUE));
  PetscCall(failed);
  PetscCall(HasZeros(P, s, &zeros));
  if (zeros) PetscCall((*s->setup)(P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CountedSetUp(PC P)
{
  PcSetups *s;
  PetscBool replaces;

  PetscFunctionBegin;
  PetscCall(ComposedGet(P, setups_name, "set-ups of a preconditioner", &s));
  s->count++;
  PetscCall(ReplacesZerosOnHost(P, &replaces));
  if (replaces) PetscCall(SetUpWithoutHost(P, s));
  else PetscCall((*s->setup)(P));
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

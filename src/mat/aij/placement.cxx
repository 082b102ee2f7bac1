/*
   Data of a derived matrix for a solver that chooses where to run.
*/
#include "derived.hpp"
#include "../../pass/offers/placement.hpp"

namespace heptane
{

PetscErrorCode DerivedGetPlacement(Mat A, MatPlacement *placement)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedPrepareParts(A, m));
  placement->on_device   = m->diag->ValuesIfValid(Where::device) != nullptr;
  placement->value_bytes = sizeof(Scalar) * (double)m->diag->NumValues();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

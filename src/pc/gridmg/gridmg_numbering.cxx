/*
   Numbers of a DMDA: see gridmg_numbering.hpp.
*/
#include "gridmg_numbering.hpp"
#include <petscdmda.h>

namespace heptane
{

PetscErrorCode grid_renumber(DM grid, std::vector<PetscInt> *numbers, bool to_petsc)
{
  AO order;

  PetscFunctionBegin;
  if (!grid) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDAGetAO(grid, &order));
  if (to_petsc) PetscCall(AOApplicationToPetsc(order, static_cast<PetscInt>(numbers->size()), numbers->data()));
  else PetscCall(AOPetscToApplication(order, static_cast<PetscInt>(numbers->size()), numbers->data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode grid_numbers_are_natural(DM grid, bool *same)
{
  PetscInt dimensions, m, n;

  PetscFunctionBegin;
  PetscCall(DMDAGetInfo(grid, &dimensions, NULL, NULL, NULL, &m, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  *same = dimensions == 1 || (m == 1 && (dimensions == 2 || n == 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   Numbers of a DMDA: see numbering.hpp.
*/
#include "numbering.hpp"
#include "../../../sys/collective.hpp"
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

PetscErrorCode grid_numbering_box(DM grid, const int extent[3], GridRegion *region, PetscBool *found)
{
  PetscInt n[3], first[3], count[3];
  int      from[3], size[3];

  PetscFunctionBegin;
  PetscCall(DMDAGetInfo(grid, NULL, n, n + 1, n + 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(DMDAGetCorners(grid, first, first + 1, first + 2, count, count + 1, count + 2));
  *found = PETSC_TRUE;
  for (int a = 0; a < 3; a++) {
    from[a] = static_cast<int>(first[a]);
    size[a] = static_cast<int>(count[a]);
    *found  = (PetscBool)(*found && n[a] == extent[a]);
  }
  *region = GridRegion::Box(from, size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode grid_pattern(Mat A, DM grid, const Stamp &before, Stamp *now, PetscBool *same)
{
  const PetscInt  *garray;
  PetscObjectState pattern;
  PetscObjectId    matrix, points = 0;
  PetscBool        bound;
  Mat              block[2];

  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(A, &pattern));
  PetscCall(MatBoundToCPU(A, &bound));
  PetscCall(PetscObjectGetId((PetscObject)A, &matrix));
  if (grid) PetscCall(PetscObjectGetId((PetscObject)grid, &points));
  *now = Stamp::Of(matrix, pattern, points, bound);
  PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], &garray));
  for (Mat of : block) { /* a program may change only one of them */
    PetscCall(MatGetNonzeroState(of, &pattern));
    PetscCall(PetscObjectGetId((PetscObject)of, &matrix));
    *now << matrix << pattern;
  }
  *same = (PetscBool)(before == *now);
  PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)A), same, 1, MPI_C_BOOL, MPI_LAND));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

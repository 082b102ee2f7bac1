/*
   Setting up, updating and checking one matrix type.
*/
#include "target.hpp"
#include <petsctime.h>
#include <algorithm>

namespace bench
{

PetscErrorCode target_setup(MPI_Comm comm, const Problem &p, const Coo &coo, const DeviceInfo &device, Target *t)
{
  Array<PetscInt> i(new PetscInt[coo.n]), j(new PetscInt[coo.n]); // MatSetPreallocationCOO may change what it is given
  PetscLogDouble  begin, end;
  double          mine, slowest;

  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&t->A));
  std::copy_n(coo.i.get(), coo.n, i.get());
  std::copy_n(coo.j.get(), coo.n, j.get());
  PetscCall(matrix_empty(comm, p, t->type, &t->A));
  PetscCall(device_synchronize(device));
  PetscCallMPI(MPI_Barrier(comm));
  PetscCall(PetscTime(&begin));
  PetscCall(MatSetPreallocationCOO(t->A, coo.n, i.get(), j.get()));
  PetscCall(device_synchronize(device));
  PetscCall(PetscTime(&end));
  mine = end - begin;
  PetscCallMPI(MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm));
  t->setup_seconds.push_back(slowest);
  PetscCall(matrix_on_device(t->A, &t->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode target_vectors(Target *t)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(t->A, &t->x, &t->y));
  PetscCall(fill_x(t->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode target_update(Target *t, InsertMode mode)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetValuesCOO(t->A, t->values, mode));
  t->sum = mode == ADD_VALUES ? t->sum + 1 : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode target_product(Target *t)
{
  PetscFunctionBeginUser;
  PetscCall(MatMult(t->A, t->x, t->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode target_error(MPI_Comm comm, const Reference &ref, Target *t, double *error)
{
  const PetscScalar *y;

  PetscFunctionBeginUser;
  PetscCall(poison(t->y));
  PetscCall(target_product(t));
  PetscCall(VecGetArrayRead(t->y, &y));
  PetscCall(reference_error(comm, ref, t->sum, y, error));
  PetscCall(VecRestoreArrayRead(t->y, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode target_semantics(MPI_Comm comm, const Reference &ref, Target *t, double *error)
{
  double inserted, added;

  PetscFunctionBeginUser;
  PetscCall(MatScale(t->A, -3));
  PetscCall(target_update(t, INSERT_VALUES));
  PetscCall(target_error(comm, ref, t, &inserted));
  PetscCall(target_update(t, ADD_VALUES));
  PetscCall(target_error(comm, ref, t, &added));
  *error = PetscMax(inserted, added);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode target_difference(MPI_Comm comm, const Reference &ref, Target *t, Reference *first, double *difference)
{
  const PetscScalar *y;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(t->y, &y));
  if (first->scale.size() != ref.scale.size()) {
    first->value.assign(y, y + ref.value.size());
    first->scale.resize(ref.scale.size());
    for (size_t row = 0; row < ref.scale.size(); row++) first->scale[row] = t->sum * ref.scale[row];
  }
  PetscCall(reference_error(comm, *first, 1, y, difference));
  PetscCall(VecRestoreArrayRead(t->y, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode target_destroy(Target *t)
{
  PetscFunctionBeginUser;
  for (Vec *v : {&t->x, &t->y}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&t->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

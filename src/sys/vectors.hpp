/*
   Sizes of a vector, and the memory space in which operations on it run.
*/
#pragma once

#include <petscvec.h>

namespace heptane
{

inline PetscInt LocalSize(Vec v)
{
  PetscInt n = 0;

  (void)VecGetLocalSize(v, &n);
  return n;
}

inline PetscInt GlobalSize(Vec v)
{
  PetscInt n = 0;

  (void)VecGetSize(v, &n);
  return n;
}

/* Whether it is of a CUDA type and not bound to the host: vectors of the standard type always are */
inline PetscErrorCode VecRunsOnDevice(Vec v, PetscBool *on)
{
  PetscBool cuda, bound;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)v, &cuda, VECSEQCUDA, VECMPICUDA, ""));
  PetscCall(VecBoundToCPU(v, &bound));
  *on = (PetscBool)(cuda && !bound);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

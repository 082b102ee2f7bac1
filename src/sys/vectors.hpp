/*
   The memory space in which operations on a vector run.
*/
#pragma once

#include <petscvec.h>

namespace heptane
{

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

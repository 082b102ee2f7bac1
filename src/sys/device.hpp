/*
   Whether this run uses a GPU: decided once, when the first matrix of ours is made. No CUDA call happens before.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/* Usable: PETSc has CUDA, neither -heptane_device host nor -device_enable[_cuda] none, and PETSc can initialise a device */
PetscErrorCode DeviceUsable(PetscBool *usable);
/* Forget the decision (PetscFinalize()) */
PetscErrorCode DeviceReset();

} // namespace heptane

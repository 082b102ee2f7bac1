/*
   Whether this run uses a GPU: decided once, when the first matrix of heptane is created. No CUDA call happens earlier.
   Also decides where solves run that are possible on both sides.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/* Usable: PETSc has CUDA, neither -heptane_device host nor -device_enable[_cuda] none, and PETSc can initialise a device */
PetscErrorCode DeviceUsable(PetscBool *usable);
/*
   Whether each process of comm has a usable GPU, and one that no other process has. Collective when a communicator is
   first asked for, remembered for it.
*/
PetscErrorCode DeviceOfOwn(MPI_Comm comm, PetscBool *usable, PetscBool *own);
/* Where solves run whose vectors could be copied, by -heptane_device; `automatic` is its default */
enum class Placing { vectors, automatic, host, device };
extern const char *const placing_names[4];
PetscErrorCode           DevicePlacing(Placing *placing);
/*
   Whether the host may use PETSc's own functions if the format or the fused passes are slower, see SmallTuning: no GPU
   is usable, and -heptane_shortcuts is not false
*/
PetscErrorCode HostShortcuts(PetscBool *may);
/* To be called when it is decided whether a GPU is used, once; null: nothing */
void DeviceWhenDecided(PetscErrorCode (*f)(PetscBool usable));
/* Forget the decision (PetscFinalize()) */
PetscErrorCode DeviceReset();

} // namespace heptane

/*
   Whether this run uses a GPU: decided once, when the first matrix of heptane is created. No CUDA call happens earlier.
   Also decides where solves run that are possible on both sides.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/*
   Usable: PETSc has CUDA, -heptane_device is not host, -device_enable[_cuda] is not none, and PETSc can initialise a
   device
*/
PetscErrorCode DeviceUsable(PetscBool *usable);
/*
   Whether each process of comm has a usable GPU that no other process has. Collective at the first call for a
   communicator, which caches the result.
*/
PetscErrorCode DeviceExclusive(MPI_Comm comm, PetscBool *usable, PetscBool *exclusive);
/* Place of solves whose vectors could be copied, by -heptane_device; `automatic` is the default */
enum class Placing { vectors, automatic, host, device };
extern const char *const placing_names[4];
PetscErrorCode           DevicePlacing(Placing *placing);
/*
   Whether the host may use PETSc's own functions if the format or the fused passes are slower, see SmallTuning: no GPU
   is usable, and -heptane_shortcuts is not false
*/
PetscErrorCode HostShortcuts(PetscBool *may);
/* Sets the function that is called once when the use of a GPU is decided; null: none */
void DeviceWhenDecided(PetscErrorCode (*f)(PetscBool usable));
/* Forgets the decision (PetscFinalize()) */
PetscErrorCode DeviceReset();

} // namespace heptane

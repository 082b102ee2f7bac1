/*
   The order of kernels that wait for other ranks.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/*
   Before a kernel that waits for other ranks is launched on PETSc's current stream: it begins after all such kernels that this process has launched before. On the same stream nothing is to be done,
   on another one the host waits for the device.
   Why: two of them that run at a time hold places on the multiprocessors for which blocks of the other have to wait, here and on another rank, and these blocks may have what is waited for.
   One behind the other they are what blocking calls are: each waits for kernels alone that other ranks launch where they have come to the same call.
*/
PetscErrorCode PeerInOrder();

} // namespace heptane

/*
   The order of kernels that wait for other ranks.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/*
   Called before the launch of a kernel that depends on other ranks, on PETSc's current stream: orders it after all such
   kernels of this process. Does nothing on the same stream; on another stream the host synchronizes the device.
   Reason: two concurrent kernels of this kind can deadlock. Each occupies multiprocessors that blocks of the other
   need, on this or another rank, and these blocks may produce the data that is waited for. In order they behave as
   blocking calls: a kernel depends only on kernels that other ranks launch in the same call.
*/
PetscErrorCode PeerInOrder();

} // namespace heptane

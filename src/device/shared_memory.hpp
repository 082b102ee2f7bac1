/*
   Arrays that more than one may hold: the last of them frees the memory. Glue, as memory.hpp.
*/
#pragma once

#include "memory.hpp"
#include <memory>

namespace heptane
{

/* Of an array of PetscMalloc() */
template <class T>
std::shared_ptr<T> shared_on_host(T *array)
{
  return std::shared_ptr<T>(array, [](T *a) { PetscCallAbort(PETSC_COMM_SELF, PetscFree(a)); });
}

/* Of an array of DeviceMalloc() */
template <class T>
std::shared_ptr<T> shared_on_device(T *array)
{
  return std::shared_ptr<T>(array, [](T *a) { PetscCallAbort(PETSC_COMM_SELF, DeviceFree(&a)); });
}

} // namespace heptane

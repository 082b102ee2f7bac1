/*
   Memory for scalars on the host or on the device that is kept where it is large enough for the next use. That there is none left is no error. Glue, as memory.hpp.
*/
#pragma once

#include "memory.hpp"
#include "scalar.hpp"
#include <algorithm>
#include <new>

namespace heptane
{

class KeptMemory {
public:
  KeptMemory()                              = default;
  KeptMemory(const KeptMemory &)            = delete;
  KeptMemory &operator=(const KeptMemory &) = delete;
  ~KeptMemory() { Free(); }

  /* For so many scalars there; what they held is lost where others are taken. got: whether there is memory for them. */
  PetscErrorCode Reserve(std::size_t scalars, bool on_device, bool *got)
  {
    PetscFunctionBegin;
    if (!first || room < scalars || device != on_device) {
      const std::size_t some = std::max<std::size_t>(scalars, 1);

      Free();
      device = on_device;
      if (device) PetscCall(DeviceTryMalloc(some, &first));
      else first = new (std::nothrow) Scalar[some];
      if (first) room = scalars;
    }
    *got = first != nullptr;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  void Free()
  {
    if (device) PetscCallAbort(PETSC_COMM_SELF, DeviceFree(&first));
    else delete[] first;
    first = nullptr;
    room  = 0;
  }

  Scalar     *Scalars() const { return first; } /* null: there are none */
  std::size_t Room() const { return room; }
  bool        OnDevice() const { return device; }

private:
  Scalar     *first  = nullptr;
  std::size_t room   = 0;
  bool        device = false;
};

} // namespace heptane

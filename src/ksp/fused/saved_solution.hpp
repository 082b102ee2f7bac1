/*
   Copy of the solution after the best update in mixed precision, in the memory of the passes. A solve returns to it if
   single precision has made the solution worse. Glue.
*/
#pragma once

#include "../../device/buffer.hpp"
#include <cstring>

namespace heptane
{

class SavedSolution {
public:
  /* Allocates n numbers; got: memory was available */
  PetscErrorCode Make(std::size_t n, bool on_device, bool *got)
  {
    Scalar *array;

    PetscFunctionBegin;
    where = on_device ? Where::device : Where::host;
    rows  = n;
    memory.Resize(PetscMax(n, std::size_t(1)));
    PetscCall(memory.TryMemory(where, &array));
    *got = array != nullptr;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  Scalar        *Array() { return memory.At(where); } /* for the solution */
  PetscErrorCode Rollback(Scalar *x) const { return Copy(memory.At(where), x); }
  void           Free() { memory.Free(); }

private:
  PetscErrorCode Copy(const Scalar *from, Scalar *to) const
  {
    PetscFunctionBegin;
    if (!rows) PetscFunctionReturn(PETSC_SUCCESS);
    if (where == Where::host) std::memcpy(to, from, rows * sizeof(Scalar));
#if PetscDefined(HAVE_CUDA)
    else {
      cudaStream_t stream;

      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(cudaMemcpyAsync(to, from, rows * sizeof(Scalar), cudaMemcpyDeviceToDevice, stream));
    }
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  Buffer<Scalar> memory;
  Where          where = Where::host;
  std::size_t    rows  = 0;
};

} // namespace heptane

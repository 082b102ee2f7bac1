/*
   Memory of a solve in mixed precision, in addition to vectors and copy. Glue.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "../../pass/offers/mixed_updates.hpp"
#include <cstring>

namespace heptane
{

/* Copy of the solution after the best update, in the memory of the passes. A solve returns to it if single precision has
   made the solution worse. */
class SavedSolution {
public:
  /* Allocates n numbers; got: memory was available */
  PetscErrorCode Make(std::size_t n, bool on_device, bool *got)
  {
    Scalar *array;

    PetscFunctionBegin;
    where = on_device ? Where::device : Where::host;
    memory.Resize(n);
    PetscCall(memory.TryMemory(where, &array));
    *got = array != nullptr;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  Scalar        *Array() { return memory.At(where); } /* for the solution */
  PetscErrorCode Rollback(Scalar *x) const
  {
    const std::size_t bytes = memory.Size() * sizeof(Scalar);

    PetscFunctionBegin;
    if (bytes && where == Where::host) std::memcpy(x, memory.At(where), bytes);
#if PetscDefined(HAVE_CUDA)
    else if (bytes) {
      cudaStream_t stream;

      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(cudaMemcpyAsync(x, memory.At(where), bytes, cudaMemcpyDeviceToDevice, stream));
    }
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  void Free()
  {
    memory.Free();
  }

private:
  Buffer<Scalar> memory;
  Where          where = Where::host;
};

/* Results for the host of a persistent kernel that makes updates: host memory that the device writes */
class MixedResultMemory {
public:
  MixedResultMemory()                                     = default;
  MixedResultMemory(const MixedResultMemory &)            = delete;
  MixedResultMemory &operator=(const MixedResultMemory &) = delete;
  ~MixedResultMemory() { Free(); }

  /* Null before Make() */
  MixedResult   *Get() const { return memory; }
  PetscErrorCode Make()
  {
    PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
    if (!memory) PetscCallCUDA(cudaMallocHost((void **)&memory, sizeof(MixedResult)));
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  void Free()
  {
#if PetscDefined(HAVE_CUDA)
    if (memory) (void)cudaFreeHost(memory);
#endif
    memory = nullptr;
  }

private:
  MixedResult *memory = nullptr;
};

} // namespace heptane

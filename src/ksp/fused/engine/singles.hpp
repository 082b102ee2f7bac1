/*
   Vectors of a solver's own that are stored as Single. Glue.
*/
#pragma once

#include "../../../device/buffer.hpp"

namespace heptane
{

class FusedSingles {
public:
  /*
     Vectors of n numbers, each on a 256-byte boundary, in the memory of the passes: allocated at the first call, kept
     from solve to solve. Each is padded to 256 bytes with zeros, which products read. got: memory was available.
  */
  PetscErrorCode Get(int number, std::size_t n, bool on_device, Single *vectors[], bool *got)
  {
    constexpr std::size_t line  = 256 / sizeof(Single);
    const Where           where = on_device ? Where::device : Where::host;
    const std::size_t     ld    = (n + line - 1) / line * line;
    Single               *first;

    PetscFunctionBegin;
    if (memory.At(on_device ? Where::host : Where::device)) memory.Free();
    if (memory.Size() < number * ld || !memory.At(where)) cleared = 0;
    memory.Resize(PetscMax(memory.Size(), number * ld));
    PetscCall(memory.TryMemory(where, &first));
    *got = first != nullptr;
    if (*got && cleared != n) PetscCall(Clear(first, on_device));
    cleared = n;
    for (int k = 0; k < number; k++) vectors[k] = first + k * ld;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  void          Free() { memory.Free(); }
  const Single *First(bool on_device) const { return memory.At(on_device ? Where::device : Where::host); }

private:
  PetscErrorCode Clear(Single *first, bool on_device)
  {
    PetscFunctionBegin;
    if (!on_device) std::fill_n(first, memory.Size(), Single(0));
#if PetscDefined(HAVE_CUDA)
    else {
      cudaStream_t stream;

      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(cudaMemsetAsync(first, 0, memory.Size() * sizeof(Single), stream));
    }
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  Buffer<Single> memory;
  std::size_t    cleared = 0; /* n for which the padding is zero */
};

} // namespace heptane

/*
   Vectors of a solver in addition to PETSc's work vectors, kept from solve to solve. Glue.
*/
#pragma once

#include "../../../device/buffer.hpp"
#include "../../../pass/pass_tuning.hpp"

namespace heptane
{

class FusedScratch {
public:
  static constexpr int most = PassTuning::cg_directions - 1;
  /* `number` vectors of n scalars, allocated at the first call; got: memory was available */
  PetscErrorCode Get(int number, std::size_t n, bool on_device, Scalar *given[], bool *got)
  {
    PetscFunctionBegin;
    *got = true;
    if (vectors[0].At(on_device ? Where::host : Where::device)) Free();
    for (int k = 0; k < number && *got; k++) {
      vectors[k].Resize(PetscMax(vectors[k].Size(), n));
      PetscCall(vectors[k].TryMemory(on_device ? Where::device : Where::host, &given[k]));
      *got = given[k] != nullptr;
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const auto &Vectors() const { return vectors; }
  void        Free()
  {
    for (Buffer<Scalar> &vector : vectors) vector.Free();
  }

private:
  Buffer<Scalar> vectors[most];
};

} // namespace heptane

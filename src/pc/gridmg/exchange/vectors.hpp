/*
   The arrays of a right-hand side and a solution in the memory space of the cycle: the arrays of the vectors, or
   copies.
*/
#pragma once

#include "../../../device/buffer.hpp"
#include "../../../device/scalar.hpp"
#include <petscvec.h>

namespace heptane
{

class GridVectors {
public:
  /* Valid until the array is restored; both only on the process that has them */
  PetscErrorCode Read(Where where, Vec x, const Scalar **array);
  PetscErrorCode DoneReading(Where where, Vec x, const Scalar **array);
  PetscErrorCode Write(Where where, Vec y, Scalar **array);
  PetscErrorCode DoneWriting(Where where, Vec y, Scalar **array);

private:
  Buffer<Scalar> copy[2];           /* on the device, of host vectors */
  const Scalar  *read    = nullptr; /* arrays of the vectors */
  Scalar        *written = nullptr;
};

} // namespace heptane

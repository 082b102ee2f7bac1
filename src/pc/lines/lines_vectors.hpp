/*
   The arrays of a vector that is read and of one that is written, where lines are, whatever the place of the vectors. Glue.
*/
#pragma once

#include "../../device/buffer.hpp"
#include <petscvec.h>

namespace heptane
{

class LinesArrays {
public:
  /* keep: the values of y count */
  PetscErrorCode Begin(Vec x, Vec y, bool on_device, bool keep, const PetscScalar **from, PetscScalar **to);
  PetscErrorCode End(Vec x, Vec y);

private:
  bool                device = false;
  const PetscScalar  *read   = nullptr;
  PetscScalar        *write = nullptr, *there[2] = {nullptr, nullptr};
  std::size_t         n = 0;
  Buffer<PetscScalar> staged[2]; /* vectors that are on the host, on the device */
};

} // namespace heptane

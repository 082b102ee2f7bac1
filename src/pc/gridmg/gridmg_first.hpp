/*
   Vectors of all processes on the first one, which has the whole grid, and back.
*/
#pragma once

#include <petscvec.h>

namespace heptane
{

class GridFirst {
public:
  virtual ~GridFirst() = default;

  /* Collective; x and y are those of all processes */
  virtual PetscErrorCode ToFirst(Vec x)   = 0;
  virtual PetscErrorCode FromFirst(Vec y) = 0;
  /* What ToFirst() writes, what FromFirst() reads; empty on the other processes */
  virtual Vec In() const  = 0;
  virtual Vec Out() const = 0;
  /* What -ksp_view calls it */
  virtual const char *Name() const = 0;
};

} // namespace heptane

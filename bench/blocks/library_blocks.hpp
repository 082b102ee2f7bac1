/*
   Inverses and factors of many dense blocks by a library called without PETSc. Blocks packed one after another.
*/
#pragma once
#include <petscsys.h>

namespace bench
{

class LibraryBlocks {
public:
  virtual ~LibraryBlocks()        = default;
  virtual PetscErrorCode before() = 0; // not timed: what the call overwrites
  virtual PetscErrorCode call()   = 0;
  // x = A^-1 p for each block, on the host, with what the call left; p becomes x
  virtual PetscErrorCode solve(PetscScalar p[]) = 0;
  virtual PetscErrorCode destroy()              = 0;
};

} // namespace bench

/*
   Inverses of many dense blocks by cuBLAS called without PETSc: getrf and getri batched, matinv batched (to 32 rows). Blocks packed one after another.
*/
#pragma once
#include <petscsys.h>
#include <memory>
#include <string>
#include <vector>

namespace bench
{

class CublasBlocks {
public:
  virtual ~CublasBlocks()                         = default;
  virtual PetscErrorCode before()                 = 0; // not timed: what the call overwrites
  virtual PetscErrorCode call()                   = 0;
  virtual PetscErrorCode inverse(PetscScalar c[]) = 0; // to the host, packed as the blocks were given
  virtual PetscErrorCode destroy()                = 0;
};

// name: cublas-getri or cublas-matinv; blocks: count blocks of b * b values on the host, any order of the entries (an inverse has the same)
PetscErrorCode cublas_blocks(const std::string &name, const PetscScalar blocks[], PetscInt count, PetscInt b, std::unique_ptr<CublasBlocks> *made);

} // namespace bench

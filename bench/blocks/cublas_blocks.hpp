/*
   Inverses and factors of many dense blocks by cuBLAS called without PETSc: getrf and getri batched, matinv batched (to 32 rows), getrf alone, geqrf. Blocks packed one after another.
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
  virtual ~CublasBlocks()         = default;
  virtual PetscErrorCode before() = 0; // not timed: what the call overwrites
  virtual PetscErrorCode call()   = 0;
  // x = A^-1 p for each block, on the host, with what the call left; p becomes x
  virtual PetscErrorCode solve(PetscScalar p[]) = 0;
  virtual PetscErrorCode destroy()              = 0;
};

// name: cublas-getri, cublas-matinv, cublas-getrf, cublas-geqrf; blocks: count blocks of b * b values on the host, row by row
PetscErrorCode cublas_blocks(const std::string &name, const PetscScalar blocks[], PetscInt count, PetscInt b, std::unique_ptr<CublasBlocks> *made);

} // namespace bench

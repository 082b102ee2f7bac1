/*
   Inverses and factors of many dense blocks by cuBLAS called without PETSc: getrf and getri batched, matinv batched (to 32 rows), getrf alone, geqrf.
*/
#pragma once
#include "library_blocks.hpp"
#include <memory>
#include <string>
#include <vector>

namespace bench
{

// name: cublas-getri, cublas-matinv, cublas-getrf, cublas-geqrf; blocks: count blocks of b * b values on the host, row by row
PetscErrorCode cublas_blocks(const std::string &name, const PetscScalar blocks[], PetscInt count, PetscInt b, std::unique_ptr<LibraryBlocks> *made);

} // namespace bench

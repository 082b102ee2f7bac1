/*
   Factors of many dense blocks by LAPACK on the host, one block after another.
*/
#pragma once
#include "library_blocks.hpp"
#include <memory>
#include <string>

namespace bench
{

// name: lapack-getrf, lapack-geqrf; blocks: count blocks of b * b values, row by row
PetscErrorCode lapack_blocks(const std::string &name, const PetscScalar blocks[], PetscInt count, PetscInt b, std::unique_ptr<LibraryBlocks> *made);

} // namespace bench

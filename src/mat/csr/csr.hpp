/*
   A view of the pattern of one sequential compressed-row matrix, as stored by PETSc's SeqAIJ. Columns need not be
   sorted.
*/
#pragma once

#include "../../device/scalar.hpp"

namespace heptane
{

struct Csr {
  PetscInt        rows = 0, cols = 0;
  const PetscInt *ptr = nullptr; /* [rows + 1], null when rows == 0 */
  const PetscInt *col = nullptr; /* [ptr[rows]] */

  PetscInt nnz() const { return rows ? ptr[rows] : 0; }
};

} // namespace heptane

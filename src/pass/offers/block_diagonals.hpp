/*
   The interface of a block-diagonal matrix to preconditioners of structured grids: the location of its values, and the
   remainder entries.
*/
#pragma once

#include "../../device/scalar.hpp"
#include <cstdint>
#include <vector>

struct _p_Mat; /* a Mat points to it: kernels include this and know no PETSc objects */

namespace heptane
{

/*
   Entry s of row `row` on block diagonal r, in column (row / block + offset[r]) * block + s, is values[(r * block + s)
   * ld + row]. Valid until the matrix changes.
*/
struct BlockDiagonals {
  int           rows = 0, block = 1, ndiag = 0; /* rows: scalar. ndiag 0 in a matrix with entries: all are remainder entries */
  std::size_t   ld     = 0;
  const int    *offset = nullptr; /* in cells, ascending, on the host */
  const Scalar *values = nullptr;
  /*
     remainder entries: compressed rows of the nonempty rows, lists on the host, values in the memory space of `values`
  */
  const std::vector<int> *remainder_row = nullptr, *remainder_ptr = nullptr, *remainder_col = nullptr;
  const Scalar           *remainder_values = nullptr;
  std::uint64_t           layout           = 0;    /* changes whenever anything other than values may have changed */
  double                  least            = 0.25; /* least filled fraction of a diagonal */
};

/*
   A matrix type composes this struct under this name, in a container, on sequential matrices and on the diagonal blocks
   of parallel ones. It is no composed function, as PETSc requires these to be removed before the matrix is destroyed,
   and the type is not told when a diagonal block is. device: on input, whether the values may be on the device; on
   output, whether they are.
*/
struct BlockDiagonalsSource {
  PetscErrorCode (*get)(struct _p_Mat *A, BlockDiagonals *D, PetscBool *device);
};
inline constexpr char block_diagonals_name[] = "heptane_block_diagonals";

} // namespace heptane

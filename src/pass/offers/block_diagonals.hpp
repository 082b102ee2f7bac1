/*
   What a matrix whose entries lie on block diagonals offers preconditioners of structured grids: where its values are, and the entries beside the diagonals.
*/
#pragma once

#include "../../device/scalar.hpp"
#include <cstdint>
#include <vector>

struct _p_Mat; /* a Mat points to it: kernels include this and know no PETSc objects */

namespace heptane
{

/* Entry s of row `row` on block diagonal r, in column (row / block + offset[r]) * block + s, is values[(r * block + s) * ld + row]. Valid until the matrix changes. */
struct BlockDiagonals {
  int           rows = 0, block = 1, ndiag = 0; /* rows: scalar. ndiag 0 in a matrix with entries: none of them lies on a diagonal */
  std::size_t   ld     = 0;
  const int    *offset = nullptr; /* in cells, ascending, on the host */
  const Scalar *values = nullptr;
  /* entries elsewhere: compressed rows of the rows that have any, lists on the host, values beside `values` */
  const std::vector<int> *rem_row = nullptr, *rem_ptr = nullptr, *rem_col = nullptr;
  const Scalar           *rem_values = nullptr;
  std::uint64_t           layout     = 0;    /* another number where anything but values may have changed */
  double                  least      = 0.25; /* part of a diagonal that has to be filled for it to be one */
};

/*
   What a matrix type composes under this name, as a container, on sequential matrices and on the diagonal blocks of parallel ones, which live and die without the type's knowledge: PETSc wants
   composed functions to be taken back before that. device: before, whether the values may be on the device; after, whether they are, or on the host.
*/
struct BlockDiagonalsSource {
  PetscErrorCode (*get)(struct _p_Mat *A, BlockDiagonals *D, PetscBool *device);
};
inline constexpr char block_diagonals_name[] = "heptane_block_diagonals";

} // namespace heptane

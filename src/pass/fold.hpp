/*
   Folding: the preconditioner M^-1 is multiplied into a copy of the matrix, so that an iteration has no preconditioner
   step. The scaling factors of rows and columns, for host and device. Has no PETSc objects.
*/
#pragma once

#include "../device/single_range.hpp"
#include <cmath>

namespace heptane
{

enum class FusedSide : int {
  none,
  left,  /* M^-1 A */
  right, /* A M^-1 */
  both   /* M^-1/2 A M^-1/2, if M is diagonal and positive */
};

/* M^-1 as in FusedPc: point inverses (block = 1), or columns of block inverses */
struct FusedScaling {
  FusedSide     side    = FusedSide::none;
  int           block   = 1;
  const Scalar *inverse = nullptr;
  std::size_t   ld      = 0;
};

/*
   The part of a scaled copy that is stored. Begins with the form of the fewest bytes; a check of the copy decides
   whether it suffices
*/
enum class FoldForm : int {
  upper, /* only the diagonals above the unit diagonal of a symmetric matrix */
  unit,  /* all but the diagonal blocks, which are unit matrices */
  whole
};

/* Properties of a scaled row, as bits */
enum FusedScaled : int {
  scaled_not_unit      = 1, /* its diagonal block is not the unit matrix, up to block_inverse_tolerance */
  scaled_not_positive  = 2, /* FusedSide::both: the row's point inverse has no square root */
  scaled_not_symmetric = 4, /* an entry differs from its transposed entry */
  scaled_out_of_range  = 8  /* a number that is stored as Single overflows, or a factor of the vectors is too large or too small */
};

/* M^-1/2 of a row */
HEPTANE_HD Scalar half_of(Scalar inverse)
{
  return std::sqrt(inverse);
}

} // namespace heptane

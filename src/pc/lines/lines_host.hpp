/*
   The host executor of lines and of the elimination of red columns.
*/
#pragma once

#include "lines_system.hpp"
#include "redblack_rows.hpp"

namespace heptane
{

/* Factors of all lines from the matrix */
template <class Real>
void lines_setup_host(const GridMatrix &A, const LinesSystem<Real> &S, GridReport *report);
/* z = M^-1 r */
template <class Real>
void lines_apply_host(const LinesSystem<Real> &S, const Scalar *r, Scalar *z);

/* `exact`, and the values of the list of entries */
void redblack_setup_host(const GridMatrix &A, const Scalar *beside, const RedBlack &R, const std::int64_t *source, int entries, Scalar *values,
                         GridReport *report);
/* x of red columns = A_rr^-1 (r - A_rb u), r of the whole matrix, u of the remaining unknowns; either may be null. z: of the whole matrix, gets it too; may be null */
void redblack_red_host(const RedBlack &R, const Scalar *r, const Scalar *u, Scalar *z);
/* y = S u behind redblack_red_host(R, null, u, null) */
void redblack_product_host(const RedBlack &R, const Scalar *u, Scalar *y);
/* g = what is left of r, behind redblack_red_host(R, r, null, null) */
void redblack_enter_host(const RedBlack &R, const Scalar *r, Scalar *g);
/* Remaining unknowns to the whole vector (leave), or from there */
void redblack_copy_host(const RedBlack &R, bool leave, Scalar *whole, Scalar *left);

} // namespace heptane

/*
   Launches of lines and of the elimination of red columns. They return the CUDA error and do not synchronise.
*/
#pragma once

#include "../../pass/pc_rows.hpp"
#include "lines_system.hpp"
#include "redblack_rows.hpp"
#include <cuda_runtime.h>

namespace heptane
{

/* Factors of all lines from the matrix */
template <class Real>
cudaError_t launch_lines_setup(const GridMatrix &A, const LinesSystem<Real> &S, GridReport *report, cudaStream_t stream);
/* z = M^-1 r, one kernel */
template <class Real>
cudaError_t launch_lines_apply(const LinesSystem<Real> &S, const Scalar *r, Scalar *z, cudaStream_t stream);
/* ... with several unknowns per cell */
template <class Real>
cudaError_t launch_lines_blocks(const LinesSystem<Real> &S, const Scalar *r, Scalar *z, cudaStream_t stream);

/* `exact`, and the values of the list of entries */
cudaError_t launch_redblack_setup(const GridMatrix &A, const Scalar *beside, const RedBlack &R, const std::int64_t *source, int entries, Scalar *values,
                                  GridReport *report, cudaStream_t stream);
/*
   x of red columns = A_rr^-1 (r - A_rb u), r of the whole matrix or null, u the vector that the product P is of, or none where P.q is null; z: of the whole matrix, gets it too, or null. S: the
   scalars of the iteration, which may stand still; null: there are none.
*/
cudaError_t launch_redblack_red(const RedBlack &R, const Scalar *r, const FusedProduct &P, const FusedScalars *S, bool chained, Scalar *z, cudaStream_t stream);
cudaError_t launch_redblack_red_blocks(const RedBlack &R, const Scalar *r, const FusedProduct &P, const FusedScalars *S, bool chained, Scalar *z,
                                       cudaStream_t stream);
/* The product with the Schur complement behind it, and its sums */
cudaError_t launch_redblack_product(const RedBlack &R, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);
/* g = what is left of r, behind launch_redblack_red() of r alone */
cudaError_t launch_redblack_enter(const RedBlack &R, const Scalar *r, Scalar *g, cudaStream_t stream);
/* Remaining unknowns to the whole vector (leave), or from there */
cudaError_t launch_redblack_copy(const RedBlack &R, bool leave, Scalar *whole, Scalar *left, cudaStream_t stream);

} // namespace heptane

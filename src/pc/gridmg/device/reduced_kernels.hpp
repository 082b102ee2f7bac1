/*
   Launches of CG without red columns. They return the CUDA error and do not synchronise.
*/
#pragma once

#include "../../../pass/offers/reduced_cg.hpp"
#include "../rows/reduced_rows.hpp"
#include "../rows/system.hpp"
#include <cuda_runtime.h>

namespace heptane
{

template <class Real>
cudaError_t launch_reduced_load(const GridMatrix &A, const GridReduced<Real> &R, cudaStream_t stream);
/* Together with the finest level of the cycle, for which A is scaled */
template <class Real>
cudaError_t launch_reduced_load_both(const GridMatrix &A, const GridReduced<Real> &R, GridReport *report, cudaStream_t stream);
template <class Real>
cudaError_t launch_reduced_factor(const GridReduced<Real> &R, GridReport *report, cudaStream_t stream);
/* Red lines for the residual of the solver, the residual of black cells, and the first half sweep */
template <class Real>
cudaError_t launch_reduced_start(const GridReduced<Real> &R, const Scalar *r, bool chained, cudaStream_t stream);
template <class Real>
cudaError_t launch_reduced_product(const GridReduced<Real> &R, const FusedState &state, const FusedReduction &red, cudaStream_t stream);
/* Updates x and r, then the first half sweep; norm: the norm of r is computed */
template <class Real>
cudaError_t launch_reduced_first(const GridReduced<Real> &R, bool norm, const FusedState &state, const FusedReduction &red, cudaStream_t stream);
/* The last two half sweeps, with sums: see ReducedCg::HostCycle() */
template <class Real>
cudaError_t launch_reduced_black(const GridReduced<Real> &R, const GridLevel<Real> &coarse, bool of_z, int at, const FusedReduction &red, cudaStream_t stream);
template <class Real>
cudaError_t launch_reduced_red(const GridReduced<Real> &R, bool of_z, int at, const FusedReduction &red, cudaStream_t stream);
template <class Real>
cudaError_t launch_reduced_finish(const GridReduced<Real> &R, const Scalar *from, bool zero, Scalar *x, Scalar *r, cudaStream_t stream);
/* Most blocks of any of these kernels */
template <class Real>
unsigned reduced_blocks(const GridReduced<Real> &R);

} // namespace heptane

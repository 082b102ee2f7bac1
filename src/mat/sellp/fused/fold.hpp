/*
   Launcher of the scaling of slices by a preconditioner. Only with CUDA.
*/
#pragma once

#include "../../../pass/fold.hpp"
#include "../../../pass/remainder_rows.hpp"
#include "../format/rows.hpp"
#include <cuda_runtime.h>

namespace heptane
{

/* sellp_fold_row() of every row into `copy` and, if that is not null, `dropped`; the rows' result bits are added to
   *note (on the device) */
cudaError_t launch_sellp_fold(const SellpSlices &A, const FusedScaling &F, Scalar *copy, std::uint16_t *dropped, int *note, cudaStream_t stream);
/* The same, rounded, and fold_remainder_row() of the rows put aside into `remainder`; FusedSide::none:
   sellp_round_row() and copy_remainder_row() */
cudaError_t launch_sellp_fold(const SellpSlices &A, const RemainderRows &R, const FusedScaling &F, Single *copy, std::uint16_t *dropped, Scalar *remainder,
                              int *note, cudaStream_t stream);

} // namespace heptane

/*
   Launcher of the scaling of block diagonals by a preconditioner. Only with CUDA.
*/
#pragma once

#include "../../../pass/fold.hpp"
#include "../../../pass/remainder_rows.hpp"
#include "../format/rows.hpp"
#include <cuda_runtime.h>

namespace heptane
{

/* bdiagh_fold_row(), with FoldForm::upper bdiagh_fold_upper_row(), of every row into `diagonals`, fold_remainder_row()
   into `remainder`; the rows' result bits are added to *note (on the device) */
cudaError_t launch_bdiagh_fold(const BdiaghDiagonals &D, const RemainderRows &R, const FusedScaling &, FoldForm, int main_diagonal, Scalar *diagonals,
                               Scalar *remainder, int *note, cudaStream_t stream);
/* The same, rounded; FusedSide::none: bdiagh_round_row() */
cudaError_t launch_bdiagh_fold(const BdiaghDiagonals &D, const RemainderRows &R, const FusedScaling &, FoldForm, int main_diagonal, Single *diagonals,
                               Scalar *remainder, int *note, cudaStream_t stream);

} // namespace heptane

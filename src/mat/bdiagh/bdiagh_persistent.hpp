/*
   Whole solves by CG and BiCGStab in one kernel whose blocks are all resident: vectors, and the matrix where it fits, stay in registers and shared
   memory. Launches on the current device; never synchronises. Knows no PETSc objects.
*/
#pragma once

#include "../../pass/operator.hpp"
#include "bdiagh_remainder_plans.hpp"
#include "bdiagh_rows.hpp"

namespace heptane
{

/*
   Goes on with the iteration whose state is in V's vectors and *S (device) until it stops, as the kernels of the method's steps would, and leaves the state
   as they would; exchange[] is overwritten. reduction: history and history_length, at least the iterations that remain, are used.
   A: square; main_diagonal: its index into A.offset, -1 where it has none. remainder: null where there is none, else its plans, and remainder_values on the device.
   fits: false, and nothing launched, where no such kernel is for the method, block size, preconditioner, number of diagonals or size, or where V.blocks is
   more than *max_blocks, the blocks that can be resident (0 where that was not found out). launch: false answers that question alone.
   Bytes an iteration: the values that do not fit into shared memory (BiCGStab twice), 8 to 32 a row for exchanged vectors; two reductions.
*/
cudaError_t launch_bdiagh_persistent(const BdiaghDiagonals &A, int main_diagonal, BdiaghRemainderPlans *remainder, const Scalar *remainder_values,
                                     const FusedPersistent &V, FusedScalars *S, const FusedReduction &reduction, cudaStream_t stream, bool launch, bool *fits,
                                     int *max_blocks);

} // namespace heptane

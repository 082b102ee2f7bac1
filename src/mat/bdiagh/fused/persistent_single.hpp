/*
   Whole stretches of CG and BiCGStab in one kernel whose blocks are all resident, between two updates of mixed
   precision: vectors and the copy of the matrix are stored as Single, in registers and shared memory if they fit.
   Launches on the current device; never synchronises. No PETSc objects.
*/
#pragma once

#include "../../../pass/offers/operator.hpp"
#include "../format/rows.hpp"

namespace heptane
{

/* answer->fits: there is a kernel for the method, the form of the copy, its diagonals and its size, and V.blocks blocks
   can be resident */
cudaError_t bdiagh_persistent_single_fits(const BdiaghDiagonalsOf<Single> &D, FoldForm form, const FusedSinglePersistent &V, FusedResident *answer);

/*
   Continues the iteration whose state is in V's vectors and *S (device) until it stops, and leaves the same state as
   the kernels of the method's steps, with a complete solution; exchange[] is overwritten. *launched: false if it does
   not fit, or if the device refuses.
   Bytes per iteration and row: 4 written and 8 read for each product, and the values and weights that do not fit into
   shared memory; two sums, and one exchange between neighbours per product.
*/
cudaError_t launch_bdiagh_persistent_single(const BdiaghDiagonalsOf<Single> &D, FoldForm form, const FusedSinglePersistent &V, FusedScalars *S,
                                            const FusedReduction &reduction, cudaStream_t stream, bool *launched);

} // namespace heptane

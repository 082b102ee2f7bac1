/*
   Whole solves by CG and BiCGStab in one kernel whose blocks are all resident: vectors, and the matrix where it fits, stay in registers and shared
   memory. Launches on the current device; never synchronises. Knows no PETSc objects.
*/
#pragma once

#include "../../../pass/offers/operator.hpp"
#include "../format/rows.hpp"
#include "remainder_plans.hpp"

namespace heptane
{

/* What such a solve multiplies with: on the device, square */
struct BdiaghResidentMatrix {
  const BdiaghDiagonals &A;
  int                    main_diagonal;    /* its index into A.offset, -1 where it has none */
  BdiaghRemainderPlans  *remainder;        /* its plans, null where there is none */
  const Scalar          *remainder_values; /* on the device */
  std::uint64_t          version;          /* FusedOperator::Version() */
};

/*
   answer->fits: there is a kernel for the method, block size, preconditioner, number of diagonals and size, and V.blocks is not more than the blocks that can be resident. The plan of the
   remainder is brought to the device where it is not there yet.
*/
cudaError_t bdiagh_persistent_fits(const BdiaghResidentMatrix &matrix, const FusedPersistent &V, cudaStream_t stream, FusedResident *answer);

/*
   Goes on with the iteration whose state is in V's vectors and *S (device) until it stops, as the kernels of the method's steps would, and leaves the state
   as they would; exchange[] is overwritten. reduction: history and history_length, at least the iterations that remain, are used.
   *launched: false where it does not fit, or where the device refuses: part of it may belong to others, which the occupancy does not show.
   Bytes per iteration: the values that do not fit into shared memory (BiCGStab twice), 8 to 32 per row for exchanged vectors; two reductions.
*/
cudaError_t launch_bdiagh_persistent(const BdiaghResidentMatrix &matrix, const FusedPersistent &V, FusedScalars *S, const FusedReduction &reduction,
                                     cudaStream_t stream, bool *launched);

} // namespace heptane

/*
   Whole solves by CG and BiCGStab in one kernel whose blocks are all resident: vectors, and the matrix if it fits, stay
   in registers and shared memory. Launches on the current device; never synchronises. No PETSc objects.
*/
#pragma once

#include "../../../pass/offers/operator.hpp"
#include "../format/rows.hpp"
#include "remainder_plans.hpp"

namespace heptane
{

/* The matrix of such a solve: on the device, square */
struct BdiaghResidentMatrix {
  const BdiaghDiagonals &A;
  int                    main_diagonal;    /* its index into A.offset, -1 if A has none */
  BdiaghRemainderPlans  *remainder;        /* plans of the remainder, null if there is none */
  const Scalar          *remainder_values; /* on the device */
  std::uint64_t          version;          /* FusedOperator::Version() */
};

/* answer->fits: there is a kernel for the method, block size, preconditioner, number of diagonals and size, and
   V.blocks blocks can be resident. Copies the plan of the remainder to the device if it is not there yet. */
cudaError_t bdiagh_persistent_fits(const BdiaghResidentMatrix &matrix, const FusedPersistent &V, cudaStream_t stream, FusedResident *answer);

/*
   Continues the iteration whose state is in V's vectors and *S (device) until it stops, and leaves the same state as
   the kernels of the method's steps; exchange[] is overwritten. reduction: history and history_length, at least the
   number of remaining iterations, are used. *launched: false if it does not fit, or if the device refuses: another
   program may occupy part of it, which the occupancy does not show.
   Bytes per iteration: the values that do not fit into shared memory (BiCGStab twice), 8 to 32 per row for exchanged
   vectors; two reductions.
*/
cudaError_t launch_bdiagh_persistent(const BdiaghResidentMatrix &matrix, const FusedPersistent &V, FusedScalars *S, const FusedReduction &reduction,
                                     cudaStream_t stream, bool *launched);

} // namespace heptane

/*
   The memory of a solve's passes, without the vectors, for passes that are launched outside a solve. Only with CUDA.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "../../metrics/occupancy.hpp"
#include "../../pass/pass_tuning.hpp"
#include "../../pass/pc_rows.hpp"

namespace heptane
{

/* Reductions and scalars, all zero */
struct PassMemory {
  Buffer<FusedMemory> scalars{1};
  Buffer<Scalar>      partial;
  Buffer<unsigned>    count{1};
  FusedReduction      reduction;
  FusedScalars       *now = nullptr;

  PetscErrorCode Make(const DeviceLimits &limits)
  {
    FusedMemory *memory;

    PetscFunctionBegin;
    reduction.max_blocks = limits.multiprocessors * PassTuning::max_blocks_per_sm;
    reduction.processors = limits.multiprocessors;
    reduction.chained    = limits.major >= 9;
    partial.Resize(4 * (std::size_t)reduction.max_blocks);
    PetscCall(partial.Memory(Where::device, &reduction.partial));
    PetscCall(count.Zeros(Where::device, &reduction.count));
    PetscCall(scalars.Zeros(Where::device, &memory));
    reduction.sums       = memory->sums;
    reduction.local_sums = reduction.sums;
    now                  = reinterpret_cast<FusedScalars *>(memory->scalars[0]);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

} // namespace heptane

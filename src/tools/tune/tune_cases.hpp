/*
   The kernels that measure launches: one of each family on matrices of cubes of cells, vectors and dense blocks of
   several sizes. Only with CUDA.
*/
#pragma once

#include <petscsys.h>
#if PetscDefined(HAVE_CUDA)
  #include "../advise/pass_memory.hpp"
  #include <functional>
  #include <string>

namespace heptane
{

/* One launch, and the memory that it works on */
struct TuneCase {
  std::string                              name;
  std::function<cudaError_t(cudaStream_t)> launch;
  std::vector<std::shared_ptr<void>>       memory;
};

/* The memory of a solve's passes, with scalars of CG */
class TunePasses {
public:
  PetscErrorCode        Make(const DeviceLimits &device);
  const FusedReduction &Reduction() const { return memory.reduction; }
  const FusedScalars   *Now() const { return memory.now; }
  const Scalar         *Zero() const { return memory.reduction.sums + fused_sums - 1; }

private:
  PassMemory memory;
};

/* Kinds and sizes of no more rows than this */
int TuneCases(double most_rows);
/* Number k of them, made now */
PetscErrorCode MakeTuneCase(int k, double most_rows, const TunePasses &passes, TuneCase *made);

} // namespace heptane
#endif

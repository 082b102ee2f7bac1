/*
   The interface of a preconditioner on the device to solvers whose iterations run without the host: its application as
   launches into a stream, which a graph may record. Without it a solver calls PCApply() between its passes.
*/
#pragma once

#include "../../device/scalar.hpp"
#include "stamp.hpp"
#include <petscpc.h>
#if PetscDefined(HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

namespace heptane
{

/*
   Valid until the preconditioner is set up again. Repeating it after the iteration has stopped is harmless if r is
   unchanged: it computes the same z.
*/
class PcPasses {
public:
  virtual ~PcPasses() = default;
#if PetscDefined(HAVE_CUDA)
  /* z = M r. Does not synchronise. */
  virtual cudaError_t Launch(const Scalar *r, Scalar *z, cudaStream_t stream) const = 0;
#endif
  virtual Stamp  Signature() const = 0; /* everything that the launches depend on except r and z: a recorded graph is valid while this is unchanged */
  virtual int    Launches() const  = 0;
  virtual double Flops() const     = 0;
};

/*
   The name under which a preconditioner composes PetscErrorCode (*)(PC pc, PcPasses **passes). The PC owns *passes. It
   is null if the present setup has no such application, for instance on the host; on all processes or on none
*/
inline constexpr char pc_passes_name[] = "PCGetPasses_C";

/*
   The name under which a preconditioner composes PetscErrorCode (*)(PC pc, PetscBool device, PetscBool *by_nccl),
   collective, before a solve with vectors on this side: whether its applications exchange by NCCL, whose link the
   solver has made, and not by MPI. The same on all processes
*/
inline constexpr char pc_by_nccl_name[] = "PCByNccl_C";

/*
   The name under which a fused solver composes PetscErrorCode (*)(KSP ksp, PetscBool *runs): whether the next solve
   runs in the fused loop, not in PETSc's
*/
inline constexpr char fused_runs_name[] = "KSPFusedRuns_C";

} // namespace heptane

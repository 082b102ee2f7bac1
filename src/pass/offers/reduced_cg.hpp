/*
   What a preconditioner offers CG that solves some of the unknowns exactly at its end: then the residual stays zero there, and the vectors of the iteration live on the others alone. Answers,
   norms and scalar products are those of the whole system.
*/
#pragma once

#include "operator.hpp"

namespace heptane
{

/* Good until the preconditioner is set up again. Its vectors are its own; x and r are those of the solver. */
class ReducedCg {
public:
  virtual ~ReducedCg()      = default;
  static constexpr int more = 3; /* see HostCycle() */

  virtual Stamp  Signature() const = 0; /* whatever the launches depend on beside their arguments */
  virtual int    Launches() const  = 0; /* of an iteration */
  virtual double Flops() const     = 0;

  /* From the residual r of the solver, which is only read */
  virtual void HostStart(const Scalar *r) = 0;
  /* z = M r; sums: (z, r); where the norm is that of z, its square on the unknowns that are left, and [3]: on those that are solved */
  virtual void HostCycle(bool of_z, Scalar sums[4]) = 0;
  /* w = A z + b w, p = z + b p, the sum (p, w) */
  virtual Scalar HostProduct(Scalar b) = 0;
  /* x += a p, r -= a w, the squared norm of r */
  virtual Scalar HostUpdate(Scalar a) = 0;
  /* The solution and its residual. from: what HostStart() was given, r or another vector; zero: x was zero then, and need not be now */
  virtual void HostFinish(const Scalar *from, bool zero, Scalar *x, Scalar *r) = 0;
#if PetscDefined(HAVE_CUDA)
  /* The same as launches; at: where sums go. Product and update advance the scalars of CG, and do nothing where these stop. norm: that of r is wanted. */
  virtual cudaError_t LaunchStart(const Scalar *r, const FusedReduction &, cudaStream_t)                = 0;
  virtual cudaError_t LaunchCycle(bool of_z, int at, const FusedReduction &, cudaStream_t)              = 0;
  virtual cudaError_t LaunchProduct(const FusedState &, const FusedReduction &, cudaStream_t)           = 0;
  virtual cudaError_t LaunchUpdate(bool norm, const FusedState &, const FusedReduction &, cudaStream_t) = 0;
  virtual cudaError_t LaunchFinish(const Scalar *from, bool zero, Scalar *x, Scalar *r, cudaStream_t)   = 0;
#endif
};

/*
   The name under which a preconditioner composes PetscErrorCode (*)(PC pc, PetscBool device, ReducedCg **reduced, std::string *why), which belongs to it; null, and why, where there is none for
   the matrix as it is now
*/
inline constexpr char reduced_cg_name[] = "PCGetReducedCG_C";

} // namespace heptane

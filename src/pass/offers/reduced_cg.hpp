/*
   The interface to CG of a preconditioner that ends with an exact solve for some unknowns. The residual of these
   unknowns stays zero, and the vectors of the iteration hold only the remaining unknowns. Solutions, norms and scalar
   products are of the whole system.
*/
#pragma once

#include "operator.hpp"

namespace heptane
{

/* Valid until the preconditioner is set up again. It owns its vectors; x and r belong to the solver. */
class ReducedCg {
public:
  virtual ~ReducedCg()      = default;
  static constexpr int more = 3; /* see HostCycle() */

  virtual Stamp  Signature() const = 0; /* everything that the launches depend on except their arguments */
  virtual int    Launches() const  = 0; /* per iteration */
  virtual double Flops() const     = 0;

  /* Starts from the residual r of the solver, which is only read */
  virtual void HostStart(const Scalar *r) = 0;
  /*
     z = M r; sums: (z, r); if the norm is of z, its square on the remaining unknowns, and [3]: its square on the
     eliminated unknowns
  */
  virtual void HostCycle(bool of_z, Scalar sums[4]) = 0;
  /* w = A z + b w, p = z + b p; returns (p, w) */
  virtual Scalar HostProduct(Scalar b) = 0;
  /* x += a p, r -= a w; returns the squared norm of r */
  virtual Scalar HostUpdate(Scalar a) = 0;
  /*
     Computes the solution and its residual. from: the vector passed to HostStart(), r or another one; zero: x was zero
     at the start, and its memory may hold anything
  */
  virtual void HostFinish(const Scalar *from, bool zero, Scalar *x, Scalar *r) = 0;
#if PetscDefined(HAVE_CUDA)
  /*
     The same as launches; at: position of the sums. Product and update advance the scalars of CG, and do nothing once
     the iteration has stopped. norm: the norm of r is needed.
  */
  virtual cudaError_t LaunchStart(const Scalar *r, const FusedReduction &, cudaStream_t)                = 0;
  virtual cudaError_t LaunchCycle(bool of_z, int at, const FusedReduction &, cudaStream_t)              = 0;
  virtual cudaError_t LaunchProduct(const FusedState &, const FusedReduction &, cudaStream_t)           = 0;
  virtual cudaError_t LaunchUpdate(bool norm, const FusedState &, const FusedReduction &, cudaStream_t) = 0;
  virtual cudaError_t LaunchFinish(const Scalar *from, bool zero, Scalar *x, Scalar *r, cudaStream_t)   = 0;
#endif
};

/*
   The name under which a preconditioner composes PetscErrorCode (*)(PC pc, PetscBool device, ReducedCg **reduced,
   std::string *why). The PC owns *reduced; null, with the reason in *why, if the present matrix has none
*/
inline constexpr char reduced_cg_name[] = "PCGetReducedCG_C";

} // namespace heptane

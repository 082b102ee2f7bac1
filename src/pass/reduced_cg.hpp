/*
   What a preconditioner offers CG that solves some of the unknowns exactly at its end: then the residual stays zero there, and the vectors of the iteration live on the others alone. Answers,
   norms and scalar products are those of the whole system.
*/
#pragma once

#include "operator.hpp"

namespace heptane
{

/* Good until the preconditioner is set up again. Its vectors are its own; x and r are those of the solver. sums: (z, r); the squared norm, of r where of_r, else of z; and, beside that of z, [3]: its part on the unknowns that are solved */
class ReducedCg {
public:
  virtual ~ReducedCg()      = default;
  static constexpr int more = 3; /* see above: where the sum lies behind that of (z, r) */

  virtual Stamp  Signature() const = 0; /* whatever the launches depend on beside their arguments */
  virtual int    Launches() const  = 0; /* of an iteration */
  virtual double Flops() const     = 0;

  /* What of r is on the unknowns that are solved goes into x; r as it is then; z = M r and sums */
  virtual void HostStart(Scalar *x, Scalar *r, bool of_r, Scalar sums[4]) = 0;
  /* w = A z + b w, p = z + b p, the sum (p, w) */
  virtual Scalar HostProduct(Scalar b) = 0;
  /* x += a p, r -= a w, z = M r, sums */
  virtual void HostUpdate(Scalar a, bool of_r, Scalar sums[4]) = 0;
  /* What has been added to x goes there, the residual to r */
  virtual void HostFinish(Scalar *x, Scalar *r) = 0;
#if PetscDefined(HAVE_CUDA)
  /* The same as launches; at: where sums go. Product and update advance the scalars of CG, and do nothing where these stop. */
  virtual cudaError_t LaunchStart(Scalar *x, Scalar *r, bool of_r, int at, const FusedReduction &, cudaStream_t) = 0;
  virtual cudaError_t LaunchProduct(const FusedState &, const FusedReduction &, cudaStream_t)                    = 0;
  virtual cudaError_t LaunchUpdate(bool of_r, const FusedState &, const FusedReduction &, cudaStream_t)          = 0;
  virtual cudaError_t LaunchFinish(Scalar *x, Scalar *r, cudaStream_t)                                           = 0;
#endif
};

/*
   The name under which a preconditioner composes PetscErrorCode (*)(PC pc, PetscBool device, ReducedCg **reduced, std::string *why), which belongs to it; null, and why, where there is none for
   the matrix as it is now
*/
inline constexpr char reduced_cg_name[] = "PCGetReducedCG_C";

} // namespace heptane

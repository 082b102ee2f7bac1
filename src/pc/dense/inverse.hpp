/*
   Inverses of the diagonal blocks of a preconditioner, on the device or on the host: memory, inversion, products. Names
   of the composed functions by which a matrix offers its blocks and a preconditioner its inverses. Independent of
   matrix formats.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "factor.hpp"
#include <petscpc.h>
#include <memory>

namespace heptane
{

/* Inverses that a preconditioner lends, in value columns */
struct DenseLent {
  std::shared_ptr<const Scalar> inverse;
  std::size_t                   ld    = 0;
  int                           block = 0;
};

class DenseInverse {
public:
  DenseInverse()                                = default;
  DenseInverse(const DenseInverse &)            = delete;
  DenseInverse &operator=(const DenseInverse &) = delete;

  /* Result of Invert(). Call before Invert() or after Free(). */
  void SetMethod(DenseMethod m, bool exchange)
  {
    method   = m;
    pivoting = exchange;
  }
  /* device: the values of A are in device memory. Memory of the last inversion is reused if the sizes agree. */
  PetscErrorCode Invert(PetscBool device, const DenseBlocks &A);
  /* y = A^-1 x, with the inverse or the factors. If a vector is on the host and they are on the device, they are copied
     once per inversion. */
  PetscErrorCode Apply(Vec x, Vec y, PetscBool transpose);
  void           Free();

  /* The inverses. Null for factors, and on the device if the inversion ran on the host. */
  PetscErrorCode     Lend(PetscBool device, DenseLent *lent);
  int                Block() const { return block; }
  PetscBool          OnDevice() const { return on_device; }
  const DenseReport &Report() const { return report; }

private:
  PetscErrorCode Allocate(Where);
  PetscErrorCode Make(Where, const DenseBlocks &A, const DenseFactors &F, DenseReport *report);
  PetscErrorCode Upload(Where);
  PetscErrorCode Product(bool device, bool transpose, const Scalar *x, Scalar *y);
  DenseFactors   Factors(Where where) const
  {
    return {method, block ? rows / block : 0, block, ld, array.At(where), pivot.Size() ? pivot.At(where) : nullptr, tau.Size() ? tau.At(where) : nullptr};
  }

  DenseMethod         method   = DenseMethod::inverse;
  bool                pivoting = true;
  std::size_t         rows = 0, ld = 0;
  int                 block     = 0;
  PetscBool           on_device = PETSC_FALSE; /* last inversion ran on the device */
  Buffer<Scalar>      array;                   /* solvers may share it */
  Buffer<int>         pivot;                   /* of LU */
  Buffer<Scalar>      tau;                     /* of QR */
  Buffer<DenseReport> device_report;
  DenseReport         report;
};

/* Reports defects of the blocks of P as PETSc does: an error if pc has erroriffailure set, otherwise pc->failedreason
   and the factorisation error of P */
PetscErrorCode DenseReportFailure(PC pc, Mat P, const DenseReport &report, int block);

/* Whether blocks of this size are inverted */
inline bool dense_inverse_fits(PetscInt block)
{
  return block >= 1 && block <= dense_largest_block;
}

/*
   Name under which a matrix type composes
   PetscErrorCode (*)(Mat A, PetscInt b, DenseBlocks *blocks, PetscBool *device, PetscBool *available):
   the b x b diagonal blocks of the local rows, on the device or the host, as products run, valid until A changes.
   Collective.
*/
inline constexpr char dense_blocks_name[] = "MatGetDenseDiagonalBlocks_C";
/*
   Name under which a preconditioner composes
   PetscErrorCode (*)(PC pc, PetscBool device, DenseLent *lent, PetscBool *available):
   its inverses. Values and addresses stay until the next PCSetUp(), the memory as long as a reference exists.
*/
inline constexpr char dense_inverse_name[] = "PCGetDenseInverse_C";

} // namespace heptane

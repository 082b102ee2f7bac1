/*
   The inverses of the diagonal blocks of a preconditioner: memory, inversion, products, on the device or on the host, and the names under which a matrix offers
   its blocks and a preconditioner their inverses. Glue: knows no matrix format.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "dense_factor.hpp"
#include <petscpc.h>
#include <memory>

namespace heptane
{

class DenseInverse {
public:
  DenseInverse()                                = default;
  DenseInverse(const DenseInverse &)            = delete;
  DenseInverse &operator=(const DenseInverse &) = delete;

  /* What Invert() makes; before it, or after Free() */
  void SetMethod(DenseMethod m, bool exchange)
  {
    method   = m;
    pivoting = exchange;
  }
  /* device: the values of A lie there. The memory of the last inversion is used again where the sizes are the same. */
  PetscErrorCode Invert(PetscBool device, const DenseBlocks &A);
  /* y = A^-1 x, with the inverse or the factors; where a vector is on the host and they are not, their copy is made once an inversion */
  PetscErrorCode Apply(Vec x, Vec y, PetscBool transpose);
  void           Free();

  /* The inverses in value columns, null on the device where they were made on the host */
  PetscErrorCode     Array(PetscBool device, std::shared_ptr<const Scalar> *inverse);
  std::size_t        Ld() const { return ld; }
  int                Block() const { return block; }
  PetscBool          OnDevice() const { return on_device; }
  const DenseReport &Report() const { return report; }

private:
  PetscErrorCode Allocate(Where);
  PetscErrorCode Product(bool device, bool transpose, const Scalar *x, Scalar *y);
  DenseFactors   Factors(Where where) const { return {method, block ? rows / block : 0, block, ld, array.At(where), pivot.At(where), tau.At(where)}; }

  DenseMethod         method   = DenseMethod::inverse;
  bool                pivoting = true;
  std::size_t         rows = 0, ld = 0;
  int                 block     = 0;
  PetscBool           on_device = PETSC_FALSE; /* where the last inversion was made */
  Buffer<Scalar>      array;                   /* solvers may share it */
  Buffer<int>         pivot;                   /* of LU */
  Buffer<Scalar>      tau;                     /* of QR */
  Buffer<DenseReport> device_report{1};
  DenseReport         report;
};

/* What is wrong with the blocks of P, as PETSc tells it: an error where pc asks for one, otherwise pc->failedreason and P's factorisation error */
PetscErrorCode DenseReportFailure(PC pc, Mat P, const DenseReport &report, int block);

/* Whether blocks of this size are inverted */
inline bool dense_inverse_fits(PetscInt block)
{
  return block >= 1 && block <= dense_largest_block;
}

/*
   The name under which a matrix type composes PetscErrorCode (*)(Mat A, PetscInt b, DenseBlocks *blocks, PetscBool *device, PetscBool *available): the b x b diagonal blocks
   of the process's rows, on the device or on the host, where products run, valid until A changes. Collective.
*/
inline constexpr char dense_blocks_name[] = "MatGetDenseDiagonalBlocks_C";
/*
   The name under which a preconditioner composes PetscErrorCode (*)(PC pc, PetscBool device, std::shared_ptr<const Scalar> *inverse, size_t *ld, int *block, PetscBool *available): its inverses
   in value columns. Values and place stay until the next PCSetUp(), the memory as long as somebody holds it.
*/
inline constexpr char dense_inverse_name[] = "PCGetDenseInverse_C";

} // namespace heptane

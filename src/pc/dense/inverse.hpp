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

/* Inverses that a preconditioner lends: in value columns, as Scalars or rounded */
struct DenseLent {
  std::shared_ptr<const Scalar> inverse;
  std::shared_ptr<const Single> rounded; /* one of the two is null */
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
  /* Stores the result of Invert() as Single if its numbers are in range. Call before Invert() or after Free(). */
  void SetSingle(bool wanted) { wants_single = wanted; }
  /* device: the values of A are in device memory. Memory of the last inversion is reused if the sizes agree. */
  PetscErrorCode Invert(PetscBool device, const DenseBlocks &A);
  /* y = A^-1 x, with the inverse or the factors. If a vector is on the host and they are on the device, they are copied
     once per inversion. */
  PetscErrorCode Apply(Vec x, Vec y, PetscBool transpose);
  void           Free();

  /* The inverses. Null for factors, and on the device if the inversion ran on the host. */
  PetscErrorCode     Lend(PetscBool device, DenseLent *lent);
  bool               IsSingle() const { return single; } /* stored as Single */
  int                Block() const { return block; }
  PetscBool          OnDevice() const { return on_device; }
  const DenseReport &Report() const { return report; }

private:
  PetscErrorCode Allocate(Where);
  PetscErrorCode Make(Where, const DenseBlocks &A, const DenseFactors &F, DenseReport *report);
  PetscErrorCode MakeSingle(Where, const DenseBlocks &A);
  PetscErrorCode Upload(Where);
  PetscErrorCode Product(bool device, bool transpose, const Scalar *x, Scalar *y);
  /* values: of `count` blocks from block `first` on, with leading dimension ld_ */
  template <class T>
  DenseFactorsOf<T> Factors(Where where, T *values, std::size_t ld_, std::size_t first, std::size_t count) const
  {
    const std::size_t row = first * block;

    return {method, count, block, ld_, values, pivot.Size() ? pivot.At(where) + row : nullptr, tau.Size() ? tau.At(where) + row : nullptr};
  }
  std::size_t Count() const { return block ? rows / block : 0; }

  DenseMethod         method   = DenseMethod::inverse;
  bool                pivoting = true;
  std::size_t         rows = 0, ld = 0;
  int                 block        = 0;
  PetscBool           on_device    = PETSC_FALSE;           /* last inversion ran on the device */
  bool                wants_single = false, single = false; /* the last inversion is stored as Single */
  Buffer<Scalar>      array;                                /* solvers may share it */
  Buffer<Single>      rounded;                              /* replaces `array` if stored as Single */
  Buffer<Scalar>      room;                                 /* a part of the blocks before it is rounded */
  Buffer<int>         pivot;                                /* of LU */
  Buffer<Scalar>      tau;                                  /* of QR */
  Buffer<DenseReport> device_report;
  DenseReport         report;
};

/* Inverts in the memory space of the blocks, collectively over pc. Stores Single if requested and if the numbers of all
   processes are in range. */
PetscErrorCode DenseInvert(PC pc, PetscBool single, PetscBool device, const DenseBlocks &A, DenseInverse *inverse);
/* The option -pc_TYPE_precision; name: its full name */
PetscErrorCode DensePrecisionOption(PC pc, PetscOptionItems PetscOptionsObject, const char name[], PetscBool *single);
/* How the numbers are stored, for the view; wanted: the value of the option */
const char *DensePrecisionText(PetscBool wanted, bool single);

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

/*
   The inverses of the diagonal blocks of a preconditioner: memory, inversion, products, on the device or on the host, and the names under which a matrix offers
   its blocks and a preconditioner their inverses. Glue: knows no matrix format.
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

  /* What Invert() makes; before it, or after Free() */
  void SetMethod(DenseMethod m, bool exchange)
  {
    method   = m;
    pivoting = exchange;
  }
  /* What Invert() makes is stored as Single, where that has room for its numbers; before it, or after Free() */
  void SetSingle(bool wanted) { wants_single = wanted; }
  /* device: the values of A lie there. The memory of the last inversion is used again where the sizes are the same. */
  PetscErrorCode Invert(PetscBool device, const DenseBlocks &A);
  /* y = A^-1 x, with the inverse or the factors; where a vector is on the host and they are not, their copy is made once an inversion */
  PetscErrorCode Apply(Vec x, Vec y, PetscBool transpose);
  void           Free();

  /* The inverses, nulls on the device where they were made on the host, and where it has factors */
  PetscErrorCode     Lend(PetscBool device, DenseLent *lent);
  bool               IsSingle() const { return single; } /* that is how they are stored */
  int                Block() const { return block; }
  PetscBool          OnDevice() const { return on_device; }
  const DenseReport &Report() const { return report; }

private:
  PetscErrorCode Allocate(Where);
  PetscErrorCode Make(Where, const DenseBlocks &A, const DenseFactors &F, DenseReport *report);
  PetscErrorCode MakeSingle(Where, const DenseBlocks &A);
  PetscErrorCode Bring(Where);
  PetscErrorCode Product(bool device, bool transpose, const Scalar *x, Scalar *y);
  /* values: of so many blocks from the first on; ld_: theirs */
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
  PetscBool           on_device    = PETSC_FALSE;           /* where the last inversion was made */
  bool                wants_single = false, single = false; /* what the last inversion made is stored as Single */
  Buffer<Scalar>      array;                                /* solvers may share it */
  Buffer<Single>      rounded;                              /* the same, instead of that */
  Buffer<Scalar>      room;                                 /* for some blocks before they are rounded */
  Buffer<int>         pivot;                                /* of LU */
  Buffer<Scalar>      tau;                                  /* of QR */
  Buffer<DenseReport> device_report;
  DenseReport         report;
};

/* Inverts where the blocks lie, on all processes of pc alike: stored as Single where that is wanted and has room for the numbers of all */
PetscErrorCode DenseInvert(PC pc, PetscBool single, PetscBool device, const DenseBlocks &A, DenseInverse *inverse);
/* -pc_TYPE_precision, whose name this is */
PetscErrorCode DensePrecisionOption(PC pc, PetscOptionItems PetscOptionsObject, const char name[], PetscBool *single);
/* How the numbers are stored, for the view; wanted: what the option asks for */
const char *DensePrecisionText(PetscBool wanted, bool single);

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
   The name under which a preconditioner composes PetscErrorCode (*)(PC pc, PetscBool device, DenseLent *lent, PetscBool *available): its inverses. Values and place stay until the next PCSetUp(),
   the memory as long as somebody holds it.
*/
inline constexpr char dense_inverse_name[] = "PCGetDenseInverse_C";

} // namespace heptane

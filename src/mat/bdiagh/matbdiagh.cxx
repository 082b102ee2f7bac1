/*
   PETSc's view of MATBDIAGH: the type's description, options, public functions. Manual page of the type:
   include/heptane.h.
*/
#include "matbdiagh.hpp"
#include "../../sys/number_options.hpp"
#include <heptane.h>

namespace heptane
{

static PetscErrorCode MatSetFromOptions_BDIAGH(Mat A, PetscOptionItems PetscOptionsObject, PetscBool *changed)
{
  DerivedMat     *m;
  BdiaghSettings *s;
  BdiaghLimits    limits;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  s      = static_cast<BdiaghSettings *>(m->settings.get());
  limits = s->limits;
  PetscOptionsHeadBegin(PetscOptionsObject, "Block diagonals without column indices (BDIAGH) options");
  PetscCall(OptionInt(PetscOptionsObject, "-mat_bdiagh_block_size", "Block size; 0: that of MatSetBlockSize(), or found in the pattern", "MATBDIAGH", 0,
                      PETSC_INT_MAX, &limits.block));
  PetscCall(OptionReal(PetscOptionsObject, "-mat_bdiagh_max_fill", "Largest number of stored values per nonzero for which block diagonals are used",
                       "MATBDIAGH", 1, no_bound, &limits.max_fill));
  PetscCall(OptionReal(PetscOptionsObject, "-mat_bdiagh_max_remainder", "Largest fraction of the nonzeros off the block diagonals", "MATBDIAGH", 0, 1,
                       &limits.max_remainder));
  PetscCall(OptionReal(PetscOptionsObject, "-mat_bdiagh_min_occupancy", "A block diagonal filled to less than this fraction is stored in the remainder",
                       "MATBDIAGH", 0, 1, &limits.min_occupancy));
  PetscCall(PetscOptionsBool("-mat_bdiagh_strict", "Error if the pattern does not consist of block diagonals", "MATBDIAGH", s->strict, &s->strict, NULL));
  PetscOptionsHeadEnd();
  if (s->strict) m->shortcuts = PETSC_FALSE; /* the format is to be made, or refused */
  *changed  = (PetscBool)(limits.block != s->limits.block || limits.max_fill != s->limits.max_fill || limits.max_remainder != s->limits.max_remainder ||
                         limits.min_occupancy != s->limits.min_occupancy);
  s->limits = limits;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const DerivedClass bdiagh_class = {MATSEQAIJBDIAGH,
                                          MATMPIAIJBDIAGH,
                                          MATAIJBDIAGH,
                                          MATBDIAGH,
                                          DerivedMakePart<BdiaghPart>,
                                          DerivedMakeSettings<BdiaghSettings>,
                                          DerivedCopySettings<BdiaghSettings>,
                                          MatSetFromOptions_BDIAGH,
                                          MatView_BDIAGH,
                                          MatDraw_BDIAGH};

PetscErrorCode MatBDIAGHRegister()
{
  PetscFunctionBegin;
  PetscCall(DerivedRegister(&bdiagh_class));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The local part of the diagonal block of A */
static PetscErrorCode GetPart(Mat A, DerivedMat **m, BdiaghPart **part)
{
  PetscFunctionBegin;
  PetscCall(DerivedGetParts(A, &bdiagh_class, m));
  *part = static_cast<BdiaghPart *>((*m)->diag);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*@C
  MatBDIAGHGetLayout - Gets how a matrix of type `MATBDIAGH` stores the entries of this process's rows and columns

  Not Collective; No Fortran Support

  Input Parameter:
. A - the matrix, assembled or preallocated with `MatSetPreallocationCOO()`

  Output Parameters:
+ block   - the block size b, or `NULL`
. ndiag   - the number D of block diagonals; 0 if everything is stored in the remainder, or `NULL`
. offsets - the offsets of the block diagonals in cells (rows / b), ascending, [ndiag]; valid until the pattern changes, or `NULL`
- ld      - the distance from one value column to the next in scalars, at least the number of local rows, or `NULL`

  Level: advanced

  Note:
  The value of row `row` (local) on block diagonal `r` in component `s` is `array[(r*b + s)*ld + row]` of `MatBDIAGHGetArrayAndMemType()`,
  its column `(row/b + offsets[r])*b + s` (local). Values whose column is outside the matrix, or for which the pattern has no entry, are zero.

.seealso: `MATBDIAGH`, `MatBDIAGHGetArrayAndMemType()`
@*/
PetscErrorCode MatBDIAGHGetLayout(Mat A, PetscInt *block, PetscInt *ndiag, const PetscInt *offsets[], PetscInt *ld)
{
  heptane::DerivedMat *m    = NULL;
  heptane::BdiaghPart *part = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(heptane::GetPart(A, &m, &part));
  const heptane::BdiaghLayout &L = part->LayoutData();
  if (block) *block = L.block;
  if (ndiag) *ndiag = L.ndiag;
  if (offsets) PetscCall(part->Offsets(offsets));
  if (ld) *ld = (PetscInt)L.ld;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  MatBDIAGHGetArrayAndMemType - Gets the value array of the block diagonals that products use, to be changed in place

  Not Collective; No Fortran Support

  Input Parameter:
. A - a matrix of type `MATBDIAGH`, assembled or preallocated with `MatSetPreallocationCOO()`

  Output Parameters:
+ array - the values in the layout of `MatBDIAGHGetLayout()`, current values of A
- mtype - their memory space: `PETSC_MEMTYPE_CUDA` if products run on a GPU, else `PETSC_MEMTYPE_HOST`; or `NULL`

  Level: advanced

  Notes:
  For codes that assemble directly into the format. Only values for which the pattern has an entry may be changed. Entries in the remainder, and entries in
  columns of other processes, are not in the array: set them with `MatSetValuesCOO()` before.

  Kernels that write the array must run on the current `PetscDeviceContext`'s stream, or be complete before `MatBDIAGHRestoreArrayAndMemType()`, which must
  follow before any other use of the matrix and marks its values as changed.

.seealso: `MATBDIAGH`, `MatBDIAGHGetLayout()`, `MatBDIAGHRestoreArrayAndMemType()`, `MatSetValuesCOO()`
@*/
PetscErrorCode MatBDIAGHGetArrayAndMemType(Mat A, PetscScalar *array[], PetscMemType *mtype)
{
  heptane::DerivedMat *m    = NULL;
  heptane::BdiaghPart *part = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscAssertPointer(array, 2);
  PetscCall(heptane::GetPart(A, &m, &part));
  PetscCheck(
    part->LayoutData().ndiag || !A->rmap->n, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
    "The pattern is not made of block diagonals, so there is no array of them: use MatSetValuesCOO(), or see -mat_bdiagh_max_fill and -mat_bdiagh_max_remainder");
  const heptane::Where where = heptane::DerivedWhere(A, m);
  PetscCall(part->ValuesWrite(where, PETSC_FALSE, array));
  if (mtype) *mtype = where == heptane::Where::device ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  MatBDIAGHRestoreArrayAndMemType - Ends the access begun by `MatBDIAGHGetArrayAndMemType()`; the matrix then has the values written

  Logically Collective; No Fortran Support

  Input Parameters:
+ A     - the matrix
- array - the array, set to `NULL`

  Level: advanced

.seealso: `MATBDIAGH`, `MatBDIAGHGetArrayAndMemType()`
@*/
PetscErrorCode MatBDIAGHRestoreArrayAndMemType(Mat A, PetscScalar *array[])
{
  heptane::DerivedMat *m    = NULL;
  heptane::BdiaghPart *part = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscAssertPointer(array, 2);
  PetscCall(heptane::GetPart(A, &m, &part));
  PetscCall(part->ValuesWritten(heptane::DerivedWhere(A, m)));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  *array = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

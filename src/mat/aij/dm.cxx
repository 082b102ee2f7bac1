/*
   DMDA with -dm_mat_type and a root name of ours: PETSc's interpolation accepts the type only if its name begins with
   "aij", so it is called with that name. With several unknowns per point PETSc's interpolation has type MAIJ, whose
   products run on the host; on the device it is converted to our type, as with AIJCUSPARSE.
*/
#include "derived.hpp"
#include "../../sys/device.hpp"
#include "../../private/mat.hpp"

PETSC_EXTERN PetscErrorCode DMCreate_DA(DM);

namespace heptane
{

static PetscErrorCode (*stock_interpolation)(DM, DM, Mat *, Vec *) = NULL;

static PetscErrorCode DMCreateInterpolation_Derived(DM coarse, DM fine, Mat *A, Vec *scale)
{
  const DerivedClass *cls  = DerivedClassOf(coarse->mattype);
  const MatType       name = coarse->mattype;
  PetscErrorCode      code;
  PetscBool           device = PETSC_FALSE, maij;

  PetscFunctionBegin;
  if (cls) coarse->mattype = cls->aij_root;
  code            = (*stock_interpolation)(coarse, fine, A, scale);
  coarse->mattype = name;
  PetscCall(code); /* only now: the name must be the caller's again also after an error */
  if (cls) PetscCall(DeviceUsable(&device));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)*A, &maij, MATSEQMAIJ, MATMPIMAIJ, ""));
  if (device && maij) {
    PetscCall(MatConvert(*A, MATAIJ, MAT_INPLACE_MATRIX, A));
    PetscCall(MatConvert(*A, cls->aij_root, MAT_INPLACE_MATRIX, A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DMCreate_DA_Derived(DM dm)
{
  PetscFunctionBegin;
  PetscCall(DMCreate_DA(dm));
  stock_interpolation          = dm->ops->createinterpolation;
  dm->ops->createinterpolation = DMCreateInterpolation_Derived;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedRegisterDMDA()
{
  PetscFunctionBegin;
  PetscCall(DMRegister(DMDA, DMCreate_DA_Derived));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

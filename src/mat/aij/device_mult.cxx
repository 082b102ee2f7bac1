/*
   Products of rectangular matrices with vectors on the device. Interpolation and restriction have no block diagonals, are multiplied a few
   times for every set-up, and as often transposed: cuSPARSE's product of the compressed rows (device_csr.hpp) needs no analysis of the
   pattern, no second order of the entries, and is as fast.
*/
#include "derived.hpp"
#include "device_csr.hpp"
#include <petsc/private/vecimpl.h>

namespace heptane
{

/* Whether M, of the type of the copies, takes v; nothing is asked where fits is false already. PETSc's CUDA type wants its own vectors */
PetscErrorCode DeviceVectorFits(Vec v, Mat M, PetscBool *fits)
{
  PetscBool device;

  PetscFunctionBegin;
  if (!*fits || !v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)M, MATSEQAIJCUSPARSE, &device));
  if (!device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)v, fits, VECSEQCUDA, VECCUDA, ""));
#if PetscDefined(HAVE_DEVICE)
  if (v->boundtocpu) *fits = PETSC_FALSE;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceProduct(Mat A, DerivedMat *m, PetscBool transpose, Vec x, Vec y, Vec z, PetscBool *done)
{
  PetscBool fits = PETSC_TRUE;
  Mat       S;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  if (m->mpi || A->rmap->n == A->cmap->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DeviceCsrWanted(A, &fits));
  if (!fits || !m->scattered) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DeviceCsrGet(A, PETSC_FALSE, &S));
  for (Vec v : {x, y, z}) PetscCall(DeviceVectorFits(v, S, &fits));
  if (!fits) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DeviceCsrGet(A, PETSC_TRUE, &S));
  if (transpose && y && y != z) { /* MatMultTransposeAdd_SeqAIJCUSPARSE() adds what z held, unless z is y */
    PetscCall(VecCopy(y, z));
    y = z;
  }
  if (y) PetscCall((*(transpose ? S->ops->multtransposeadd : S->ops->multadd))(S, x, y, z));
  else PetscCall((*(transpose ? S->ops->multtranspose : S->ops->mult))(S, x, z));
  *done = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

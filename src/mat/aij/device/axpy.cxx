/*
   Sums of matrices of which one is a product's result, of PETSc's CUDA type, and the other is ours, as the smoothing of
   a prolongator requires. MatAXPY() calls an operation only if both types, or both operations, are equal; therefore
   ours is in both tables and dispatches each sum.
*/
#include "../derived.hpp"
#include "../device_csr.hpp"

namespace heptane
{

using AXPYFn = PetscErrorCode (*)(Mat, PetscScalar, Mat, MatStructure);

static AXPYFn copies_axpy = NULL; /* of PETSc's CUDA type, or of SEQAIJ in tests */

static PetscErrorCode MatAXPY_Device(Mat Y, PetscScalar a, Mat X, MatStructure str)
{
  DerivedMat *y, *x;
  Mat         S = X;
  AXPYFn      kept[2];

  PetscFunctionBegin;
  PetscCall(DerivedQuery(Y, &y));
  PetscCall(DerivedQuery(X, &x));
  if (y) {
    if (x) PetscCall((*y->axpy)(Y, a, X, str));
    else { /* as between any two types of compressed rows */ PetscCall(DerivedSync(Y, y));
      PetscCall((*y->base.axpy)(Y, a, X, str));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (x) {
    PetscBool wanted;

    PetscCall(DeviceCsrWanted(X, &wanted));
    if (wanted) PetscCall(DeviceCsrGet(X, PETSC_TRUE, &S));
    else PetscCall(DerivedSync(X, x));
  }
  /* PETSc's function compares the two operations again, and runs on the device only if they are equal */
  kept[0] = Y->ops->axpy;
  kept[1] = S->ops->axpy;

  Y->ops->axpy = copies_axpy;
  if ((S != X || !x) && S->ops->axpy == MatAXPY_Device) S->ops->axpy = copies_axpy;
  const PetscErrorCode ierr = (*copies_axpy)(Y, a, S, str);
  S->ops->axpy              = kept[1];
  Y->ops->axpy              = kept[0];
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product's result */
PetscErrorCode DeviceResultInstall(Mat C)
{
  PetscFunctionBegin;
  if (C->ops->axpy && C->ops->axpy != MatAXPY_Device) {
    copies_axpy  = C->ops->axpy;
    C->ops->axpy = MatAXPY_Device;
  }
  PetscCall(DeviceResultTakeVectors(C));
  PetscCall(DeviceResultChooseProducts(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceInstall(Mat A, DerivedMat *m)
{
  PetscFunctionBegin;
  if (m->mpi || !A->ops->axpy) PetscFunctionReturn(PETSC_SUCCESS);
  m->axpy      = A->ops->axpy;
  A->ops->axpy = MatAXPY_Device;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   Products of a block of a bdiagh matrix with vectors: of its diagonals, then of what lies off them.
*/
#include "bdiagh_host.hpp"
#include "bdiagh_part.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "bdiagh_spmv.hpp"
#endif

namespace heptane
{

PetscErrorCode BdiaghPart::Mult(Where where, const Scalar *x, const Scalar *y, Scalar *z)
{
  const Scalar *rem;

  PetscFunctionBegin;
  PetscCall(Complete());
  const BdiaghLayout &L = *layout;

  if (L.ndiag) {
    BdiaghDiagonals D;

    PetscCall(Diagonals(where, &D));
    if (where == Where::host) bdiagh_mult_host(D, x, y, z);
#if PetscDefined(HAVE_CUDA)
    else {
      cudaStream_t stream;
      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(launch_bdiagh_mult(D, x, y, z, stream));
    }
#endif
  } else if (where == Where::device && !off_process && L.nnz) { /* everything lies in the remainder */
    PetscCall(RemainderValues(where, &rem));
    PetscCall(remainder->MultAll(rem, L.rows, x, y, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  } else PetscCall(StartWith(where, y, z, L.rows));
  if (!L.rem_row.empty()) {
    PetscCall(RemainderValues(where, &rem));
    PetscCall(remainder->MultAdd(where, rem, x, z));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the device, where all entries lie on the diagonals */
PetscErrorCode BdiaghPart::HasResidual(Where where, PetscBool *has)
{
  PetscFunctionBegin;
  PetscCall(Complete());
  *has = (PetscBool)(where == Where::device && layout->ndiag && layout->rem_row.empty());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Residual(const Scalar *x, const Scalar *y, Scalar *z)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  BdiaghDiagonals D;
  cudaStream_t    stream;

  PetscCall(Diagonals(Where::device, &D));
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(launch_bdiagh_mult(D, x, y, z, stream, -1));
#else
  (void)x;
  (void)y;
  (void)z;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::MultTranspose(Where where, const Scalar *x, const Scalar *y, Scalar *z)
{
  const Scalar *rem;

  PetscFunctionBegin;
  PetscCall(Complete());
  const BdiaghLayout &L = *layout;

  if (L.ndiag) {
    BdiaghDiagonals D;

    PetscCall(Diagonals(where, &D));
    if (where == Where::host) bdiagh_mult_transpose_host(D, x, y, z);
#if PetscDefined(HAVE_CUDA)
    else {
      cudaStream_t stream;
      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(launch_bdiagh_mult_transpose(D, x, y, z, stream));
    }
#endif
  } else if (where == Where::device && !off_process && L.nnz) {
    PetscCall(RemainderValues(where, &rem));
    PetscCall(remainder->MultTransposeAll(rem, Version(), x, y, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  } else PetscCall(StartWith(where, y, z, L.cols));
  if (!L.rem_row.empty()) {
    PetscCall(RemainderValues(where, &rem));
    PetscCall(remainder->MultTransposeAdd(where, rem, x, z));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

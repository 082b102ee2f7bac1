/*
   Products of a block of a bdiagh matrix with vectors: of its diagonals, then of what lies off them.
*/
#include "bdiagh_host.hpp"
#include "bdiagh_part.hpp"
#include "../../metrics/metrics.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "bdiagh_spmv.hpp"
#endif

namespace heptane
{

/* z = A x (+ y), or z = A^T x (+ y). sign: 1; -1 on the device for z = y - A x */
static PetscErrorCode DiagonalsProduct(const BdiaghDiagonals &D, bool transpose, Where where, const Scalar *x, Scalar sign, const Scalar *y, Scalar *z)
{
  PetscFunctionBegin;
  if (where == Where::host) transpose ? bdiagh_mult_transpose_host(D, x, y, z) : bdiagh_mult_host(D, x, y, z);
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(transpose ? launch_bdiagh_mult_transpose(D, x, y, z, stream) : launch_bdiagh_mult(D, x, y, z, stream, sign));
  }
#endif
  (void)sign;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Product(bool transpose, Where where, const Scalar *x, const Scalar *y, Scalar *z)
{
  const Scalar *rem;

  PetscFunctionBegin;
  PetscCall(Complete());
  const BdiaghLayout &L = *layout;

  if (L.ndiag) {
    BdiaghDiagonals D;

    PetscCall(Diagonals(where, &D));
    if (L.rem_row.empty()) PetscCall(DiagonalsProduct(D, transpose, where, x, 1, y, z));
    else { /* what the rest moves is declared where it is launched */
      const MetricsPass metrics(where == Where::device, [&] {
        return DeclaredPass{"block diagonals of a product", sizeof(Scalar) * (1. * L.columns() * L.rows + L.rows + L.cols + (y ? L.rows : 0))};
      });
      PetscCall(DiagonalsProduct(D, transpose, where, x, 1, y, z));
    }
  } else if (where == Where::device && !off_process && L.nnz) { /* everything lies in the remainder */
    PetscCall(RemainderValues(where, &rem));
    PetscCall(transpose ? remainder->MultTransposeAll(rem, Version(), x, y, z) : remainder->MultAll(rem, L.rows, x, y, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  } else PetscCall(StartWith(where, y, z, transpose ? L.cols : L.rows));
  if (!L.rem_row.empty()) {
    PetscCall(RemainderValues(where, &rem));
    PetscCall(transpose ? remainder->MultTransposeAdd(where, rem, x, z) : remainder->MultAdd(where, rem, x, z));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Mult(Where where, const Scalar *x, const Scalar *y, Scalar *z)
{
  return Product(false, where, x, y, z);
}

PetscErrorCode BdiaghPart::MultTranspose(Where where, const Scalar *x, const Scalar *y, Scalar *z)
{
  return Product(true, where, x, y, z);
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
  BdiaghDiagonals D;

  PetscFunctionBegin;
  PetscCall(Diagonals(Where::device, &D));
  PetscCall(DiagonalsProduct(D, false, Where::device, x, -1, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

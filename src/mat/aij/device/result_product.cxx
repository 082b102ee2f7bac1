/*
   z = A x, or z = y +- A x, of a product's result on the device. PETSc's CUDA type calls cuSPARSE, two kernels per
   product, of which the first scales z. For coarse matrices and interpolations of multigrid, whose products run a few
   microseconds, one kernel of ours needs 0.5 to 0.9 of the time. PETSc's runs if the rows have very different lengths.
*/
#include "../../../metrics/metrics.hpp"
#include "../../csr/product.hpp"
#include "../derived.hpp"
#include "../device_csr.hpp"

namespace heptane
{

PetscErrorCode DeviceResultProduct(Mat C, Vec x, PetscScalar sign, Vec y, Vec z, PetscBool *done)
{
  PetscFunctionBegin;
  *done = PETSC_FALSE;
#if PetscDefined(HAVE_CUDA) && !PetscDefined(USE_64BIT_INDICES)
  const int          rows = (int)C->rmap->n;
  const int         *ptr, *col;
  const PetscScalar *values, *from, *added = NULL;
  PetscScalar       *to;
  PetscBool          cuda;
  PetscInt           longest;
  MatInfo            info;
  cudaStream_t       stream;

  PetscCall(PetscObjectTypeCompare((PetscObject)C, MATSEQAIJCUSPARSE, &cuda));
  if (!cuda) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAIJGetMaxRowNonzeros(C, &longest));
  PetscCall(MatGetInfo(C, MAT_LOCAL, &info));
  const int lanes = csr_lanes(rows, (int)info.nz_used);
  if (!rows || longest < 1 || !csr_lanes_suit(lanes, (int)info.nz_used, (int)longest)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSeqAIJCUSPARSEGetIJ(C, PETSC_FALSE, &ptr, &col));
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(C, &values));
  PetscCall(VecCUDAGetArrayRead(x, &from));
  if (y == z) {
    PetscCall(VecCUDAGetArray(z, &to));
    added = to;
  } else {
    if (y) PetscCall(VecCUDAGetArrayRead(y, &added));
    PetscCall(VecCUDAGetArrayWrite(z, &to));
  }
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  const MetricsPass metrics(true, [&] {
    return DeclaredPass{"MatMult of a product's result", (sizeof(Scalar) + 4.) * info.nz_used + (sizeof(int) + sizeof(Scalar) * (1. + (y != NULL))) * rows +
                                                           sizeof(Scalar) * (double)C->cmap->n};
  });
  PetscCall(PetscLogGpuTimeBegin());
  PetscCallCUDA(launch_csr_product({rows, ptr, col, values}, lanes, from, sign, added, to, stream));
  PetscCall(PetscLogGpuTimeEnd());
  PetscCall(PetscLogGpuFlops(2.0 * info.nz_used));
  if (y == z) PetscCall(VecCUDARestoreArray(z, &to));
  else {
    if (y) PetscCall(VecCUDARestoreArrayRead(y, &added));
    PetscCall(VecCUDARestoreArrayWrite(z, &to));
  }
  PetscCall(VecCUDARestoreArrayRead(x, &from));
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(C, &values));
  PetscCall(MatSeqAIJCUSPARSERestoreIJ(C, PETSC_FALSE, &ptr, &col));
  *done = PETSC_TRUE;
#else
  (void)C;
  (void)x;
  (void)sign;
  (void)y;
  (void)z;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   The inverses of the diagonal blocks of a preconditioner, see dense_inverse.hpp.
*/
#include "dense_inverse.hpp"
#include "../../device/memory.hpp"
#include "dense_host.hpp"
#include <petsc/private/matimpl.h>
#include <petsc/private/pcimpl.h>
#if PetscDefined(HAVE_CUDA)
  #include "dense_device.hpp"
#endif

namespace heptane
{

DenseInverse::~DenseInverse()
{
  PetscCallAbort(PETSC_COMM_SELF, Free());
}

PetscErrorCode DenseInverse::Free()
{
  PetscFunctionBegin;
  PetscCall(PetscFree(array[0]));
  PetscCall(DeviceFree(&array[1]));
  PetscCall(DeviceFree(&device_report));
  current[0] = current[1] = false;
  rows = ld = 0;
  block     = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseInverse::Invert(PetscBool device, const DenseBlocks &A)
{
  PetscFunctionBegin;
  if (rows != A.rows() || block != A.block) PetscCall(Free());
  rows       = A.rows();
  block      = A.block;
  ld         = dense_inverse_ld(rows);
  on_device  = device;
  current[0] = current[1] = false;
  if (!device) {
    if (!array[0]) PetscCall(PetscMalloc1(ld * block, &array[0]));
    dense_invert_host(A, array[0], ld, &report);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    const DenseReport clean;
    cudaStream_t      stream;

    if (!array[1]) PetscCall(DeviceMalloc(ld * block, &array[1]));
    if (!device_report) PetscCall(DeviceMalloc(1, &device_report));
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemcpyAsync(device_report, &clean, sizeof(clean), cudaMemcpyHostToDevice, stream)); /* pageable: read before the call returns */
    PetscCallCUDA(launch_dense_invert(A, array[1], ld, device_report, stream));
    PetscCall(CopyToHost(&report, device_report, 1)); /* whoever asks next whether the set-up failed is on the host */
  }
#endif
  current[device] = true;
  if (device) PetscCall(PetscLogGpuFlops(2.0 * rows * block * block));
  else PetscCall(PetscLogFlops(2.0 * rows * block * block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseInverse::Array(PetscBool device, const Scalar **inverse)
{
  PetscFunctionBegin;
  *inverse = nullptr;
  if (!device && !current[0] && current[1]) {
    if (!array[0]) PetscCall(PetscMalloc1(ld * block, &array[0]));
    PetscCall(CopyToHost(array[0], array[1], ld * block));
    current[0] = true;
  }
  if (current[device]) *inverse = array[device];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseInverse::Apply(Vec x, Vec y, PetscBool transpose)
{
  const Scalar *inverse, *xx;
  Scalar       *yy;
  PetscMemType  mx = PETSC_MEMTYPE_HOST, my = PETSC_MEMTYPE_HOST;

  PetscFunctionBegin;
  PetscCall(Array(on_device, &inverse));
  if (on_device) {
    PetscCall(VecGetArrayReadAndMemType(x, &xx, &mx));
    PetscCall(VecGetArrayWriteAndMemType(y, &yy, &my));
#if PetscDefined(HAVE_CUDA)
    if (PetscMemTypeDevice(mx) && PetscMemTypeDevice(my)) {
      cudaStream_t stream;

      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCall(PetscLogGpuTimeBegin());
      PetscCallCUDA(launch_dense_apply(rows, block, inverse, ld, transpose, xx, yy, stream));
      PetscCall(PetscLogGpuTimeEnd());
      PetscCall(PetscLogGpuFlops(2.0 * rows * block));
    }
#endif
    PetscCall(VecRestoreArrayReadAndMemType(x, &xx));
    PetscCall(VecRestoreArrayWriteAndMemType(y, &yy));
    if (PetscMemTypeDevice(mx) && PetscMemTypeDevice(my)) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Array(PETSC_FALSE, &inverse));
  }
  PetscCall(VecGetArrayRead(x, &xx));
  PetscCall(VecGetArrayWrite(y, &yy));
  dense_apply_host(rows, block, inverse, ld, transpose, xx, yy);
  PetscCall(VecRestoreArrayRead(x, &xx));
  PetscCall(VecRestoreArrayWrite(y, &yy));
  PetscCall(PetscLogFlops(2.0 * rows * block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseReportFailure(PC pc, Mat P, const DenseReport &report, int block)
{
  PetscFunctionBegin;
  pc->failedreason   = PC_NOERROR;
  P->factorerrortype = MAT_FACTOR_NOERROR;
  if (report.smalls) {
    PetscCall(PetscInfo(pc, "%llu diagonal blocks are singular to working precision, the first is block %llu (local row %llu)\n", report.smalls,
                        report.small_row / block, report.small_row));
  }
  if (report.nonfinite) {
    PetscCall(PetscInfo(pc, "%llu diagonal blocks hold values that are not finite, the first is block %llu\n", report.nonfinite, report.nonfinite_row / block));
  }
  if (!report.zeros) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(
    !pc->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
    "Zero pivot, local row %llu, in diagonal block %llu, first of %llu singular blocks: use a preconditioner that needs no inverse of the diagonal blocks, such as -pc_type jacobi",
    report.zero_row, report.zero_row / block, report.zeros);
  PetscCall(PetscInfo(pc, "Zero pivot, local row %llu, in diagonal block %llu, first of %llu singular blocks\n", report.zero_row, report.zero_row / block,
                      report.zeros));
  P->factorerrortype             = MAT_FACTOR_NUMERIC_ZEROPIVOT;
  P->factorerror_zeropivot_value = 0;
  P->factorerror_zeropivot_row   = (PetscInt)report.zero_row;
  pc->failedreason               = PC_FACTOR_NUMERIC_ZEROPIVOT;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

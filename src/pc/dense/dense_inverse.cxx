/*
   The inverses of the diagonal blocks of a preconditioner, see dense_inverse.hpp.
*/
#include "dense_inverse.hpp"
#include "../../device/shared_memory.hpp"
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
  for (auto &inverse : array) inverse.reset();
  PetscCall(PetscFree(pivot[0]));
  PetscCall(PetscFree(tau[0]));
  PetscCall(DeviceFree(&pivot[1]));
  PetscCall(DeviceFree(&tau[1]));
  PetscCall(DeviceFree(&device_report));
  current[0] = current[1] = false;
  rows = ld = 0;
  block     = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the method needs there, unless it is there */
PetscErrorCode DenseInverse::Allocate(bool device)
{
  Scalar *made;

  PetscFunctionBegin;
  if (device) {
    if (!device_report) PetscCall(DeviceMalloc(1, &device_report));
    if (array[1]) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(DeviceMalloc(ld * block, &made));
    array[1] = shared_on_device(made);
    if (method == DenseMethod::lu) PetscCall(DeviceMalloc(rows, &pivot[1]));
    if (method == DenseMethod::qr) PetscCall(DeviceMalloc(rows, &tau[1]));
  } else {
    if (array[0]) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscMalloc1(ld * block, &made));
    array[0] = shared_on_host(made);
    if (method == DenseMethod::lu) PetscCall(PetscMalloc1(rows, &pivot[0]));
    if (method == DenseMethod::qr) PetscCall(PetscMalloc1(rows, &tau[0]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseInverse::Invert(PetscBool device, const DenseBlocks &A)
{
  PetscLogDouble flops;

  PetscFunctionBegin;
  if (rows != A.rows() || block != A.block) PetscCall(Free());
  rows       = A.rows();
  block      = A.block;
  ld         = dense_inverse_ld(rows);
  on_device  = device;
  current[0] = current[1] = false;
  PetscCall(Allocate(device));
  if (!device) {
    if (method == DenseMethod::inverse) dense_invert_host(A, array[0].get(), ld, &report);
    else dense_factor_host(A, pivoting, Factors(false), &report);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    const DenseReport clean;
    cudaStream_t      stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemcpyAsync(device_report, &clean, sizeof(clean), cudaMemcpyHostToDevice, stream)); /* pageable: read before the call returns */
    if (method == DenseMethod::inverse) PetscCallCUDA(launch_dense_invert(A, array[1].get(), ld, device_report, stream));
    else PetscCallCUDA(launch_dense_factor(A, pivoting, Factors(true), device_report, stream));
    PetscCall(CopyToHost(&report, device_report, 1)); /* whoever asks next whether the set-up failed is on the host */
  }
#endif
  current[device] = true;
  flops           = (method == DenseMethod::inverse ? 2.0 : method == DenseMethod::lu ? 2.0 / 3 : 4.0 / 3) * (PetscLogDouble)rows * block * block;
  if (device) PetscCall(PetscLogGpuFlops(flops));
  else PetscCall(PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseInverse::Array(PetscBool device, std::shared_ptr<const Scalar> *inverse)
{
  PetscFunctionBegin;
  if (!device && !current[0] && current[1]) {
    PetscCall(Allocate(false));
    PetscCall(CopyToHost(array[0].get(), array[1].get(), ld * block));
    if (pivot[1]) PetscCall(CopyToHost(pivot[0], pivot[1], rows));
    if (tau[1]) PetscCall(CopyToHost(tau[0], tau[1], rows));
    current[0] = true;
  }
  *inverse = current[device] && method == DenseMethod::inverse ? array[device] : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseInverse::Product(bool device, bool transpose, const Scalar *x, Scalar *y)
{
  PetscFunctionBegin;
  if (!device) {
    if (method == DenseMethod::inverse) dense_apply_host(rows, block, array[0].get(), ld, transpose, x, y);
    else dense_solve_host(Factors(false), transpose, x, y);
    PetscCall(PetscLogFlops(2.0 * rows * block));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(PetscLogGpuTimeBegin());
    if (method == DenseMethod::inverse) PetscCallCUDA(launch_dense_apply(rows, block, array[1].get(), ld, transpose, x, y, stream));
    else PetscCallCUDA(launch_dense_solve(Factors(true), transpose, x, y, stream));
    PetscCall(PetscLogGpuTimeEnd());
    PetscCall(PetscLogGpuFlops(2.0 * rows * block));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseInverse::Apply(Vec x, Vec y, PetscBool transpose)
{
  const Scalar *xx;
  Scalar       *yy;
  PetscMemType  mx, my;

  PetscFunctionBegin;
  if (on_device) {
    bool both;

    PetscCall(VecGetArrayReadAndMemType(x, &xx, &mx));
    PetscCall(VecGetArrayWriteAndMemType(y, &yy, &my));
    both = PetscMemTypeDevice(mx) && PetscMemTypeDevice(my);
    if (both) PetscCall(Product(true, transpose, xx, yy));
    PetscCall(VecRestoreArrayReadAndMemType(x, &xx));
    PetscCall(VecRestoreArrayWriteAndMemType(y, &yy));
    if (both) PetscFunctionReturn(PETSC_SUCCESS);
  }
  std::shared_ptr<const Scalar> inverse;
  PetscCall(Array(PETSC_FALSE, &inverse)); /* brings it there */
  PetscCall(VecGetArrayRead(x, &xx));
  PetscCall(VecGetArrayWrite(y, &yy));
  PetscCall(Product(false, transpose, xx, yy));
  PetscCall(VecRestoreArrayRead(x, &xx));
  PetscCall(VecRestoreArrayWrite(y, &yy));
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

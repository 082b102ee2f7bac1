/*
   The inverses of the diagonal blocks of a preconditioner, see dense_inverse.hpp.
*/
#include "dense_inverse.hpp"
#include "dense_host.hpp"
#include <petsc/private/matimpl.h>
#include <petsc/private/pcimpl.h>
#if PetscDefined(HAVE_CUDA)
  #include "dense_device.hpp"
#endif

namespace heptane
{

void DenseInverse::Free()
{
  array.Free();
  pivot.Free();
  tau.Free();
  rows = ld = 0;
  block     = 0;
}

/* What the method needs there */
PetscErrorCode DenseInverse::Allocate(Where where)
{
  PetscFunctionBegin;
  array.Resize(ld * block);
  pivot.Resize(method == DenseMethod::lu ? rows : 0);
  tau.Resize(method == DenseMethod::qr ? rows : 0);
  PetscCall(array.Make(where));
  PetscCall(pivot.Make(where));
  PetscCall(tau.Make(where));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseInverse::Invert(PetscBool device, const DenseBlocks &A)
{
  const Where    where = device ? Where::device : Where::host;
  PetscLogDouble flops;

  PetscFunctionBegin;
  rows      = A.rows();
  block     = A.block;
  ld        = dense_inverse_ld(rows);
  on_device = device;
  array.Invalidate(); /* in case of an error below */
  PetscCall(Allocate(where));
  if (!device) {
    if (method == DenseMethod::inverse) dense_invert_host(A, array.At(where), ld, &report);
    else dense_factor_host(A, pivoting, Factors(where), &report);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    const DenseReport clean;
    DenseReport      *note;
    cudaStream_t      stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(device_report.Memory(where, &note));
    PetscCallCUDA(cudaMemcpyAsync(note, &clean, sizeof(clean), cudaMemcpyHostToDevice, stream)); /* pageable: read before the call returns */
    if (method == DenseMethod::inverse) PetscCallCUDA(launch_dense_invert(A, array.At(where), ld, note, stream));
    else PetscCallCUDA(launch_dense_factor(A, pivoting, Factors(where), note, stream));
    PetscCall(CopyToHost(&report, note, 1)); /* whoever asks next whether the set-up failed is on the host */
  }
#endif
  array.Written(where);
  pivot.Written(where);
  tau.Written(where);
  flops = (method == DenseMethod::inverse ? 2.0 : method == DenseMethod::lu ? 2.0 / 3 : 4.0 / 3) * (PetscLogDouble)rows * block * block;
  if (device) PetscCall(PetscLogGpuFlops(flops));
  else PetscCall(PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseInverse::Array(PetscBool device, std::shared_ptr<const Scalar> *inverse)
{
  const Where   where = device ? Where::device : Where::host;
  const Scalar *unused;
  const int    *unused_pivot;

  PetscFunctionBegin;
  if (!device && array.State() != Valid::nowhere) {
    PetscCall(pivot.Read(where, &unused_pivot));
    PetscCall(tau.Read(where, &unused));
    PetscCall(array.Read(where, &unused));
  }
  *inverse = array.ValidAt(where) && method == DenseMethod::inverse ? array.Share(where) : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseInverse::Product(bool device, bool transpose, const Scalar *x, Scalar *y)
{
  PetscFunctionBegin;
  if (!device) {
    if (method == DenseMethod::inverse) dense_apply_host(rows, block, array.At(Where::host), ld, transpose, x, y);
    else dense_solve_host(Factors(Where::host), transpose, x, y);
    PetscCall(PetscLogFlops(2.0 * rows * block));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(PetscLogGpuTimeBegin());
    if (method == DenseMethod::inverse) PetscCallCUDA(launch_dense_apply(rows, block, array.At(Where::device), ld, transpose, x, y, stream));
    else PetscCallCUDA(launch_dense_solve(Factors(Where::device), transpose, x, y, stream));
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

/*
   The inverses of the diagonal blocks of a preconditioner, see inverse.hpp.
*/
#include "inverse.hpp"
#include "../../metrics/metrics.hpp"
#include "host.hpp"
#include "tuning.hpp"
#include "../../private/mat.hpp"
#include "../../private/pc.hpp"
#include <algorithm>
#include <vector>
#if PetscDefined(HAVE_CUDA)
  #include "device.hpp"
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

/* Bytes of pivots or of tau for this number of rows */
static double factor_bytes(DenseMethod method, double rows)
{
  return method == DenseMethod::lu ? sizeof(int) * rows : method == DenseMethod::qr ? sizeof(Scalar) * rows : 0;
}

static std::string of_blocks(const char *what, int block)
{
  return std::string("dense blocks of ") + std::to_string(block) + ": " + what;
}

/* Allocates the data of the method other than `array` */
PetscErrorCode DenseInverse::Allocate(Where where)
{
  PetscFunctionBegin;
  pivot.Resize(method == DenseMethod::lu ? rows : 0);
  tau.Resize(method == DenseMethod::qr ? rows : 0);
  PetscCall(pivot.Make(where));
  PetscCall(tau.Make(where));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inverts or factorises these blocks; on the device the report is in device memory and holds DenseReport() on entry */
PetscErrorCode DenseInverse::Make(Where where, const DenseBlocks &A, const DenseFactors &F, DenseReport *to)
{
  static const char *const names[] = {"inverses", "LU factors", "QR factors"};
  const double             size    = (double)A.rows();
  const MetricsPass        metrics(where == Where::device, [&] {
    return DeclaredPass{of_blocks(names[(int)method], A.block),
                        2 * sizeof(Scalar) * size * A.block + factor_bytes(method, size) + (A.offset ? 8. * A.count : 0)};
  });

  PetscFunctionBegin;
  if (where == Where::host) {
    if (method == DenseMethod::inverse) dense_invert_host(A, F.values, F.ld, to);
    else dense_factor_host(A, pivoting, F, to);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    if (method == DenseMethod::inverse) PetscCallCUDA(launch_dense_invert(A, F.values, F.ld, to, stream));
    else PetscCallCUDA(launch_dense_factor(A, pivoting, F, to, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseInverse::Invert(PetscBool device, const DenseBlocks &A)
{
  const Where    where = device ? Where::device : Where::host;
  DenseReport   *to    = &report;
  Scalar        *stored;
  PetscLogDouble flops;

  PetscFunctionBegin;
  rows      = A.rows();
  block     = A.block;
  ld        = dense_inverse_ld(rows);
  on_device = device;
  array.Invalidate(); /* in case of an error below */
  PetscCall(Allocate(where));
  array.Resize(ld * block);
  PetscCall(array.Memory(where, &stored));
  report = DenseReport();
#if PetscDefined(HAVE_CUDA)
  if (device) {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    device_report.Resize(1);
    PetscCall(device_report.Memory(where, &to));
    PetscCallCUDA(cudaMemcpyAsync(to, &report, sizeof(report), cudaMemcpyHostToDevice, stream)); /* pageable: read before the call returns */
  }
#endif
  PetscCall(Make(where, A, Factors(where), to));
#if PetscDefined(HAVE_CUDA)
  if (device) PetscCall(CopyToHost(&report, to, 1)); /* the test for a failed set-up runs on the host */
#endif
  array.Written(where);
  pivot.Written(where);
  tau.Written(where);
  flops = (method == DenseMethod::inverse ? 2.0 : method == DenseMethod::lu ? 2.0 / 3 : 4.0 / 3) * (PetscLogDouble)rows * block * block;
  if (device) PetscCall(PetscLogGpuFlops(flops));
  else PetscCall(PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the result of the last inversion valid at `where`, if there is one */
PetscErrorCode DenseInverse::Upload(Where where)
{
  const Scalar *unused;
  const int    *unused_pivot;

  PetscFunctionBegin;
  if (array.State() == Valid::nowhere) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(pivot.Read(where, &unused_pivot));
  PetscCall(tau.Read(where, &unused));
  PetscCall(array.Read(where, &unused));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseInverse::Lend(PetscBool device, DenseLent *lent)
{
  const Where where = device ? Where::device : Where::host;

  PetscFunctionBegin;
  *lent       = DenseLent();
  lent->ld    = ld;
  lent->block = block;
  if (!device) PetscCall(Upload(where));
  if (method != DenseMethod::inverse) PetscFunctionReturn(PETSC_SUCCESS);
  if (array.ValidAt(where)) lent->inverse = array.Share(where);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = A^-1 x, or A^-T x */
PetscErrorCode DenseInverse::Product(bool device, bool transpose, const Scalar *x, Scalar *y)
{
  const DenseFactors F = Factors(device ? Where::device : Where::host);
  const MetricsPass  metrics(device, [&] {
    const char *what = method == DenseMethod::inverse ? "product with the inverses" : method == DenseMethod::lu ? "solution by LU" : "solution by QR";
    return DeclaredPass{of_blocks(what, block), sizeof(Scalar) * (block + 2.) * (double)rows + factor_bytes(method, (double)rows)};
  });

  PetscFunctionBegin;
  if (!device) {
    if (method == DenseMethod::inverse) dense_apply_host(rows, block, F.values, ld, transpose, x, y);
    else dense_solve_host(F, transpose, x, y);
    PetscCall(PetscLogFlops(2.0 * rows * block));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(PetscLogGpuTimeBegin());
    if (method == DenseMethod::inverse) PetscCallCUDA(launch_dense_apply(rows, block, F.values, ld, transpose, x, y, stream));
    else PetscCallCUDA(launch_dense_solve(F, transpose, x, y, stream));
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
  PetscCall(Upload(Where::host));
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

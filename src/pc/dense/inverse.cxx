/*
   The inverses of the diagonal blocks of a preconditioner, see inverse.hpp.
*/
#include "inverse.hpp"
#include "../../metrics/metrics.hpp"
#include "../../sys/collective.hpp"
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
  rounded.Free();
  room.Free();
  pivot.Free();
  tau.Free();
  rows = ld = 0;
  block     = 0;
  single    = false;
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

/* Allocates the data of the method other than `array` and `rounded` */
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

/* Adds the report of blocks that begin at row `first` to the report of all */
static void add_report(const DenseReport &part, unsigned long long first, DenseReport *all)
{
  const auto earlier = [first](unsigned long long row, unsigned long long known) { return row == DenseReport::none ? known : std::min(first + row, known); };

  all->zero_row      = earlier(part.zero_row, all->zero_row);
  all->nonfinite_row = earlier(part.nonfinite_row, all->nonfinite_row);
  all->small_row     = earlier(part.small_row, all->small_row);
  all->zeros += part.zeros;
  all->nonfinite += part.nonfinite;
  all->smalls += part.smalls;
  all->out_of_range += part.out_of_range;
}

/* One empty report for each of `parts` parts, in the memory of the blocks */
static PetscErrorCode CleanReports(Where where, std::size_t parts, Buffer<DenseReport> *on_device, std::vector<DenseReport> *on_host, DenseReport **reports)
{
  PetscFunctionBegin;
  on_host->assign(parts, DenseReport());
  *reports = on_host->data();
#if PetscDefined(HAVE_CUDA)
  if (where == Where::device) {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    on_device->Resize(parts);
    PetscCall(on_device->Memory(where, reports));
    PetscCallCUDA(
      cudaMemcpyAsync(*reports, on_host->data(), parts * sizeof(DenseReport), cudaMemcpyHostToDevice, stream)); /* pageable: read before the call returns */
  }
#else
  (void)where, (void)on_device;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inverts a part of the blocks at a time in Scalar and rounds it, so that the result needs half the memory */
PetscErrorCode DenseInverse::MakeSingle(Where where, const DenseBlocks &A)
{
  const std::size_t        most = std::max<std::size_t>(DenseTuning::single_rows / block, 1), parts = (A.count + most - 1) / most;
  const std::size_t        room_ld = dense_inverse_ld(std::min(most, A.count) * block);
  std::vector<DenseReport> reports;
  DenseReport             *to;
  Scalar                  *some;
  Single                  *stored;

  PetscFunctionBegin;
  rounded.Resize(std::max<std::size_t>(ld * block, 1)); /* allocated even without rows, since allocation marks the precision */
  room.Resize(room_ld * block);
  PetscCall(rounded.Memory(where, &stored));
  PetscCall(room.Memory(where, &some));
  PetscCall(CleanReports(where, parts, &device_report, &reports, &to));
  for (std::size_t k = 0; k < parts; k++) {
    const std::size_t first = k * most, count = std::min(most, A.count - first), row = first * block;

    PetscCall(Make(where, A.part(first, count), Factors(where, some, room_ld, first, count), to + k));
    if (where == Where::host) to[k].out_of_range = dense_round_host(count * block, block, some, room_ld, stored + row, ld);
#if PetscDefined(HAVE_CUDA)
    else {
      const MetricsPass metrics(true, [&] {
        return DeclaredPass{of_blocks("rounded", block), (sizeof(Scalar) + sizeof(Single)) * (double)count * block * block};
      });
      cudaStream_t      stream;

      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(launch_dense_round(count * block, block, some, room_ld, stored + row, ld, to + k, stream));
    }
#endif
  }
#if PetscDefined(HAVE_CUDA)
  if (where == Where::device) PetscCall(CopyToHost(reports.data(), to, parts)); /* the test for a failed set-up runs on the host */
#endif
  report = DenseReport();
  for (std::size_t k = 0; k < parts; k++) add_report(reports[k], k * most * block, &report);
  single = !report.out_of_range;
  if (single) rounded.Written(where);
  else {
    rounded.Free();
    room.Free();
  }
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
  single    = false;
  array.Invalidate(); /* in case of an error below */
  rounded.Invalidate();
  PetscCall(Allocate(where));
  if (wants_single) PetscCall(MakeSingle(where, A));
  if (single) array.Free();
  else {
    std::vector<DenseReport> reports;
    DenseReport             *to;
    Scalar                  *stored;

    array.Resize(ld * block);
    PetscCall(array.Memory(where, &stored));
    PetscCall(CleanReports(where, 1, &device_report, &reports, &to));
    PetscCall(Make(where, A, Factors(where, stored, ld, 0, A.count), to));
#if PetscDefined(HAVE_CUDA)
    if (device) PetscCall(CopyToHost(reports.data(), to, 1)); /* as above */
#endif
    const unsigned long long out_of_range = wants_single ? report.out_of_range : 0;
    report                                = reports[0];
    report.out_of_range                   = out_of_range;
    array.Written(where);
  }
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
  const Single *unused_single;
  const int    *unused_pivot;

  PetscFunctionBegin;
  if (array.State() == Valid::nowhere && rounded.State() == Valid::nowhere) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(pivot.Read(where, &unused_pivot));
  PetscCall(tau.Read(where, &unused));
  if (single) PetscCall(rounded.Read(where, &unused_single));
  else PetscCall(array.Read(where, &unused));
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
  if (single && rounded.ValidAt(where)) lent->rounded = rounded.Share(where);
  if (!single && array.ValidAt(where)) lent->inverse = array.Share(where);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = A^-1 x, or A^-T x, with values stored as T */
template <class T>
static void apply_host(const DenseFactorsOf<T> &F, bool transpose, const Scalar *x, Scalar *y)
{
  if (F.method == DenseMethod::inverse) dense_apply_host(F.count * F.block, F.block, F.values, F.ld, transpose, x, y);
  else dense_solve_host(F, transpose, x, y);
}

#if PetscDefined(HAVE_CUDA)
template <class T>
static cudaError_t launch_apply(const DenseFactorsOf<T> &F, bool transpose, const Scalar *x, Scalar *y, cudaStream_t stream)
{
  if (F.method == DenseMethod::inverse) return launch_dense_apply(F.count * F.block, F.block, F.values, F.ld, transpose, x, y, stream);
  return launch_dense_solve(F, transpose, x, y, stream);
}
#endif

PetscErrorCode DenseInverse::Product(bool device, bool transpose, const Scalar *x, Scalar *y)
{
  const Where                  where = device ? Where::device : Where::host;
  const DenseFactors           F     = Factors(where, array.At(where), ld, 0, Count());
  const DenseFactorsOf<Single> R     = Factors(where, rounded.At(where), ld, 0, Count());
  const MetricsPass            metrics(device, [&] {
    const char  *what = method == DenseMethod::inverse ? "product with the inverses" : method == DenseMethod::lu ? "solution by LU" : "solution by QR";
    const double stored = single ? sizeof(Single) : sizeof(Scalar);
    return DeclaredPass{of_blocks(what, block), (stored * block + 2 * sizeof(Scalar)) * (double)rows + factor_bytes(method, (double)rows)};
  });

  PetscFunctionBegin;
  if (!device) {
    if (single) apply_host(R, transpose, x, y);
    else apply_host(F, transpose, x, y);
    PetscCall(PetscLogFlops(2.0 * rows * block));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(PetscLogGpuTimeBegin());
    if (single) PetscCallCUDA(launch_apply(R, transpose, x, y, stream));
    else PetscCallCUDA(launch_apply(F, transpose, x, y, stream));
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

PetscErrorCode DenseInvert(PC pc, PetscBool single, PetscBool device, const DenseBlocks &A, DenseInverse *inverse)
{
  PetscBool all;

  PetscFunctionBegin;
  inverse->SetSingle(single);
  PetscCall(inverse->Invert(device, A));
  if (!single) PetscFunctionReturn(PETSC_SUCCESS);
  all = (PetscBool)inverse->IsSingle();
  PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)pc), &all, 1, MPI_C_BOOL, MPI_LAND));
  if (all || !inverse->IsSingle()) PetscFunctionReturn(PETSC_SUCCESS);
  inverse->SetSingle(false);
  PetscCall(inverse->Invert(device, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DensePrecisionOption(PC pc, PetscOptionItems PetscOptionsObject, const char name[], PetscBool *single)
{
  static const char *const precisions[] = {"double", "single"};
  PetscInt                 precision    = *single;

  PetscFunctionBegin;
  PetscCall(
    PetscOptionsEList(name, "Precision in which inverses and factors are stored", "PCBLOCKJACOBIREG", precisions, 2, precisions[precision], &precision, NULL));
  PetscCheck(!precision || !PetscDefined(USE_REAL_SINGLE), PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "PETSc is built in single precision, in which all is stored: leave out %s single", name);
  *single = (PetscBool)precision;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *DensePrecisionText(PetscBool wanted, bool single)
{
  if (!wanted) return "";
  return single ? ", stored in single precision" : ", stored in double precision: numbers out of the range of single precision";
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
  if (report.out_of_range)
    PetscCall(PetscInfo(pc, "%llu rows have numbers out of the range of single precision: stored in double precision\n", report.out_of_range));
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

/*
   HeptaneLeastSquares(): least squares with many dense blocks for a caller's arrays, on the host or on the device.
*/
#include "least_squares.hpp"
#include "../../device/buffer.hpp"
#include "../../metrics/metrics.hpp"
#include <heptane.h>

using namespace heptane;

/*@
   HeptaneLeastSquares - Solves min |A x - b| for many dense matrices of one size by Householder QR, held in registers on a GPU

   Not Collective

   Input Parameters:
+  memtype - where `a` and `b` are: `PETSC_MEMTYPE_HOST` or a device's
.  count   - the number of matrices
.  m       - the number of rows of each, at most 112
.  n       - the number of columns of each, at most m
-  a       - entry (i, s) of matrix c at a[(c * n + s) * m + i]

   Input/Output Parameter:
.  b - the right-hand sides, that of matrix c at b[c * m]; on return the first n entries are the solution, the norm of all other entries is the residual's

   Output Parameter:
.  deficient - number of matrices with a zero on the diagonal of R, whose solutions are not finite. `NULL` if not needed

   Level: advanced

   Notes:
   The matrices must have full rank and are not changed. On a device the work is queued on PETSc's current stream, and the host waits for it only if `deficient`
   is requested.

   LAPACK's `gels` and cuBLAS's `gelsBatched` take the same arrays. Results are bitwise repeatable, but differ between host and device by rounding. Entries
   beyond 1e150 (in single precision 1e18) overflow.

.seealso: `PCBLOCKJACOBIREG`
@*/
PetscErrorCode HeptaneLeastSquares(PetscMemType memtype, PetscInt count, PetscInt m, PetscInt n, const PetscScalar a[], PetscScalar b[], PetscInt *deficient)
{
  DenseReport report;

  PetscFunctionBegin;
  PetscCheck(count >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "The number of matrices is %" PetscInt_FMT ", it must not be negative", count);
  PetscCheck(n >= 1 && m >= n && m <= dense_largest_block, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Matrices of %" PetscInt_FMT " x %" PetscInt_FMT
             ": expected at least as many rows as columns, 1 to %d of both; larger ones: KSPLSQR, or LAPACK's gels",
             m, n, dense_largest_block);
  const DenseSystems A{(std::size_t)count, (int)m, (int)n, a, b};
  const MetricsPass  metrics(PetscMemTypeDevice(memtype), [&] {
    return DeclaredPass{"least squares with blocks of " + std::to_string(m) + " x " + std::to_string(n), sizeof(Scalar) * (double)count * m * (n + 2)};
  });
  if (!PetscMemTypeDevice(memtype)) {
    dense_least_squares_host(A, &report);
  } else {
#if PetscDefined(HAVE_CUDA)
    Buffer<DenseReport> reported(1);
    DenseReport        *on_device = nullptr;
    cudaStream_t        stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    if (deficient) {
      PetscCall(reported.Memory(Where::device, &on_device));
      PetscCallCUDA(cudaMemcpyAsync(on_device, &report, sizeof(report), cudaMemcpyHostToDevice, stream)); /* pageable: read before the call returns */
    }
    PetscCallCUDA(launch_dense_least_squares(A, on_device, stream));
    if (deficient) PetscCall(CopyToHost(&report, on_device, 1));
#else
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "Arrays on a device need a PETSc configured with CUDA (--with-cuda)");
#endif
  }
  if (deficient) *deficient = (PetscInt)report.zeros;
  PetscFunctionReturn(PETSC_SUCCESS);
}

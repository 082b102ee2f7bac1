/*
   Products of a matrix with rows on several GPUs of a node, from memory to memory.
*/
#include "peer_product.hpp"
#include "../../comm/peer_order.hpp"
#include "../../device/vector_array.hpp"
#include "../../metrics/metrics.hpp"
#include "../../sys/collective.hpp"
#include "fused_parallel.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

/* The type is the same on all processes; the memory space of the values need not be */
PetscErrorCode HasCudaType(Vec v, PetscBool *is)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)v, is, VECMPICUDA, VECSEQCUDA, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/* Collective. All processes have equally many rows and columns, a GPU and a product that can wait for peers, and all
   reach each other's memory. */
PetscErrorCode PeerProduct::Agree(Mat A, DerivedMat *m)
{
  PeerOptions options;

  PetscFunctionBegin;
  op.reset();
  agreed = PETSC_FALSE;
  used   = false;
  PetscCall(PeerOptionsGet(Where::device, &options));
  if (!options.wanted || A->rmap->N != A->cmap->N) PetscFunctionReturn(PETSC_SUCCESS); /* so for all of them */
  agreed = (PetscBool)(DerivedWhere(A, m) == Where::device && A->rmap->n == A->cmap->n);
  PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)A), &agreed, 1, MPI_C_BOOL, MPI_LAND));
  if (!agreed) PetscFunctionReturn(PETSC_SUCCESS);
  seconds = collective_patience * options.seconds;
  PetscCall(DerivedGetParallelOperator(A, m, &op));
  agreed = (PetscBool)(op && op->Peers());
#if PetscDefined(HAVE_CUDA)
  if (agreed && !memory.At(Where::device)) {
    FusedMemory *zeros;
    int          device, major;

    PetscCallCUDA(cudaGetDevice(&device));
    PetscCallCUDA(cudaDeviceGetAttribute(&reduction.processors, cudaDevAttrMultiProcessorCount, device));
    PetscCallCUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    reduction.max_blocks = reduction.processors * PassTuning::max_blocks_per_sm;
    reduction.chained    = major >= 9;
    PetscCall(memory.Zeros(Where::device, &zeros));
  }
#endif
  if (agreed) PetscCall(PetscTime(&last_check));
  PetscCall(PetscInfo(A, "Products outside of the fused solvers exchange their halo %s\n", agreed ? peer_text : "by MPI"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerProduct::Ready(Mat A, DerivedMat *m, PetscBool *ready)
{
  const auto now = [&] { return Stamp::Of(A->nonzerostate, A->data, m->sf, m->sf_of, m->settings_changed, DerivedWhere(A, m), m->exchange); };

  PetscFunctionBegin;
  *ready = PETSC_FALSE;
  if (agreed_for != now()) {
    agreed_for.Clear(); /* in case of an error below */
    PetscCall(Agree(A, m));
    agreed_for = now();
  }
  if (!agreed) PetscFunctionReturn(PETSC_SUCCESS);
  if (!op || op->Version() != std::max(m->diag->Version(), m->off->Version())) {
    op.reset(); /* releases the operator of the old values */
    PetscCall(DerivedGetParallelOperator(A, m, &op));
  }
  *ready = (PetscBool)(op && op->Peers()); /* a solver may have made the exchange anew, which all processes see */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerProduct::Of(Mat A, DerivedMat *m, Vec x, Vec y, Vec z, PeerProduct **product)
{
  PetscBool use = PETSC_FALSE;

  PetscFunctionBegin;
  *product = nullptr;
  if (!PetscDefined(HAVE_CUDA) || !m->mpi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscMPIInt size;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HasCudaType(x, &use));
  if (use) PetscCall(HasCudaType(z, &use));
  if (use && y && y != z) PetscCall(HasCudaType(y, &use));
  if (!use) PetscFunctionReturn(PETSC_SUCCESS);
  if (!m->peers) m->peers = std::make_shared<PeerProduct>();
  PetscCall(m->peers->Ready(A, m, &use));
  if (use) *product = m->peers.get();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A wait that times out ends late: an occasional test suffices. Rows without the awaited values become NaN. */
PetscErrorCode PeerProduct::Check()
{
  PetscLogDouble now;
  int            failed;

  PetscFunctionBegin;
  PetscCall(PetscTime(&now));
  if (now - last_check < PetscMin(1.0, seconds / 2) && !op->Exchange()->Broken()) PetscFunctionReturn(PETSC_SUCCESS);
  last_check = now;
  PetscCall(op->Peers()->Window().HasFailed(&failed));
  if (failed) op->Peers()->Know(failed);
  PetscCheck(
    !failed, PETSC_COMM_SELF, PETSC_ERR_LIB,
    "Another process did not come to a product within %g seconds: it has ended, or it does something else; raise -heptane_comm_timeout, of which this is "
    "%g times, if it is only late, or use -heptane_comm mpi",
    seconds, collective_patience);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerProduct::Launch(const char text[], const Scalar *x, const Scalar *rhs, Scalar *z)
{
  PetscFunctionBegin;
  (void)text, (void)x, (void)rhs, (void)z;
#if PetscDefined(HAVE_CUDA)
  const MetricsPass metrics(true, [&] { return DeclaredPass{text, op->MatrixBytes() + sizeof(Scalar) * (double)op->Rows() * (rhs ? 3 : 2)}; });
  cudaStream_t      stream;
  FusedProduct      P;

  P.q           = x;
  P.y           = z;
  P.combine.rhs = rhs;
  PetscCall(PeerInOrder());
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(op->LaunchAlone(P, seconds, reinterpret_cast<const FusedScalars *>(memory.At(Where::device)->scalars[0]), reduction, stream));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerProduct::Run(const char text[], Vec x, Vec rhs, Vec z)
{
  VectorArray   of_x, of_rhs, of_z;
  const Scalar *from, *added;
  Scalar       *to = nullptr;

  PetscFunctionBegin;
  PetscCall(Check());
  used = true;
  PetscCall(of_x.Read(Where::device, x, &from));
  PetscCall(of_z.Write(Where::device, z, rhs == z, &to));
  PetscCall(of_rhs.Read(Where::device, rhs == z ? NULL : rhs, &added));
  PetscCall(PetscLogGpuTimeBegin());
  PetscCall(Launch(text, from, rhs == z ? to : added, to));
  PetscCall(PetscLogGpuTimeEnd());
  PetscCall(PetscLogGpuFlops(op->Flops()));
  PetscCall(of_rhs.Restore());
  PetscCall(of_z.Restore());
  PetscCall(of_x.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerProduct::Mult(Vec x, Vec z)
{
  PetscFunctionBegin;
  PetscCall(Run("MatMult", x, NULL, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerProduct::MultAdd(Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  if (y == z && !work) PetscCall(VecDuplicate(z, &work));
  PetscCall(Run("MatMult", x, NULL, y == z ? work : z));
  PetscCall(VecAXPY(z, 1, y == z ? work : y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerProduct::Residual(Vec y, Vec x, Vec z)
{
  PetscFunctionBegin;
  PetscCall(Run("MatResidual", x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

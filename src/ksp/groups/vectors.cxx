/*
   Vectors of solves on their way between a process and its leader.
*/
#include "../../comm/peer_memory.hpp"
#include "matrix.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

/*
   Whether copies of vectors within the memory of the GPU take longer than by way of the host. Without CUDA's multi-process
   service a GPU runs one process at a time, so that copies within its memory are serialized with a delay; copies to and
   from pinned memory are not (H200, 2026-11-29).
*/
static PetscErrorCode CopiesTakeTurns(const ProcessGroup &group, double bytes, std::string *why)
{
  constexpr double turn_us = 125, host_bytes_per_us = 26500; /* of a process; to the host and back to the device */
  int              service = 0;

  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  int device;

  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaDeviceGetAttribute(&service, cudaDevAttrMpsEnabled, device));
#endif
  if (group.Size() > 1 && !service && bytes / host_bytes_per_us < turn_us * group.Size()) *why = "copies take turns";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where all processes have matrix and vectors on a GPU, and can open memory of their leader's */
PetscErrorCode GroupedMat::MakeDeviceWindow(Mat A, std::size_t bytes, bool device)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)A);
  std::string    why  = device ? "" : "vectors are on the host";
  DerivedMat    *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (DerivedWhere(A, m) == Where::host) why = "the matrix is on the host";
  PetscCall(PeerAgree(comm, &why));
  if (!why.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(group->Window(Where::device, bytes, &there, &why));
  PetscCall(PeerAgree(comm, &why));
  if (why.empty()) {
    PetscCall(CopiesTakeTurns(*group, (double)all.rows * sizeof(Scalar), &why));
    PetscCall(PeerAgree(comm, &why));
    vectors_there = why.empty();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  there.reset();
  PetscCall(PetscInfo(NULL, "Values and vectors of groups of processes go through the host: %s\n", why.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Between a window and an array. device: not both are on the host; the copy is done on return */
PetscErrorCode GroupedMat::Copy(Scalar *to, const Scalar *from, PetscInt n, bool device) const
{
  PetscFunctionBegin;
  if (!device) std::copy_n(from, n, to);
#if PetscDefined(HAVE_CUDA)
  else {
    const char  *memory[2] = {reinterpret_cast<const char *>(to), reinterpret_cast<const char *>(from)};
    cudaStream_t stream;

    for (const char *p : memory)
      if (p >= host->At() && p < host->At() + host->Bytes()) PetscCall(host->Pin());
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemcpyAsync(to, from, (std::size_t)n * sizeof(Scalar), cudaMemcpyDefault, stream));
    PetscCallCUDA(cudaStreamSynchronize(stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::SendVector(Side which, bool device, Vec v)
{
  const PetscScalar *array;
  PetscMemType       mtype;

  PetscFunctionBegin;
  if (device) PetscCall(VecGetArrayReadAndMemType(v, &array, &mtype));
  else PetscCall(VecGetArrayRead(v, &array));
  PetscCall(Copy(Array(which, device) + before.rows, array, counts[group->Rank()].rows, device));
  if (device) PetscCall(VecRestoreArrayReadAndMemType(v, &array));
  else PetscCall(VecRestoreArrayRead(v, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::FetchVector(Side which, bool device, Vec v)
{
  PetscScalar *array;
  PetscMemType mtype;

  PetscFunctionBegin;
  if (device) PetscCall(VecGetArrayWriteAndMemType(v, &array, &mtype));
  else PetscCall(VecGetArrayWrite(v, &array));
  PetscCall(Copy(array, Array(which, device) + before.rows, counts[group->Rank()].rows, device));
  if (device) PetscCall(VecRestoreArrayWriteAndMemType(v, &array));
  else PetscCall(VecRestoreArrayWrite(v, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* They are a window's memory, unless they are on the device and go through the host */
PetscErrorCode GroupedMat::MakeVectors(bool device)
{
  Vec        *made[2] = {&b, &x};
  PetscInt    locked  = 0; /* by a solve that ended with an error */
  PetscMPIInt size;

  PetscFunctionBegin;
  if (b) PetscCall(VecLockGet(b, &locked));
  if (b && !locked && on_device == device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(group->Peers(), &size));
  for (int k = 0; k < 2; k++) {
    Scalar *const array = Array(static_cast<Side>(k), device);

    PetscCall(VecDestroy(made[k]));
    if (device && vectors_there) {
#if PetscDefined(HAVE_CUDA)
      if (size == 1) PetscCall(VecCreateSeqCUDAWithArray(group->Peers(), inner->rmap->bs, all.rows, array, made[k]));
      else PetscCall(VecCreateMPICUDAWithArray(group->Peers(), inner->rmap->bs, all.rows, inner->rmap->N, array, made[k]));
#endif
    } else if (device) {
      PetscCall(VecCreate(group->Peers(), made[k]));
      PetscCall(VecSetLayout(*made[k], inner->rmap));
      PetscCall(VecSetType(*made[k], VECCUDA));
    } else if (size == 1) PetscCall(VecCreateSeqWithArray(group->Peers(), inner->rmap->bs, all.rows, array, made[k]));
    else PetscCall(VecCreateMPIWithArray(group->Peers(), inner->rmap->bs, all.rows, inner->rmap->N, array, made[k]));
  }
  on_device = device;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::ReceiveVectors(bool device, bool guess, Vec *rhs_vec, Vec *solution_vec)
{
  PetscFunctionBegin;
  PetscCall(MakeVectors(device));
  for (int k = 0; k < 2; k++) {
    Vec          v = k ? x : b;
    PetscScalar *array;
    PetscMemType mtype;

    if (!device) PetscCall(PetscObjectStateIncrease((PetscObject)v));
    if (!device) continue;
    PetscCall(VecGetArrayWriteAndMemType(v, &array, &mtype)); /* what the host has of it is not up to date any more */
    if (!vectors_there && (!k || guess)) PetscCall(Copy(array, Array(static_cast<Side>(k), false), all.rows, true));
    PetscCall(VecRestoreArrayWriteAndMemType(v, &array));
  }
  *rhs_vec      = b;
  *solution_vec = x;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::ReturnSolution()
{
  const PetscScalar *array;
  PetscMemType       mtype;

  PetscFunctionBegin;
  if (on_device) {
    PetscCall(VecGetArrayReadAndMemType(x, &array, &mtype)); /* the solve may have left it on the host */
    if (!vectors_there) PetscCall(Copy(Array(solution, false), array, all.rows, true));
    PetscCall(VecRestoreArrayReadAndMemType(x, &array));
  }
  PetscCall(Quiet());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::Quiet()
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (there) {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaStreamSynchronize(stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

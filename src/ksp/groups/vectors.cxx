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

/* Where all processes have their vectors on a GPU, and can open memory of their leader's, they copy there: the leader's vectors are that memory */
PetscErrorCode GroupedMat::MakeDeviceWindow(MPI_Comm comm, bool device)
{
  std::string why = device ? "" : "vectors are on the host";

  PetscFunctionBegin;
  PetscCall(PeerAgree(comm, &why));
  if (!why.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(group->Window(Where::device, sizeof(Scalar) * 2 * lines, &storage->vectors, &why));
  PetscCall(PeerAgree(comm, &why));
  if (why.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  storage->vectors.reset();
  PetscCall(PetscInfo(NULL, "Vectors of groups of processes go through the host: %s\n", why.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Between a window and an array, one of which may be on the device; done on return */
PetscErrorCode GroupedMat::Copy(Scalar *to, const Scalar *from, PetscInt n, bool device) const
{
  PetscFunctionBegin;
  if (!device) std::copy_n(from, n, to);
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    if (!storage->vectors) PetscCall(storage->window->Pin());
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
  PetscCall(Copy(Array(which, device) + before.rows, array, local.rows, device));
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
  PetscCall(Copy(array, Array(which, device) + before.rows, local.rows, device));
  if (device) PetscCall(VecRestoreArrayWriteAndMemType(v, &array));
  else PetscCall(VecRestoreArrayWrite(v, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* They are a window's memory, unless they are on the device and there is none */
PetscErrorCode GroupedMat::MakeVectors(bool device)
{
  Vec        *made[2] = {&b, &x};
  PetscMPIInt size;

  PetscFunctionBegin;
  if (b && on_device == device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(group->Peers(), &size));
  for (int k = 0; k < 2; k++) {
    Scalar *const array = Array(static_cast<Side>(k), device);

    PetscCall(VecDestroy(made[k]));
    if (device && storage->vectors) {
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
    if (!storage->vectors && (!k || guess)) PetscCall(Copy(array, vectors[k], all.rows, true));
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
  if (!on_device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayReadAndMemType(x, &array, &mtype)); /* the solve may have left it on the host */
  if (!storage->vectors) PetscCall(Copy(vectors[solution], array, all.rows, true));
#if PetscDefined(HAVE_CUDA)
  cudaStream_t stream;

  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(cudaStreamSynchronize(stream)); /* other processes read what this one has queued */
#endif
  PetscCall(VecRestoreArrayReadAndMemType(x, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

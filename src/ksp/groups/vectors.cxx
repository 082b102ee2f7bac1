/*
   Vectors of solves on their way between a process and its leader.
*/
#include "matrix.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

/* Between the window and memory of that kind; done on return */
PetscErrorCode GroupedMat::Copy(Scalar *to, const Scalar *from, PetscInt n, PetscMemType mtype) const
{
  PetscFunctionBegin;
  if (PetscMemTypeHost(mtype)) std::copy_n(from, n, to);
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(storage->window->Pin());
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemcpyAsync(to, from, (std::size_t)n * sizeof(Scalar), cudaMemcpyDefault, stream));
    PetscCallCUDA(cudaStreamSynchronize(stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::SendVector(Side which, Vec v)
{
  const PetscScalar *array;
  PetscMemType       mtype;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(v, &array, &mtype));
  PetscCall(Copy(Vector(which), array, own.rows, mtype));
  PetscCall(VecRestoreArrayReadAndMemType(v, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::FetchVector(Side which, Vec v)
{
  PetscScalar *array;
  PetscMemType mtype;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWriteAndMemType(v, &array, &mtype));
  PetscCall(Copy(array, Vector(which), own.rows, mtype));
  PetscCall(VecRestoreArrayWriteAndMemType(v, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the host they are the window's memory */
PetscErrorCode GroupedMat::MakeVectors(bool device)
{
  Vec        *made[2] = {&b, &x};
  PetscMPIInt size;

  PetscFunctionBegin;
  if (b && on_device == device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(group->Peers(), &size));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDestroy(made[k]));
    if (device) {
      PetscCall(VecCreate(group->Peers(), made[k]));
      PetscCall(VecSetLayout(*made[k], inner->rmap));
      PetscCall(VecSetType(*made[k], VECCUDA));
    } else if (size == 1) PetscCall(VecCreateSeqWithArray(group->Peers(), inner->rmap->bs, all.rows, vectors[k], made[k]));
    else PetscCall(VecCreateMPIWithArray(group->Peers(), inner->rmap->bs, all.rows, inner->rmap->N, vectors[k], made[k]));
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
    else if (!k || guess) {
      PetscCall(VecGetArrayWriteAndMemType(v, &array, &mtype));
      PetscCall(Copy(array, vectors[k], all.rows, mtype));
      PetscCall(VecRestoreArrayWriteAndMemType(v, &array));
    }
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
  PetscCall(VecGetArrayReadAndMemType(x, &array, &mtype));
  PetscCall(Copy(vectors[solution], array, all.rows, mtype));
  PetscCall(VecRestoreArrayReadAndMemType(x, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

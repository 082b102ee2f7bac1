/*
   Launches recorded as a graph. Kernels must be loaded, that is, have run once.
*/
#pragma once

#include <petscsys.h>
#include <cuda_runtime.h>

namespace heptane
{

/* For launches that call PETSc: PETSc has reported its error */
inline cudaError_t reported(PetscErrorCode code)
{
  return code == PETSC_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

/* For calls of PETSc around launches */
inline PetscErrorCode of_launch(cudaError_t err)
{
  PetscFunctionBegin;
  PetscCheck(err == cudaSuccess, PETSC_COMM_SELF, PETSC_ERR_GPU, "A kernel could not be launched: %s", cudaGetErrorString(err));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Records the work that launch(stream) queues in *graph. After an error the recording is ended first: otherwise nothing
   could be launched or synchronised. */
template <class Launch>
cudaError_t record_graph(const Launch &launch, cudaGraphExec_t *graph)
{
  cudaStream_t capture;
  cudaGraph_t  made = nullptr;
  cudaError_t  err  = cudaStreamCreateWithFlags(&capture, cudaStreamNonBlocking); /* PETSc's stream may be the default stream, which cannot record */

  if (err != cudaSuccess) return err;
  err = cudaStreamBeginCapture(capture, cudaStreamCaptureModeThreadLocal);
  if (err == cudaSuccess) {
    const cudaError_t of_launch = launch(capture);
    const cudaError_t of_end    = cudaStreamEndCapture(capture, &made);

    err = of_launch != cudaSuccess ? of_launch : of_end;
  }
  if (err == cudaSuccess) err = cudaGraphInstantiate(graph, made, 0);
  if (made) (void)cudaGraphDestroy(made);
  (void)cudaStreamDestroy(capture);
  if (err != cudaSuccess) (void)cudaGetLastError(); /* that of the recording */
  return err;
}

} // namespace heptane

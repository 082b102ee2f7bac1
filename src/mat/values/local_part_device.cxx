/*
   Values between the compressed rows on the host and the format on the device, without a copy of the format on the host: the values of the compressed rows are copied as they are, and a kernel
   moves them, by runs of rows.
*/
#include "local_part.hpp"
#include "../../metrics/metrics.hpp"
#include <new>

namespace heptane
{

/* Whether the runs are expected to be few, from the first rows; runs that are many take longer to make than a host copy of the format, which may be the only one ever made */
PetscErrorCode LocalPart::RunsPromise(const Csr &P, PetscBool *few)
{
  constexpr PetscInt sample = 4096; /* rows; guess: tens of lines of a grid */
  Csr                head   = P;
  ValueRuns          some;

  PetscFunctionBegin;
  *few = (PetscBool)(runs != nullptr);
  if (runs) PetscFunctionReturn(PETSC_SUCCESS);
  head.rows = PetscMin(P.rows, sample);
  try {
    ValueRunsMaker maker(head, &some);
    Places(head, &maker);
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory left for the places of %" PetscInt_FMT " nonzeros", head.nnz());
  }
  *few = (PetscBool)(some.Usable() && some.Short());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not usable: two entries share a place, or the runs are so many that other ways are better */
PetscErrorCode LocalPart::RunsOnDevice(const Csr &P, ValueRunsView *view, PetscBool *usable)
{
  const ValueRuns *r;

  PetscFunctionBegin;
  *usable = PETSC_FALSE;
  PetscCall(Complete());
  if (!moved) {
    PetscBool few;

    PetscCall(RunsPromise(P, &few));
    if (!few) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MakeRuns(P, &r));
  if (!r->Usable() || !r->Short()) PetscFunctionReturn(PETSC_SUCCESS);
  *view = r->View();
  if (!run_list.ValidAt(Where::device)) {
    run_list.Refer(view->runs, r->NumRuns());
    run_shapes.Refer(view->shapes, r->NumShapes());
  }
  PetscCall(run_list.Read(Where::device, &view->runs));
  PetscCall(run_shapes.Read(Where::device, &view->shapes));
  *usable = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for the values of the compressed rows on the device, and the runs by which they are moved; null: there is none, or they are moved another way */
PetscErrorCode LocalPart::RowsOnDevice(const Csr &P, ValueRunsView *view, Buffer<Scalar> *rows)
{
  PetscBool usable;
  Scalar   *there;

  PetscFunctionBegin;
  PetscCall(RunsOnDevice(P, view, &usable));
  if (!usable) PetscFunctionReturn(PETSC_SUCCESS);
  rows->Resize(static_cast<std::size_t>(P.nnz()));
  PetscCall(rows->TryMemory(Where::device, &there));
  if (there) moved++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Places without entry must hold zeros already */
PetscErrorCode LocalPart::FromRowsOnDevice(const Csr &P, const Scalar a[], Scalar there[], PetscBool *done)
{
  PetscFunctionBegin;
  *done = PETSC_FALSE;
#if PetscDefined(HAVE_CUDA)
  ValueRunsView  view;
  Buffer<Scalar> rows;
  cudaStream_t   stream;

  if (!P.nnz() || !clean) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RowsOnDevice(P, &view, &rows));
  Scalar *copy = rows.At(Where::device);
  if (!copy) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCall(CopyToDevice(copy, a, rows.Size()));
  const MetricsPass metrics(true, [&] { return DeclaredPass{"values of compressed rows put", 2. * sizeof(Scalar) * P.nnz()}; });
  PetscCallCUDA(launch_fill_runs(view, P.nnz(), copy, there, stream));
  *done = PETSC_TRUE;
#else
  (void)P, (void)a, (void)there;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the values are up to date on the device alone */
PetscErrorCode LocalPart::ToRowsFromDevice(const Csr &P, Scalar a[], PetscBool *done)
{
  PetscFunctionBegin;
  *done = PETSC_FALSE;
#if PetscDefined(HAVE_CUDA)
  ValueRunsView  view;
  Buffer<Scalar> rows;
  cudaStream_t   stream;

  if (!P.nnz() || values.State() != Valid::device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RowsOnDevice(P, &view, &rows));
  Scalar *copy = rows.At(Where::device);
  if (!copy) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  const MetricsPass metrics(true, [&] { return DeclaredPass{"values of compressed rows taken", 2. * sizeof(Scalar) * P.nnz()}; });
  PetscCallCUDA(launch_extract_runs(view, P.nnz(), values.At(Where::device), copy, stream));
  PetscCall(CopyToHost(a, copy, rows.Size()));
  *done = PETSC_TRUE;
#else
  (void)P, (void)a;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

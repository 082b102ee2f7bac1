/*
   Values between the compressed rows on the host and the format on the device, without a host copy of the format: the
   values of the compressed rows are copied unchanged. If the format has another order a kernel permutes them, by runs
   of rows, or by the place of each entry if there are too many runs.
*/
#include "local_part.hpp"
#include "../../metrics/metrics.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "change.hpp"
#endif
#include <climits>
#include <memory>
#include <new>

namespace heptane
{

/* Predicts from the first rows whether there will be few runs. Many runs take longer to make than a host copy of the
   format, which is often made only once */
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
    format->places(head, &maker);
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory left for the places of %" PetscInt_FMT " nonzeros", head.nnz());
  }
  *few = (PetscBool)(some.Usable() && some.Short());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not usable if two entries share a place, or if there are too many runs, for which the places of the entries are
   better */
PetscErrorCode LocalPart::RunsOnDevice(const Csr &P, ValueRunsView *view, PetscBool *usable)
{
  const ValueRuns *r;
  PetscBool        few;

  PetscFunctionBegin;
  *usable = PETSC_FALSE;
  PetscCall(Complete());
  PetscCall(RunsPromise(P, &few));
  if (!few) PetscFunctionReturn(PETSC_SUCCESS);
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

/* Sends the place of each entry to the device; nothing is sent if the places would need more than a quarter of its free
   memory (guess), or the host has none */
template <class Index>
PetscErrorCode LocalPart::PlacesSent(const Csr &P, Buffer<Index> *places)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  const auto                     n = static_cast<std::size_t>(P.nnz());
  const std::unique_ptr<Index[]> here(new (std::nothrow) Index[n]);
  Buffer<Index>                  sent(n);
  std::size_t                    left, all;
  Index                         *there = nullptr;

  PetscCallCUDA(cudaMemGetInfo(&left, &all));
  if (here && n <= left / (4 * sizeof(Index))) PetscCall(sent.TryMemory(Where::device, &there));
  if (!there) PetscFunctionReturn(PETSC_SUCCESS);
  try {
    format->slots(P, here.get());
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory left for the places of %" PetscInt_FMT " nonzeros", P.nnz());
  }
  PetscCall(CopyToDevice(there, here.get(), n));
  sent.Written(Where::device);
  *places = std::move(sent);
#else
  (void)P, (void)places;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Made once per pattern, and shared with duplicates */
PetscErrorCode LocalPart::PlacesOnDevice(const Csr &P, PetscBool *usable)
{
  PetscFunctionBegin;
  if (!entry_places && !no_places) {
    auto made = std::make_shared<EntryPlaces>();

    if (NumValues() <= INT_MAX) PetscCall(PlacesSent(P, &made->narrow));
    else PetscCall(PlacesSent(P, &made->wide));
    if (made->narrow.Size() || made->wide.Size()) entry_places = std::move(made);
    else {
      no_places = PETSC_TRUE;
      PetscCall(PetscInfo(
        NULL, "The device has no memory to spare for the places of %" PetscInt_FMT " nonzeros: new values are put into the format on the host\n", P.nnz()));
    }
  }
  *usable = (PetscBool)(entry_places != nullptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The runs by which values are moved; if view->count is 0 use the places of the entries. Not ready: no memory, or no
   way to move them. */
PetscErrorCode LocalPart::RowsOnDevice(const Csr &P, ValueRunsView *view, PetscBool *ready)
{
  PetscFunctionBegin;
  *view  = ValueRunsView();
  *ready = (PetscBool)(entry_places != nullptr); /* then there were too many runs: no further search */
  if (!*ready) PetscCall(RunsOnDevice(P, view, ready));
  if (!*ready) PetscCall(PlacesOnDevice(P, ready));
  if (*ready) moved++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room on the device for some of the values of the host; null: no memory */
PetscErrorCode LocalPart::Staged(const Csr &P, Scalar **there)
{
  /* values; guess: 16 megabytes reach the bandwidth of larger copies, and the buffer may stay. Memory for all values
     would be allocated and freed each time. */
  constexpr std::size_t most = std::size_t(1) << 21;

  PetscFunctionBegin;
  staged.Resize(PetscMin(static_cast<std::size_t>(P.nnz()), most));
  PetscCall(staged.TryMemory(Where::device, there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The n entries from `first` on, on the device, with the result of RowsOnDevice() */
PetscErrorCode LocalPart::Move(bool to_rows, const ValueRunsView &view, PetscInt first, PetscInt n, Scalar format[], Scalar rows[]) const
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  const auto   count = static_cast<std::size_t>(n);
  cudaStream_t stream;

  PetscCall(PetscGetCurrentCUDAStream(&stream));
  const MetricsPass metrics(true, [&] {
    const double place = view.count ? 0 : entry_places->narrow.Size() ? 4 : 8;
    return DeclaredPass{to_rows ? "values of compressed rows taken" : "values of compressed rows put", (2. * sizeof(Scalar) + place) * n};
  });
  const auto        by_places = [&](const auto *place) {
    return to_rows ? launch_take(format, count, place + first, rows, stream) : launch_put(format, count, place + first, rows, Scalar(0), false, stream);
  };
  if (view.count) PetscCallCUDA(to_rows ? launch_extract_runs(view, first, n, format, rows, stream) : launch_fill_runs(view, first, n, rows, format, stream));
  else if (entry_places->narrow.Size()) PetscCallCUDA(by_places(entry_places->narrow.At(Where::device)));
  else PetscCallCUDA(by_places(entry_places->wide.At(Where::device)));
#else
  (void)to_rows, (void)view, (void)first, (void)n, (void)format, (void)rows;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Places without entry must hold zeros already */
PetscErrorCode LocalPart::FromRowsOnDevice(const Csr &P, const Scalar a[], Scalar there[], PetscBool *done)
{
  PetscFunctionBegin;
  *done = PETSC_FALSE;
#if PetscDefined(HAVE_CUDA)
  ValueRunsView view;
  Scalar       *copy = nullptr;

  if (!P.nnz()) PetscFunctionReturn(PETSC_SUCCESS);
  if (format->in_order()) {
    PetscCall(CopyToDevice(there, a, static_cast<std::size_t>(P.nnz())));
    *done = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!clean) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RowsOnDevice(P, &view, done));
  if (*done) PetscCall(Staged(P, &copy));
  *done = (PetscBool)(copy != nullptr);
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt first = 0, n; first < P.nnz(); first += n) {
    n = PetscMin(static_cast<PetscInt>(staged.Size()), P.nnz() - first);
    PetscCall(CopyToDevice(copy, a + first, static_cast<std::size_t>(n)));
    PetscCall(Move(false, view, first, n, there, copy));
  }
#else
  (void)P, (void)a, (void)there;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For values that are up to date only on the device */
PetscErrorCode LocalPart::ToRowsFromDevice(const Csr &P, Scalar a[], PetscBool *done)
{
  PetscFunctionBegin;
  *done = PETSC_FALSE;
#if PetscDefined(HAVE_CUDA)
  ValueRunsView view;
  Scalar       *copy = nullptr;

  if (!P.nnz() || values.FormatValid() != Valid::device) PetscFunctionReturn(PETSC_SUCCESS);
  if (format->in_order()) {
    PetscCall(CopyToHost(a, values.At(Where::device), static_cast<std::size_t>(P.nnz())));
    *done = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RowsOnDevice(P, &view, done));
  if (*done) PetscCall(Staged(P, &copy));
  *done = (PetscBool)(copy != nullptr);
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt first = 0, n; first < P.nnz(); first += n) {
    n = PetscMin(static_cast<PetscInt>(staged.Size()), P.nnz() - first);
    PetscCall(Move(true, view, first, n, values.At(Where::device), copy));
    PetscCall(CopyToHost(a + first, copy, static_cast<std::size_t>(n)));
  }
#else
  (void)P, (void)a;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalPart::TakeRows(Scalar there[], PetscBool *done)
{
  Csr P;

  PetscFunctionBegin;
  PetscCall(Pattern(&P));
  *done = (PetscBool)!P.nnz();
#if PetscDefined(HAVE_CUDA)
  ValueRunsView view;
  cudaStream_t  stream;

  if (*done || !values.FormatValid(Where::device)) PetscFunctionReturn(PETSC_SUCCESS);
  if (format->in_order()) {
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemcpyAsync(there, values.At(Where::device), static_cast<std::size_t>(P.nnz()) * sizeof(Scalar), cudaMemcpyDeviceToDevice, stream));
    *done = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RowsOnDevice(P, &view, done));
  if (*done) PetscCall(Move(true, view, 0, P.nnz(), values.At(Where::device), there));
#else
  (void)there;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

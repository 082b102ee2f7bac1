/*
   The filling of a folded copy on the host or on the device.
*/
#include "folded_copy.hpp"

namespace heptane
{

/* found: FusedScaled bits */
PetscErrorCode FusedFolded::Scale(const FoldSource &source, int *found)
{
  PetscFunctionBegin;
  *found = 0;
  if (where == Where::host) *found = source.Host(form, values.At(where));
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;
    int         *raised;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(note.Memory(where, &raised));
    PetscCallCUDA(cudaMemsetAsync(raised, 0, sizeof(*raised), stream));
    PetscCallCUDA(source.Launch(form, values.At(where), raised, stream));
    PetscCall(CopyToHost(found, raised, 1));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tries the smallest form first. If the scaled diagonal is not the identity, or the matrix is not symmetric, tries again with a form that stores more. */
PetscErrorCode FusedFolded::Fill(const FoldSource &source, FoldForm first, FusedFoldStatus *end)
{
  Scalar *room  = nullptr;
  int     found = 0;

  PetscFunctionBegin;
  op.reset();
  *end = FusedFoldStatus::no_memory;
  for (FoldForm next : {FoldForm::upper, FoldForm::unit, FoldForm::whole}) {
    if (next < first) continue;
    form = next;
    values.Resize(PetscMax(values.Size(), source.Scalars(form)));
    PetscCall(values.TryMemory(where, &room));
    if (!room) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Scale(source, &found));
    if (!Unit() || !(found & (scaled_not_unit | scaled_not_symmetric))) break;
  }
  *end = found & scaled_not_positive ? FusedFoldStatus::not_positive : found & scaled_out_of_range ? FusedFoldStatus::out_of_range : FusedFoldStatus::done;
  if (*end == FusedFoldStatus::done) op = source.Operator(form, room);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedFolded::Make(const FoldSource &source, bool on_device, FoldForm first, std::shared_ptr<FusedFolded> *copy, FusedFoldStatus *end)
{
  const Where where = on_device ? Where::device : Where::host;

  PetscFunctionBegin;
  if (!*copy || (*copy)->where != where) *copy = std::make_shared<FusedFolded>(where);
  PetscCall((*copy)->Fill(source, first, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

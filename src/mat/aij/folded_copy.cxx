/*
   The memory of a folded copy, and its filling on the host or on the device.
*/
#include "folded_copy.hpp"
#include "../../device/memory.hpp"
#include <algorithm>
#include <new>

namespace heptane
{

FoldedCopy::~FoldedCopy()
{
  if (!device) delete[] values;
  else PetscCallAbort(PETSC_COMM_SELF, DeviceFree(&values));
  PetscCallAbort(PETSC_COMM_SELF, DeviceFree(&note));
}

/* Memory for so many; what is there is kept where it is enough. That there is none left is no error here. */
PetscErrorCode FoldedCopy::Room(std::size_t scalars, bool *got)
{
  PetscFunctionBegin;
  *got = true;
  if (values && room >= scalars) PetscFunctionReturn(PETSC_SUCCESS);
  room = 0;
  if (!device) {
    delete[] values;
    values = new (std::nothrow) Scalar[scalars];
    *got   = values != nullptr;
  }
#if PetscDefined(HAVE_CUDA)
  else {
    PetscCall(DeviceTryMalloc(std::max<std::size_t>(scalars, 1), &values));
    *got = values != nullptr;
    if (!note) PetscCall(DeviceMalloc(1, &note));
  }
#endif
  if (*got) room = scalars;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* found: FusedScaled bits */
PetscErrorCode FoldedCopy::Scale(const FoldSource &source, int *found)
{
  PetscFunctionBegin;
  *found = 0;
  if (!device) *found = source.Host(form, values);
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemsetAsync(note, 0, sizeof(*note), stream));
    PetscCallCUDA(source.Launch(form, values, note, stream));
    PetscCall(CopyToHost(found, note, 1));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diagonal is the unit matrix where the preconditioner is that of the matrix; where it is not, or the matrix is not symmetric, once more with more of it */
PetscErrorCode FoldedCopy::Fill(const FoldSource &source, FoldForm first, FusedFolding *end)
{
  bool got;
  int  found = 0;

  PetscFunctionBegin;
  op.reset();
  *end = FusedFolding::no_memory;
  for (FoldForm next : {FoldForm::upper, FoldForm::unit, FoldForm::whole}) {
    if (next < first) continue;
    form = next;
    PetscCall(Room(source.Scalars(form), &got));
    if (!got) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Scale(source, &found));
    if (!Unit() || !(found & (scaled_not_unit | scaled_not_symmetric))) break;
  }
  *end = found & scaled_not_positive ? FusedFolding::not_positive : FusedFolding::done;
  if (*end == FusedFolding::done) op = source.Operator(form, values);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FoldedCopy::Make(const FoldSource &source, bool on_device, FoldForm first, std::unique_ptr<FusedFolded> *copy, FusedFolding *end)
{
  auto *mine = dynamic_cast<FoldedCopy *>(copy->get());

  PetscFunctionBegin;
  if (!mine || mine->device != on_device) {
    auto made = std::make_unique<FoldedCopy>(on_device);

    mine  = made.get();
    *copy = std::move(made);
  }
  PetscCall(mine->Fill(source, first, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

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
    PetscCall(DeviceFree(&values));
    const cudaError_t err = cudaMalloc((void **)&values, std::max<std::size_t>(scalars, 1) * sizeof(Scalar));

    *got = err == cudaSuccess;
    if (err == cudaErrorMemoryAllocation) {
      values = nullptr;
      (void)cudaGetLastError(); /* it is dealt with */
    } else PetscCallCUDA(err);
    if (!note) PetscCall(DeviceMalloc(1, &note));
  }
#endif
  if (*got) room = scalars;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* found: FusedScaled bits */
PetscErrorCode FoldedCopy::Scale(const FoldSource &source, bool drop, int *found)
{
  PetscFunctionBegin;
  *found = 0;
  if (!device) *found = source.Host(drop, values);
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemsetAsync(note, 0, sizeof(*note), stream));
    PetscCallCUDA(source.Launch(drop, values, note, stream));
    PetscCall(CopyToHost(found, note, 1));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* First without the diagonal, which is the unit matrix where the preconditioner is that of the matrix; where it is not, once more with it */
PetscErrorCode FoldedCopy::Fill(const FoldSource &source, bool may_drop, FusedFolding *end)
{
  bool got;
  int  found = 0;

  PetscFunctionBegin;
  op.reset();
  *end = FusedFolding::no_memory;
  for (bool drop : {may_drop, false}) {
    PetscCall(Room(source.Scalars(drop), &got));
    if (!got) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Scale(source, drop, &found));
    unit = drop;
    if (!unit || !(found & scaled_not_unit)) break;
  }
  *end = found & scaled_not_positive ? FusedFolding::not_positive : FusedFolding::done;
  if (*end == FusedFolding::done) op = source.Operator(unit, values);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FoldedCopy::Make(const FoldSource &source, bool on_device, bool may_drop, std::unique_ptr<FusedFolded> *copy, FusedFolding *end)
{
  auto *mine = dynamic_cast<FoldedCopy *>(copy->get());

  PetscFunctionBegin;
  if (!mine || mine->device != on_device) {
    auto made = std::make_unique<FoldedCopy>(on_device);

    mine  = made.get();
    *copy = std::move(made);
  }
  PetscCall(mine->Fill(source, may_drop, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

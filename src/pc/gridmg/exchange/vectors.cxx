/*
   Arrays of vectors in the memory space of a cycle: see vectors.hpp.
*/
#include "vectors.hpp"

namespace heptane
{

PetscErrorCode GridVectors::Read(Where where, Vec x, const Scalar **array)
{
  PetscMemType place = PETSC_MEMTYPE_HOST;
  PetscInt     n;
  Scalar      *there;

  PetscFunctionBegin;
  if (where == Where::host) PetscCall(VecGetArrayRead(x, &read));
  else PetscCall(VecGetArrayReadAndMemType(x, &read, &place));
  *array = read;
  if (where == Where::host || PetscMemTypeDevice(place)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(x, &n));
  copy[0].Resize(static_cast<std::size_t>(n));
  PetscCall(copy[0].Memory(where, &there));
  if (n) PetscCall(CopyToDevice(there, read, static_cast<std::size_t>(n)));
  *array = there;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridVectors::DoneReading(Where where, Vec x, const Scalar **array)
{
  PetscFunctionBegin;
  if (where == Where::host) PetscCall(VecRestoreArrayRead(x, &read));
  else PetscCall(VecRestoreArrayReadAndMemType(x, &read));
  *array = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridVectors::Write(Where where, Vec y, Scalar **array)
{
  PetscMemType place = PETSC_MEMTYPE_HOST;
  PetscInt     n;

  PetscFunctionBegin;
  if (where == Where::host) PetscCall(VecGetArrayWrite(y, &written));
  else PetscCall(VecGetArrayWriteAndMemType(y, &written, &place));
  *array = written;
  if (where == Where::host || PetscMemTypeDevice(place)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(y, &n));
  copy[1].Resize(static_cast<std::size_t>(n));
  PetscCall(copy[1].Memory(where, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridVectors::DoneWriting(Where where, Vec y, Scalar **array)
{
  PetscFunctionBegin;
  if (*array != written) PetscCall(CopyToHost(written, *array, copy[1].Size()));
  if (where == Where::host) PetscCall(VecRestoreArrayWrite(y, &written));
  else PetscCall(VecRestoreArrayWriteAndMemType(y, &written));
  *array = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

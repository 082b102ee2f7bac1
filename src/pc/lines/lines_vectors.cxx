/*
   Arrays where lines are: see lines_vectors.hpp.
*/
#include "lines_vectors.hpp"

namespace heptane
{

PetscErrorCode LinesArrays::Begin(Vec x, Vec y, bool on_device, bool keep, const PetscScalar **from, PetscScalar **to)
{
  PetscMemType mx, my;
  PetscInt     rows[2];

  PetscFunctionBegin;
  device = on_device;
  if (!device) {
    PetscCall(VecGetArrayRead(x, &read));
    PetscCall(keep ? VecGetArray(y, &write) : VecGetArrayWrite(y, &write));
    *from = read;
    *to   = write;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetLocalSize(x, rows));
  PetscCall(VecGetLocalSize(y, rows + 1));
  PetscCall(VecGetArrayReadAndMemType(x, &read, &mx));
  PetscCall(keep ? VecGetArrayAndMemType(y, &write, &my) : VecGetArrayWriteAndMemType(y, &write, &my));
  for (int k = 0; k < 2; k++) {
    staged[k].Resize(PetscMemTypeDevice(k ? my : mx) ? 0 : (std::size_t)rows[k]);
    PetscCall(staged[k].Memory(Where::device, &there[k]));
  }
  n = (std::size_t)rows[1];
  if (there[0]) PetscCall(CopyToDevice(there[0], read, (std::size_t)rows[0]));
  if (there[1] && keep) PetscCall(CopyToDevice(there[1], write, n));
  *from = there[0] ? there[0] : read;
  *to   = there[1] ? there[1] : write;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LinesArrays::End(Vec x, Vec y)
{
  PetscFunctionBegin;
  if (!device) {
    PetscCall(VecRestoreArrayRead(x, &read));
    PetscCall(VecRestoreArray(y, &write));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (there[1]) PetscCall(CopyToHost(write, there[1], n));
  PetscCall(VecRestoreArrayReadAndMemType(x, &read));
  PetscCall(VecRestoreArrayAndMemType(y, &write));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

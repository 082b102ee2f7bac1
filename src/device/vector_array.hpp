/*
   The array of a vector in a memory space: the vector's own, or a copy on the device of an array on the host. Glue.
*/
#pragma once

#include "buffer.hpp"
#include "scalar.hpp"
#include <petscvec.h>

namespace heptane
{

/* A call of Read() or Write(), then one of Restore() */
class VectorArray {
public:
  /* *array: null if v is */
  PetscErrorCode Read(Where where, Vec v, const Scalar **array)
  {
    PetscMemType place = PETSC_MEMTYPE_HOST;

    PetscFunctionBegin;
    Begin(where, v, false, false);
    *array = from = nullptr;
    if (v && on_host) PetscCall(VecGetArrayRead(v, &from));
    else if (v) PetscCall(VecGetArrayReadAndMemType(v, &from, &place));
    *array = from;
    if (v && !on_host && !PetscMemTypeDevice(place)) PetscCall(Copy(from, const_cast<Scalar **>(array)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* keep: the array has the values of v; else they are undefined */
  PetscErrorCode Write(Where where, Vec v, bool keep, Scalar **array)
  {
    PetscMemType place = PETSC_MEMTYPE_HOST;

    PetscFunctionBegin;
    Begin(where, v, true, keep);
    if (on_host) PetscCall(keep ? VecGetArray(v, &to) : VecGetArrayWrite(v, &to));
    else PetscCall(keep ? VecGetArrayAndMemType(v, &to, &place) : VecGetArrayWriteAndMemType(v, &to, &place));
    *array = to;
    if (!on_host && !PetscMemTypeDevice(place)) PetscCall(Copy(keep ? to : nullptr, array));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Restore()
  {
    PetscFunctionBegin;
    if (copied && writes) PetscCall(CopyToHost(to, copied, copy.Size()));
    if (vec && !writes) PetscCall(on_host ? VecRestoreArrayRead(vec, &from) : VecRestoreArrayReadAndMemType(vec, &from));
    else if (vec && on_host) PetscCall(keeps ? VecRestoreArray(vec, &to) : VecRestoreArrayWrite(vec, &to));
    else if (vec) PetscCall(keeps ? VecRestoreArrayAndMemType(vec, &to) : VecRestoreArrayWriteAndMemType(vec, &to));
    vec = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  void Begin(Where where, Vec v, bool write, bool keep)
  {
    vec     = v;
    on_host = where == Where::host;
    writes  = write;
    keeps   = keep;
    copied  = nullptr;
  }
  PetscErrorCode Copy(const Scalar *values, Scalar **array)
  {
    PetscInt n;

    PetscFunctionBegin;
    PetscCall(VecGetLocalSize(vec, &n));
    copy.Resize(static_cast<std::size_t>(n));
    PetscCall(copy.Memory(Where::device, &copied));
    if (values) PetscCall(CopyToDevice(copied, values, copy.Size()));
    *array = copied;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  Vec            vec  = NULL;
  const Scalar  *from = nullptr; /* arrays of the vector */
  Scalar        *to = nullptr, *copied = nullptr;
  Buffer<Scalar> copy; /* its memory stays for the next call */
  bool           on_host = true, writes = false, keeps = false;
};

} // namespace heptane

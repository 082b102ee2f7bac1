/*
   A C++ object composed by name on a PETSc object, which then owns it. Independent of both types.
*/
#pragma once

#include "petsc_compat.hpp"

namespace heptane
{

template <class T>
PetscErrorCode ComposedDestroy(PetscCtxRt ctx)
{
  T **t = static_cast<T **>(static_cast<void *>(ctx));

  PetscFunctionBegin;
  delete *t;
  *t = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces an object that has this name */
template <class T, class Object>
PetscErrorCode Compose(Object owner, const char name[], T *t)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectContainerCompose((PetscObject)owner, name, t, ComposedDestroy<T>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Null if there is none */
template <class T, class Object>
PetscErrorCode ComposedQuery(Object owner, const char name[], T **t)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)owner, name, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error if there is none; what: in its message */
template <class T, class Object>
PetscErrorCode ComposedGet(Object owner, const char name[], const char what[], T **t)
{
  PetscFunctionBegin;
  PetscCall(ComposedQuery(owner, name, t));
  PetscCheck(*t, PetscObjectComm((PetscObject)owner), PETSC_ERR_PLIB, "The %s are lost", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

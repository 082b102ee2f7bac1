/*
   Properties of the arguments for a function that replaces an entry of the operation table, whatever its signature: the
   matrix it is called on, the other matrices among the arguments, and results that are reused.
*/
#pragma once

#include "operation_table.hpp"

namespace heptane
{

/* The signature of an entry: member is &_MatOps::name */
template <class T>
struct EntryOf;
template <class... Args>
struct EntryOf<PetscErrorCode (*_MatOps::*)(Args...)> {
  using Function = PetscErrorCode (*)(Args...);
};

/* Calls visit(Mat) for each matrix argument, operands first, and for results with MAT_REUSE_MATRIX or
   MAT_INPLACE_MATRIX */
struct ArgumentWalk {
  MatReuse reuse = MAT_INITIAL_MATRIX;
  PetscInt count = 1; /* of an array of matrices: the first integer among the arguments */

  void Inspect(MatReuse r) { reuse = r; }
  template <class T>
  void Inspect(const T &)
  {}
  void InspectCount(PetscInt n, bool *seen)
  {
    if (!*seen) count = n;
    *seen = true;
  }
  template <class T>
  void InspectCount(const T &, bool *)
  {}

  template <class Visit>
  PetscErrorCode Matrix(Mat A, const Visit &visit) const
  {
    return A ? visit(A) : PETSC_SUCCESS;
  }
  template <class Visit>
  PetscErrorCode Matrix(Mat *A, const Visit &visit) const
  {
    return reuse != MAT_INITIAL_MATRIX && A && *A ? visit(*A) : PETSC_SUCCESS;
  }
  template <class Visit>
  PetscErrorCode Matrix(Mat **A, const Visit &visit) const
  {
    PetscFunctionBegin;
    if (reuse != MAT_INITIAL_MATRIX && A && *A)
      for (PetscInt k = 0; k < count; k++)
        if ((*A)[k]) PetscCall(visit((*A)[k]));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  template <class T, class Visit>
  PetscErrorCode Matrix(const T &, const Visit &) const
  {
    return PETSC_SUCCESS;
  }
};

template <class Visit, class... Args>
PetscErrorCode ForEachMatrix(const Visit &visit, Args... args)
{
  ArgumentWalk walk;
  bool         counted = false;

  PetscFunctionBegin;
  (walk.Inspect(args), ...);
  (walk.InspectCount(args, &counted), ...);
  const PetscErrorCode results[] = {walk.Matrix(args, visit)...};
  for (PetscErrorCode ierr : results) PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first and the last matrix among the arguments */
struct FirstLast {
  Mat first = NULL, last = NULL;

  void Inspect(Mat A)
  {
    if (!first) first = A;
    last = A;
  }
  template <class T>
  void Inspect(const T &)
  {}
};

template <Values values, class... Args>
Mat MatrixOfCall(Args... args)
{
  FirstLast f;

  (f.Inspect(args), ...);
  return values == Values::last ? f.last : f.first;
}

/* Whether other matrices than the one it is called for are among the arguments */
template <class... Args>
constexpr bool has_other_matrices(PetscErrorCode (*)(Args...))
{
  return ((std::is_same_v<Args, Mat> ? 1 : 0) + ... + 0) > 1 || ((std::is_same_v<Args, Mat *> || std::is_same_v<Args, Mat **> ? 1 : 0) + ... + 0) > 0;
}

} // namespace heptane

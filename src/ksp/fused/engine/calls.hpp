/*
   Calls of PETSc's functions between the passes: made, or recorded in a plan. Both classes have the same functions;
   text() is called to record.
*/
#pragma once

#include "operands.hpp"
#include "plan.hpp"

namespace heptane
{

/* While the arrays are given back */
class MadeCalls {
public:
  explicit MadeCalls(const FusedOperands &of) : ksp(of.ksp), Amat(of.Amat) {}
  template <class Text>
  PetscErrorCode MatMult(Vec x, Vec y, Text)
  {
    return Unlocked(x, [&] { return KSP_MatMult(ksp, Amat, x, y); });
  }
  template <class Text>
  PetscErrorCode MatMultTranspose(Vec x, Vec y, Text)
  {
    return Unlocked(x, [&] { return KSP_MatMultHermitianTranspose(ksp, Amat, x, y); });
  }
  template <class Text>
  PetscErrorCode PCApply(Vec x, Vec y, Text)
  {
    return Unlocked(x, [&] { return KSP_PCApply(ksp, x, y); });
  }
  template <class Text>
  PetscErrorCode PCApplyTranspose(Vec x, Vec y, Text)
  {
    return Unlocked(x, [&] { return KSP_PCApplyHermitianTranspose(ksp, x, y); });
  }
  /* y = M^-1 (b - w), w changed */
  template <class Text>
  PetscErrorCode PCApplyToResidual(Vec w, Vec y, Text)
  {
    PetscFunctionBegin;
    PetscCall(VecAYPX(w, -1.0, ksp->vec_rhs));
    PetscCall(Unlocked(w, [&] { return KSP_PCApply(ksp, w, y); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  /* PETSc's functions leave x locked after an error, but the next solve writes to it */
  template <class F>
  static PetscErrorCode Unlocked(Vec x, F call)
  {
    PetscInt before, after;

    PetscFunctionBegin;
    PetscCall(VecLockGet(x, &before));
    const PetscErrorCode code = call();
    if (code) PetscCall(VecLockGet(x, &after));
    for (PetscInt k = before; code && k < after; k++) PetscCall(VecLockReadPop(x));
    PetscCall(code);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  KSP ksp;
  Mat Amat;
};

class RecordedCalls {
public:
  RecordedCalls(const FusedOperands &of, FusedPlan *into) : known(of.Operator() != nullptr), plan(into) {}
  template <class Text>
  PetscErrorCode MatMult(Vec, Vec, Text text)
  {
    return Product("MatMult", text());
  }
  template <class Text>
  PetscErrorCode MatMultTranspose(Vec, Vec, Text text)
  {
    return Product("MatMultTranspose", text());
  }
  template <class Text>
  PetscErrorCode PCApply(Vec, Vec, Text text)
  {
    return plan->Call("PCApply", text()), PETSC_SUCCESS;
  }
  template <class Text>
  PetscErrorCode PCApplyTranspose(Vec, Vec, Text text)
  {
    return plan->Call("PCApplyTranspose", text()), PETSC_SUCCESS;
  }
  template <class Text>
  PetscErrorCode PCApplyToResidual(Vec, Vec, Text text)
  {
    return plan->Call("PCApply", text()), PETSC_SUCCESS;
  }

private:
  /* The bytes of a product are known of matrices that have a fused one */
  PetscErrorCode Product(const char *function, const std::string &text)
  {
    if (known) plan->KnownProduct(function, text);
    else plan->Call(function, text);
    return PETSC_SUCCESS;
  }

  bool       known;
  FusedPlan *plan;
};

} // namespace heptane

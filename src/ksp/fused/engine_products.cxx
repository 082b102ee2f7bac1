/*
   Products and preconditioners of an iteration: a pass where they are row arithmetic, else calls of PETSc's.
*/
#include "engine.hpp"

namespace heptane
{

PetscErrorCode FusedEngine::ApplyPC(Vec from, Vec to)
{
  PetscFunctionBegin;
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Release());
  PetscCall(KSP_PCApply(ksp, from, to));
  PetscCall(Acquire());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::ProductTranspose(Vec from, Vec to)
{
  PetscFunctionBegin;
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  if (TransposeIsPass()) {
    counts.launches++;
    if (!device) Operator()->HostTranspose(Array(from), Array(to));
#if PetscDefined(HAVE_CUDA)
    else if (n) PetscCallCUDA(Operator()->LaunchTranspose(Array(from), Array(to), d_S, stream));
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Release());
  PetscCall(KSP_MatMultHermitianTranspose(ksp, Amat, from, to));
  PetscCall(Acquire());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What follows a product whose P.y is A u: M^-1 where it is row arithmetic, and the sums */
PetscErrorCode FusedEngine::RowsOfProduct(const FusedProduct &P)
{
  PetscFunctionBegin;
  if (number_of_sums(P.finish) == 4) PetscCall(Run(ProductStep<4>(P), P.pc));
  else PetscCall(Run(ProductStep<1>(P), P.pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Product(const FusedProduct &P, Vec in, Vec out, Vec between)
{
  FusedProduct Q = P;

  PetscFunctionBegin;
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
#if PetscDefined(HAVE_CUDA)
  if (BlocksApart(P.pc)) {
    counts.launches++;
    Q.pc.kind = FusedPc::none;
    Q.finish  = FusedFinish::none;
    if (n) PetscCallCUDA(Operator()->Launch(Q, d_S, reduction, stream));
    PetscCall(RowsOfProduct(P));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  if (matrix_op && P.pc.kind != FusedPc::other) {
    counts.launches++;
    counts.reductions++;
    if (!device) {
      Scalar sums[4];

      Q.q = input_of(P, *S);
      Operator()->Host(Q, sums);
      run_finish(P.finish, *S, sums);
    }
#if PetscDefined(HAVE_CUDA)
    else if (n)
      PetscCallCUDA(Operator()->Launch(P, d_S, reduction, stream));
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Release());
  if (P.pc.kind == FusedPc::other) {
    PetscCall(KSP_MatMult(ksp, Amat, in, between));
    PetscCall(KSP_PCApply(ksp, between, out));
    Q.pc.kind = FusedPc::none;
  } else PetscCall(KSP_MatMult(ksp, Amat, in, out));
  PetscCall(Acquire());
  if (Q.v) { /* u is there as the vector `in` */
    Q.own_q = Array(in);
    Q.own_v = nullptr;
    Q.v     = nullptr;
  }
  PetscCall(RowsOfProduct(Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

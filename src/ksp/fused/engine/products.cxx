/*
   Products and preconditioners of an iteration: a pass if they are row arithmetic, else calls of PETSc.
*/
#include "calls.hpp"
#include "engine.hpp"
#include <cstring>

namespace heptane
{

PetscErrorCode FusedEngine::Release()
{
  PetscFunctionBegin;
  PetscCall(GiveBack());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Clear(void *member, std::size_t bytes)
{
  PetscFunctionBegin;
  if (plan) PetscFunctionReturn(PETSC_SUCCESS);
  std::memset(member, 0, bytes);
  if (OnDevice()) PetscCall(on_device.Clear((unsigned char *)member - HostMemory().scalars[0], bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class F>
PetscErrorCode FusedEngine::CallBetween(F f)
{
  PetscFunctionBegin;
  if (plan) {
    PetscCall(f(RecordedCalls(*this, plan)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Release());
  PetscCall(f(MadeCalls(*this)));
  PetscCall(Acquire());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::ApplyPC(const FusedPc &pc, Vec from, Vec to, const char *text)
{
  PetscFunctionBegin;
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  if (pc.form != FusedPc::called) PetscCall(Run(ApplyPcStep(pc, Array(from), Array(to)), pc, false, text));
  else if (Passes()) PetscCall(Execute(PcPass(*this, Array(from), Array(to), text)));
  else PetscCall(CallBetween([&](auto calls) { return calls.PCApply(from, to, [&] { return text; }); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::ApplyPCTranspose(Vec from, Vec to, const char *text)
{
  PetscFunctionBegin;
  if (!Stopped()) PetscCall(CallBetween([&](auto calls) { return calls.PCApplyTranspose(from, to, [&] { return text; }); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::ProductTranspose(Vec from, Vec to, const char *text)
{
  PetscFunctionBegin;
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  if (TransposeIsPass()) PetscCall(Execute(TransposePass(*this, Array(from), Array(to), text)));
  else PetscCall(CallBetween([&](auto calls) { return calls.MatMultTranspose(from, to, [&] { return text; }); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pass after a product whose P.y is A u: M^-1 if it is row arithmetic, and the sums */
PetscErrorCode FusedEngine::RowsOfProduct(const FusedProduct &P, const ProductText &text)
{
  PetscFunctionBegin;
  if (number_of(P.sums) > 1) PetscCall(Run(ProductStep<4>(P), P.pc, false, text.sums));
  else PetscCall(Run(ProductStep<1>(P), P.pc, false, text.sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Combine(const FusedProduct &P, Vec in, Vec product, Vec applied, const ProductText &text)
{
  const bool   call = P.pc.form == FusedPc::called, apart = BlocksApart(P.pc);
  FusedProduct Q = P;

  PetscFunctionBegin;
  if (ProductsInPasses() && !call && !apart) {
    PetscCall(Execute(ProductPass<Scalar>(*this, P, text, true)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (apart) {
    const ProductText of_w{"w", text.u, ""};

    Q.pc      = FusedPc();
    Q.combine = ProductCombination();
    Q.y       = Array(product);
    PetscCall(Execute(ProductPass<Scalar>(*this, Q, of_w, true)));
  } else
    PetscCall(CallBetween([&](auto calls) -> PetscErrorCode {
      PetscFunctionBegin;
      PetscCall(calls.MatMult(in, product, [&] { return std::string("w = A ") + text.u; }));
      if (call) PetscCall(calls.PCApplyToResidual(product, applied, [] { return "z = M (b - w)"; }));
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
  Q = P;
  if (call) {
    Q.pc.form     = FusedPc::none;
    Q.combine.rhs = nullptr; /* z exists */
  }
  const std::string detail = std::string(text.y) + " = " + text.before + residual_text(P.pc, "w", text.u, text.folded);
  PetscCall(Run(CombineStep(Q, Array(call ? applied : product)), Q.pc, false, detail.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Product(const FusedProduct &P, Vec in, Vec out, Vec between, const ProductText &text)
{
  const bool   call    = P.pc.form == FusedPc::called;
  const auto   applied = [&] { return std::string(text.y) + " = M " + text.y; };
  FusedProduct Q       = P;

  PetscFunctionBegin;
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  if (BlocksApart(P.pc)) {
    Q.pc.form  = FusedPc::none;
    Q.sums     = no_sums;
    Q.backward = false;
    PetscCall(Execute(ProductPass<Scalar>(*this, Q, text, false)));
    PetscCall(RowsOfProduct(P, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ProductsInPasses() && !call) {
    PetscCall(Execute(ProductPass<Scalar>(*this, P, text, false)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ProductsInPasses() && (Passes() || ByNccl()) && !P.v) { /* no MatMult(), which exchanges by MPI; without PCApply() a graph may record it */
    Q.pc.form = FusedPc::none;
    Q.sums    = no_sums;
    Q.y       = Array(between);
    PetscCall(Execute(ProductPass<Scalar>(*this, Q, text, false)));
    PetscCall(ApplyPC(P.pc, between, out, applied().c_str()));
    Q.sums = P.sums;
    Q.y    = P.y;
    if (Q.sums != no_sums) PetscCall(RowsOfProduct(Q, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CallBetween([&](auto calls) -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(calls.MatMult(in, call ? between : out, [&] { return std::string(text.y) + " = A " + text.u; }));
    if (call) PetscCall(calls.PCApply(between, out, applied));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  if (call) Q.pc.form = FusedPc::none;
  if (Q.v) { /* u is stored in the vector `in` */
    Q.sum_q = Array(in);
    Q.sum_v = nullptr;
    Q.v     = nullptr;
  }
  if (Q.sums != no_sums || Q.pc.form != FusedPc::none) PetscCall(RowsOfProduct(Q, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   Products and preconditioners of an iteration: a pass where they are row arithmetic, else calls of PETSc's.
*/
#include "engine.hpp"

namespace heptane
{

/* Products are those of the operator, which may be a copy */
static bool in_pass(const FusedEngine &e)
{
  return e.Operator() && !(e.Matrix() && e.Matrix()->ByMatMult());
}

bool FusedEngine::BlocksApart(const FusedPc &pc) const
{
  return in_pass(*this) && applies_loaded(pc, FusedPc::blocks) && (pc.rounded || (device && !(Matrix() && Matrix()->AppliesBlocks(pc.block))));
}

PetscErrorCode FusedEngine::ApplyPC(const FusedPc &pc, Vec from, Vec to, const char *text)
{
  PetscFunctionBegin;
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  if (pc.form != FusedPc::called) PetscCall(Run(ApplyPcStep(pc, Array(from), Array(to)), pc, false, text));
  else if (passes && plan) plan->Launches(passes->Launches(), passes->Flops(), "PCApply", text);
#if PetscDefined(HAVE_CUDA)
  else if (passes) {
    counts.launches += passes->Launches();
    PetscCall(WaitForKernels());
    if (n || size > 1) PetscCallCUDA(passes->Launch(Array(from), Array(to), stream)); /* processes may wait for each other there */
  }
#endif
  else if (plan)
    plan->Call("PCApply", text);
  else {
    PetscCall(Release());
    PetscCall(KSP_PCApply(ksp, from, to));
    PetscCall(Acquire());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::ApplyPCTranspose(Vec from, Vec to, const char *text)
{
  PetscFunctionBegin;
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  if (plan) plan->Call("PCApplyTranspose", text);
  else {
    PetscCall(Release());
    PetscCall(KSP_PCApplyHermitianTranspose(ksp, from, to));
    PetscCall(Acquire());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What MatMult() moves is known of matrices that have a fused product */
void FusedEngine::RecordMatMult(const char *function, const std::string &text)
{
  if (Operator()) plan->KnownProduct(function, text);
  else plan->Call(function, text);
}

PetscErrorCode FusedEngine::ProductTranspose(Vec from, Vec to, const char *text)
{
  PetscFunctionBegin;
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  if (TransposeIsPass()) {
    if (plan) {
      plan->Pass(std::string("transposed product: ") + text, {"", 2, 0}, 0);
      plan->products++;
      plan->fused_products++;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    counts.launches++;
    const MetricsPass metrics(device, [&] {
      return DeclaredPass{std::string("transposed product: ") + text, Operator()->MatrixBytes() + 2 * sizeof(Scalar) * (double)n};
    });
    if (!device) Matrix()->HostTranspose(Array(from), Array(to));
#if PetscDefined(HAVE_CUDA)
    else if (n) PetscCallCUDA(Matrix()->LaunchTranspose(Array(from), Array(to), DeviceScalars(), stream));
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (plan) RecordMatMult("MatMultTranspose", text);
  else {
    PetscCall(Release());
    PetscCall(KSP_MatMultHermitianTranspose(ksp, Amat, from, to));
    PetscCall(Acquire());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix with M^-1, as the plan writes it. D: point inverses, B: those of blocks. */
static std::string matrix_text(const FusedPc &pc, const ProductText &text)
{
  if (is_folded(pc)) return text.folded;
  if (pc.form == FusedPc::point) return "D A";
  if (pc.form == FusedPc::blocks) return pc.source == FusedPc::own ? "(I + B (A - D))" : "B A";
  return "A";
}

/* M^-1 (b - w), w = A u, as the plan writes it; c: M^-1 b */
static std::string residual_text(const FusedPc &pc, const std::string &w, const std::string &u, const char *folded)
{
  if (is_folded(pc)) return std::string("(c - ") + folded + " " + u + ")";
  if (pc.form == FusedPc::called) return "z";
  if (pc.form == FusedPc::point) return "D (b - " + w + ")";
  if (pc.form == FusedPc::blocks) return pc.source == FusedPc::own ? "(B (b - (A - D) " + u + ") - " + u + ")" : "B (b - " + w + ")";
  return "(b - " + w + ")";
}

template <class T>
static std::string product_text(const FusedProductOf<T> &P, const ProductText &text)
{
  const std::string of =
    combines(P) ? text.before + residual_text(P.pc, std::string("A ") + text.u, text.u, text.folded) : matrix_text(P.pc, text) + " " + text.u;

  return std::string("product: ") + text.y + " = " + of + (number_of(P.sums) ? std::string(", sums ") + text.sums : "");
}

/* y = M^-1 A u in one pass of the operator's, with what follows, or the combination of it */
template <class T>
PetscErrorCode FusedEngine::ProductPass(const FusedProductOf<T> &P, const ProductText &text)
{
  const int sums = number_of(P.sums);

  PetscFunctionBegin;
  if (plan) {
    plan->Pass(product_text(P, text), CostOf(P), sums);
    plan->products++;
    plan->fused_products++;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  counts.launches++;
  counts.reductions += sums > 0;
  const MetricsPass metrics(device, [&] {
    return DeclaredPass{product_text(P, text), Operator()->MatrixBytes() + sizeof(Scalar) * CostOf(P).scalars * (double)n};
  });
  if (!device) {
    FusedProductOf<T> Q = P;
    Scalar            s[4];

    if (!combines(P)) Q.q = input_of(P, Host());
    if (Operator()->Exchange()) PetscCall(Operator()->Exchange()->Receive(Q.q));
    Operator()->Host(Q, s);
    PetscCall(KeepSums(sums, P.at, s));
  }
#if PetscDefined(HAVE_CUDA)
  else if (n || PassesSum()) {
    PetscCall(WaitForKernels());
    PetscCallCUDA(Operator()->Launch(P, DeviceScalars(), reduction, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Product(const FusedProductOf<Single> &P, const ProductText &text)
{
  PetscFunctionBegin;
  if (!Stopped()) PetscCall(ProductPass(P, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What follows a product whose P.y is A u: M^-1 where it is row arithmetic, and the sums */
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
  if (in_pass(*this) && !call && !apart) {
    PetscCall(ProductPass(P, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (apart) {
    Q.pc      = FusedPc();
    Q.combine = ProductCombination();
    Q.y       = Array(product);
    PetscCall(ProductPass(Q, {"w", text.u, ""}));
  } else if (plan) {
    RecordMatMult("MatMult", std::string("w = A ") + text.u);
    if (call) plan->Call("PCApply", "z = M (b - w)");
  } else {
    PetscCall(Release());
    PetscCall(KSP_MatMult(ksp, Amat, in, product));
    if (call) {
      PetscCall(VecAYPX(product, -1.0, ksp->vec_rhs));
      PetscCall(KSP_PCApply(ksp, product, applied));
    }
    PetscCall(Acquire());
  }
  Q = P;
  if (call) {
    Q.pc.form     = FusedPc::none;
    Q.combine.rhs = nullptr; /* z is there */
  }
  const std::string detail = std::string(text.y) + " = " + text.before + residual_text(P.pc, "w", text.u, text.folded);
  PetscCall(Run(CombineStep(Q, Array(call ? applied : product)), Q.pc, false, detail.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Product(const FusedProduct &P, Vec in, Vec out, Vec between, const ProductText &text)
{
  const bool   call = P.pc.form == FusedPc::called;
  FusedProduct Q    = P;

  PetscFunctionBegin;
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  if (BlocksApart(P.pc)) {
    Q.pc.form  = FusedPc::none;
    Q.sums     = no_sums;
    Q.backward = false;
    PetscCall(ProductPass(Q, text));
    PetscCall(RowsOfProduct(P, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (in_pass(*this) && !call) {
    PetscCall(ProductPass(P, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (in_pass(*this) && passes && !P.v) { /* no call of PETSc's between: a graph may record it */
    const std::string applied = std::string(text.y) + " = M " + text.y;

    Q.pc.form = FusedPc::none;
    Q.sums    = no_sums;
    Q.y       = Array(between);
    PetscCall(ProductPass(Q, text));
    PetscCall(ApplyPC(P.pc, between, out, applied.c_str()));
    Q.sums = P.sums;
    Q.y    = P.y;
    if (Q.sums != no_sums) PetscCall(RowsOfProduct(Q, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (plan) {
    RecordMatMult("MatMult", std::string(text.y) + " = A " + text.u);
    if (call) plan->Call("PCApply", std::string(text.y) + " = M " + text.y);
  } else {
    PetscCall(Release());
    PetscCall(KSP_MatMult(ksp, Amat, in, call ? between : out));
    if (call) PetscCall(KSP_PCApply(ksp, between, out));
    PetscCall(Acquire());
  }
  if (call) Q.pc.form = FusedPc::none;
  if (Q.v) { /* u is there as the vector `in` */
    Q.own_q = Array(in);
    Q.own_v = nullptr;
    Q.v     = nullptr;
  }
  if (Q.sums != no_sums || Q.pc.form != FusedPc::none) PetscCall(RowsOfProduct(Q, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

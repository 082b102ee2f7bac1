/*
   KSPFUSEDCHEBYSHEV: Chebyshev iteration, as a smoother in one pass per iteration, and its place in PETSc.
*/
#include "fusedchebyshev.hpp"
#include "../../sys/petsc_compat.hpp"
#include "cost.hpp"

PETSC_EXTERN PetscErrorCode KSPCreate_Chebyshev(KSP);

namespace heptane
{

/*
   The data of PETSc's type in version 3.26 (src/ksp/ksp/impls/cheby/chebyshevimpl.h), whose header is not installed and
   whose bounds no function returns. Verified before use against the values that the creator and
   KSPChebyshevSetEigenvalues() write.
*/
struct ChebyshevHead {
  PetscReal  emin, emax, emin_computed, emax_computed, emin_provided, emax_provided;
  PetscReal *betas;
  PetscInt   num_betas_alloc;
  KSP        kspest;
  PetscReal  tform[4];
  PetscInt   eststeps;
  PetscBool  usenoisy;
};

/* Of a KSP just created */
static PetscErrorCode HeadIsKnown(KSP ksp, PetscBool *known)
{
  const ChebyshevHead &c = *(const ChebyshevHead *)ksp->data;

  PetscFunctionBegin;
  *known = (PetscBool)(!c.emin && !c.emax && !c.emin_computed && !c.emax_computed && !c.emin_provided && !c.emax_provided && !c.betas && !c.num_betas_alloc &&
                       !c.kspest && c.tform[0] == 0 && c.tform[1] == (PetscReal)0.1 && c.tform[2] == 0 && c.tform[3] == (PetscReal)1.1 && c.eststeps == 10 &&
                       c.usenoisy == PETSC_TRUE);
  if (!*known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPChebyshevSetEigenvalues(ksp, 3, 2));
  *known = (PetscBool)(c.emax == 3 && c.emin == 2);
  PetscCall(KSPChebyshevSetEigenvalues(ksp, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool head_known = PETSC_FALSE; /* the last one created was as declared */

/* The bounds of the spectrum, as KSPChebyshevGetEigenvalues_Chebyshev() has them: given, estimated, or from PCGAMG */
static void bounds(KSP ksp, Real *emin, Real *emax)
{
  const ChebyshevHead &c        = *(const ChebyshevHead *)ksp->data;
  const bool           computed = c.emax_computed != 0, least_computed = c.emin_computed != 0;
  const Real           low = computed ? c.emin_computed : c.emin_provided, high = computed ? c.emax_computed : c.emax_provided;
  const Real           least_low = least_computed ? c.emin_computed : c.emin_provided, least_high = least_computed ? c.emax_computed : c.emax_provided;

  *emax = c.emax != 0 ? c.emax : high != 0 ? c.tform[2] * low + c.tform[3] * high : 0;
  *emin = c.emin != 0 ? c.emin : least_low != 0 ? c.tform[0] * least_low + c.tform[1] * least_high : 0;
}

PetscErrorCode FusedChebyshev::WhyUnfused(KSP ksp, std::string *why) const
{
  PetscBool array;

  PetscFunctionBegin;
  PetscCall(FusedOwnsArray(ksp->vec_rhs, &array));
  if (!head_known) *why = "this PETSc's Chebyshev is not known";
  else if (kind != KSP_CHEBYSHEV_FIRST) *why = "polynomials of the fourth kind";
  else if (ksp->max_it < 1) *why = "no iterations";
  else if (ksp->err_hist) *why = "errors are logged";
  else if (!array) *why = "a right-hand side that is not one array";
  else if (Untested(ksp) < 0 && FusedIterateWatched(ksp)) *why = "a monitor or convergence test reads every iterate";
  PetscFunctionReturn(PETSC_SUCCESS);
}

FusedTraits FusedChebyshev::Traits(KSP ksp) const
{
  FusedTraits t;

  t.pc_in_products = Untested(ksp) >= 0;
  return t;
}

std::vector<Vec> FusedChebyshev::Vectors(KSP ksp)
{
  return {ksp->vec_sol, ksp->work[P], ksp->work[W], ksp->work[Z], ksp->vec_rhs};
}

void FusedChebyshev::Begin(FusedEngine &e) const
{
  ChebyshevScalars &S = e.Host<ChebyshevScalars>();
  Real              emin, emax;

  bounds(e.ksp, &emin, &emax);
  chebyshev_start(S, emin, emax);
  S.settled = 1;
  S.chknorm = -1; /* PETSc's loop computes every norm */
}

/* The residual is computed by PETSc; one pass computes its norm and the first iterate */
PetscErrorCode FusedChebyshev::Start(FusedEngine &e)
{
  KSP  ksp  = e.ksp;
  Vec *work = ksp->work, r = ksp->guess_zero ? ksp->vec_rhs : work[W];

  PetscFunctionBegin;
  if (!ksp->guess_zero) {
    PetscCall(KSP_MatMult(ksp, e.Amat, ksp->vec_sol, r)); /* r = b - A x */
    PetscCall(VecAYPX(r, -1.0, ksp->vec_rhs));
  }
  PetscCall(KSP_PCApply(ksp, r, work[Z]));
  PetscCall(e.Acquire());
  PetscCall(e.Run(ChebyshevStep(FusedPc(), nullptr, e.Array(r), e.Array(work[Z]), e.Array(ksp->vec_sol), e.Array(work[P]), NormOfR(ksp))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   One iteration of a solve with norms, n rows, M bytes per row of the matrix, PC = none / Jacobi / blocks of size b:
                                                              bytes per row             launches  reductions
     w = A p                                                  16 + M                  1
     r = b - w,  z = M^-1 r,  (z, z) or (r, r),
     x = p,  p = (1 - omega) x + omega (p + scale z)          48 / 56 / 48 + 8 b      1         1
   72 + M with Jacobi. PETSc's loop moves at least 104 + M and synchronizes; here the host checks once in several
   iterations.
*/
PetscErrorCode FusedChebyshev::Iteration(FusedEngine &e, const FusedPc &pc)
{
  KSP           ksp  = e.ksp;
  Vec          *work = ksp->work;
  Scalar       *w = e.Array(work[W]), *b = e.Array(ksp->vec_rhs);
  const Scalar *z = nullptr;
  FusedProduct  product;

  PetscFunctionBegin;
  if (Untested(ksp) >= 0) {
    PetscCall(UntestedIteration(e, pc, 3)); /* the first ones read less */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (pc.single) PetscFunctionReturn(IterateSingle(e, pc));
  product.q      = e.Array(work[P]);
  product.y      = w;
  product.square = e.Sums() + chebyshev_nn;
  PetscCall(e.Product(product, work[P], work[W], NULL, {"w", "p", ""}));
  if (pc.form == FusedPc::called) {
    FusedProduct residual;

    residual.y           = w;
    residual.combine.rhs = b;
    PetscCall(e.Run(CombineStep(residual, w), FusedPc(), false, "r = b - w"));
    PetscCall(e.ApplyPC(pc, work[W], work[Z], "z = M r"));
    b = nullptr;
    z = e.Array(work[Z]);
  }
  PetscCall(e.Run(ChebyshevStep(pc, b, w, z, e.Array(ksp->vec_sol), e.Array(work[P]), NormOfR(ksp)), pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M^-1 for a pass over the vectors */
static FusedPc apart(FusedPc pc)
{
  pc.source = FusedPc::given;
  return pc;
}

/*
   One iteration of a smoother, PC = none or the matrix's own diagonal or blocks / Jacobi / blocks of size b:
                                                              bytes per row             launches  reductions
     x = (1 - omega) x + omega (p + scale M^-1 (b - A p))     32 + M + 0 / 8 / 8 b    1         0
   without synchronization; then x and p are exchanged. PETSc's loop moves at least 88 + M with none, 96 + M with
   Jacobi. The first iteration does not read x, nor, from a zero guess, the matrix and p.
   With an odd number of iterations from a nonzero guess the solution is copied. If products are MatMult(), a pass over
   the rows follows: 56 / 64 / 56 + 8 b and the bytes of MatMult().
*/
PetscErrorCode FusedChebyshev::UntestedIteration(FusedEngine &e, const FusedPc &pc, PetscInt it)
{
  KSP               ksp  = e.ksp;
  Vec              *work = ksp->work, u = Iterate(ksp, it), to = Iterate(ksp, it + 1);
  ChebyshevScalars &S = e.Host<ChebyshevScalars>();
  FusedProduct      product;

  PetscFunctionBegin;
  if (is_folded(pc)) PetscFunctionReturn(SmoothSingle(e, pc, it));
  chebyshev_next(S);
  product.q            = e.Array(u);
  product.y            = e.Array(to);
  product.pc           = pc;
  product.backward     = it % 2 == 1; /* begins with the rows that were written last */
  product.combine.rhs  = e.Array(ksp->vec_rhs);
  product.combine.of_r = S.omega * S.scale;
  if (it > 0 || !ksp->guess_zero) product.combine.of_u = S.omega;
  if (it > (ksp->guess_zero ? 1 : 0)) {
    product.combine.old    = product.y;
    product.combine.of_old = Scalar(1) - S.omega;
  }
  if (it > 0 || !ksp->guess_zero) {
    PetscCall(e.Combine(product, u, work[W], work[Z], {"x", "p", "", "A", "(1 - o) x + o p + o s "}));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  product.combine.rhs = nullptr; /* r = b */
  product.pc          = apart(pc);
  if (pc.form == FusedPc::called) {
    PetscCall(e.ApplyPC(pc, ksp->vec_rhs, work[Z], "z = M b"));
    product.pc = FusedPc();
  }
  PetscCall(e.Run(CombineStep(product, e.Array(pc.form == FusedPc::called ? work[Z] : ksp->vec_rhs)), product.pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedChebyshev::Complete(FusedEngine &e, const FusedPc &)
{
  KSP            ksp = e.ksp;
  const PetscInt its = Untested(ksp);

  PetscFunctionBegin;
  if (its < 0 || Iterate(ksp, its) == ksp->vec_sol) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(e.Release());
  PetscCall(VecCopy(Iterate(ksp, its), ksp->vec_sol));
  PetscCall(e.Acquire());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Estimates eigenvalues if PETSc's type does so, and replaces PETSc's loop by the fused one */
static PetscErrorCode KSPSetUp_FusedChebyshev(KSP ksp)
{
  FusedContext    *ctx;
  KSPChebyshevKind kind;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  PetscCall(SetUpPcFirst(ksp));
  PetscCall((*ctx->stock.setup)(ksp));
  PetscCall(KeepOperatorState(ksp, &ctx->set_up_for));
  ctx->stock.solve = ksp->ops->solve;
  ksp->ops->solve  = FusedSolve;
  PetscCall(KSPChebyshevGetKind(ksp, &kind));
  static_cast<FusedChebyshev *>(ctx->method.get())->SetKind(kind);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPCreate_FusedChebyshev(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(KSPCreate_Chebyshev(ksp));
  PetscCall(HeadIsKnown(ksp, &head_known));
  PetscCall(FusedInstall(ksp, std::make_unique<FusedChebyshev>()));
  ksp->ops->setup = KSPSetUp_FusedChebyshev;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

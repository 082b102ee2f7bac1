/*
   Chebyshev iteration with vectors and M^-1 A stored in single precision, and the conversion there and back: see
   ksp/fused/mixed/mixed.cxx. A smoother stores only M^-1 A so: ksp/fused/mixed/smoother_copy.cxx.
*/
#include "fusedchebyshev.hpp"
#include "cost.hpp"

namespace heptane
{

FusedSide FusedChebyshev::SideSingle(KSP ksp, const FusedPc &pc, std::string *why) const
{
  if (!NormOfR(ksp) || pc.form != FusedPc::blocks) return FusedSide::left;
  *why = "with point blocks the norm of the residual itself would need the blocks";
  return FusedSide::none;
}

PetscErrorCode FusedChebyshev::EnterSingle(FusedEngine &e, bool *got)
{
  Single *v[5];

  PetscFunctionBegin;
  PetscCall(e.singles.Get(5, (std::size_t)e.Rows(), e.OnDevice(), v, got));
  if (*got) single = {v[0], v[1], v[2], v[3], v[4]};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M^-1, if a norm needs r of z */
static const Scalar *inverse_for_norm(bool norm_of_r, const FusedPc &pc)
{
  return norm_of_r && pc.form == FusedPc::point ? pc.inverse : nullptr;
}

/*
   One iteration, n rows, M bytes per row of the copy:
                                                              bytes per row             launches  reductions
     w = M^-1 A d                                             8 + M                     1
     z -= w,  (z, z) or (r, r),
     y += d,  d = (omega - 1) d + omega scale z               28, with (r, r) 32        1         1
   36 + M; double precision moves 72 + M with Jacobi. For a seven-point matrix M is 24, and 56 in double precision.
*/
PetscErrorCode FusedChebyshev::IterateSingle(FusedEngine &e, const FusedPc &pc)
{
  const char            *matrix = pc.form == FusedPc::none ? "A" : pc.form == FusedPc::point ? "(D A)" : "(B A)";
  FusedProductOf<Single> product;

  PetscFunctionBegin;
  product.q      = single.d;
  product.y      = single.w;
  product.square = e.Sums() + chebyshev_nn;
  product.pc     = pc;
  PetscCall(e.Product(product, {"w", "d, in single precision", "", matrix}));
  PetscCall(e.Run(ChebyshevSingleStep(single, NormOfR(e.ksp) && pc.form == FusedPc::point), FusedPc(), false, ", in single precision"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M^-1 without the matrix */
static FusedPc unfolded(FusedPc pc)
{
  pc.matrix = FusedPc::plain;
  pc.source = FusedPc::given;
  return pc;
}

/*
   One iteration of a smoother with M^-1 A in single precision, M bytes per row of the copy, PC = none / Jacobi / blocks
   of size b:
                                                              bytes per row             launches
     c = M^-1 b, before the first                             16 / 24 / 16 + 8 b        1
     x = (1 - omega) x + omega (p + scale (c - M^-1 A p))     32 + M                    1
   Then x and p are exchanged. The first iteration does not read x. From a zero guess the first iterate is scale c,
   which is not stored: the second iteration reads only c, the third no x.
   For a seven-point matrix and b = 1, M is 24. Two iterations move 128, from a zero guess 64; in double precision 168
   and 104. b = 3: 240 and 128 instead of 392 and 232.
*/
PetscErrorCode FusedChebyshev::SmoothSingle(FusedEngine &e, const FusedPc &pc, PetscInt it)
{
  constexpr Scalar  most = 4; /* multiplying c by the scale and subtracting it again costs two bits */
  KSP               ksp  = e.ksp;
  const Vec         to = Iterate(ksp, it + 1), c = ksp->work[W];
  const char       *matrix = pc.form == FusedPc::none ? "A" : pc.form == FusedPc::point ? "(D A)" : "(B A)";
  ChebyshevScalars &S      = e.Host<ChebyshevScalars>();
  const bool        zero = ksp->guess_zero, unstored = zero && S.scale <= most;
  const PetscInt    first = zero ? 1 : 0; /* with a product */
  FusedProduct      product;

  PetscFunctionBegin;
  chebyshev_next(S);
  if (it == 0) {
    product.pc = unfolded(pc);
    product.y  = e.Array(c);
    PetscCall(e.Run(CombineStep(product, e.Array(ksp->vec_rhs)), product.pc));
    if (zero && !unstored) {
      product.pc           = FusedPc();
      product.y            = e.Array(to);
      product.combine.of_r = S.scale;
      PetscCall(e.Run(CombineStep(product, e.Array(c)), product.pc));
    }
  }
  if (it < first) PetscFunctionReturn(PETSC_SUCCESS);
  const bool   of_c  = unstored && it == 1;
  const Vec    u     = of_c ? c : Iterate(ksp, it);
  const Scalar times = of_c ? S.scale : Scalar(1); /* the iterate is this multiple of u */

  product.q            = e.Array(u);
  product.y            = e.Array(to);
  product.pc           = pc;
  product.backward     = it % 2 == 1;
  product.combine.rhs  = e.Array(c);
  product.combine.of_r = S.omega * S.scale * times;
  product.combine.of_u = of_c ? S.omega * S.scale * (Scalar(2) - times) : S.omega;
  if (it > first) {
    const bool old_c = unstored && it == 2;

    product.combine.old    = old_c ? product.combine.rhs : product.y;
    product.combine.of_old = (Scalar(1) - S.omega) * (old_c ? S.scale : Scalar(1));
  }
  PetscCall(e.Combine(product, u, NULL, NULL, {"x", "p", "", matrix, "(1 - o) x + o p + o s "}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedChebyshev::AddCorrection(FusedEngine &e, const FusedPc &, Scalar *kept)
{
  PetscFunctionBegin;
  PetscCall(e.Run(AddCorrectionStep(single.y, e.Array(e.ksp->vec_sol), kept), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Start() has stored the residual of the guess there */
void FusedChebyshev::Residual(KSP ksp, const FusedPc &pc, FusedPc *applied, Vec *to) const
{
  *applied = pc;
  *to      = ksp->work[Z];
}

PetscErrorCode FusedChebyshev::Round(FusedEngine &e, const FusedPc &pc, FusedRounding how)
{
  const ChebyshevScalars &S = e.Host<ChebyshevScalars>();
  const auto   as   = how == FusedRounding::begin ? ChebyshevRound::starts : how == FusedRounding::keep ? ChebyshevRound::keeps : ChebyshevRound::restarts;
  const Scalar step = as == ChebyshevRound::keeps ? S.omega * S.scale : S.scale;

  PetscFunctionBegin;
  PetscCall(e.Run(ChebyshevRound(e.Array(e.ksp->work[Z]), inverse_for_norm(NormOfR(e.ksp), pc), single, step, as), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Real FusedChebyshev::Rounded(FusedEngine &e, FusedRounding how) const
{
  const Scalar     *sums = e.HostSums();
  ChebyshevScalars &S    = e.Host<ChebyshevScalars>();

  if (how == FusedRounding::restart) chebyshev_restart(S);
  S.dp = std::sqrt(sums[0]);
  return sums[1];
}

PetscErrorCode FusedChebyshev::LeaveSingle(FusedEngine &e, const FusedPc &pc)
{
  KSP               ksp = e.ksp;
  ChebyshevScalars &S   = e.Host<ChebyshevScalars>();

  PetscFunctionBegin;
  chebyshev_restart(S);
  PetscCall(
    e.Run(ChebyshevFirst(e.Array(ksp->vec_sol), e.Array(ksp->work[Z]), inverse_for_norm(NormOfR(ksp), pc), e.Array(ksp->work[P]), S.scale), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

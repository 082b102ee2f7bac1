/*
   BiCGStab with vectors and M^-1 A stored in single precision, and the conversion there and back: see
   ksp/fused/mixed/mixed.cxx.
*/
#include "fusedbcgs.hpp"
#include "cost.hpp"

namespace heptane
{

PetscErrorCode FusedBcgs::EnterSingle(FusedEngine &e, bool *got)
{
  Single *v[7];

  PetscFunctionBegin;
  PetscCall(e.singles.Get(7, (std::size_t)e.Rows(), e.OnDevice(), v, got));
  /* r0 occupies half of its memory */
  if (*got) single = {v[0], v[1], v[2], v[3], v[4], v[5], reinterpret_cast<OperandOf<Single> *>(v[6])};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   One iteration, n rows, M bytes per row of the copy:
                                                                       bytes per row   launches  reductions
     v = M^-1 A p,  (v, r0)                                            10 + M          1         1
     t = M^-1 A s, s = r - alpha v,  (t, s), (t, t), (t, r0), (s, r0)  14 + M          1         1
     s = r - alpha v,  y += alpha p + omega s,  r = s - omega t,
     p = r + beta (p - omega v),  (r, r)                               32              1         1
   56 + 2 M, less than half of what double precision moves. On the host s is a vector, which a pass of its own makes.
*/
PetscErrorCode FusedBcgs::IterateSingle(FusedEngine &e, const FusedPc &pc)
{
  const bool             formed = e.FormsInput();
  const BcgsSingles     &s      = single;
  const char            *matrix = pc.form == FusedPc::none ? "A" : pc.form == FusedPc::point ? "(D A)" : "(B A)";
  FusedProductOf<Single> first, second;

  PetscFunctionBegin;
  first.q      = s.p;
  first.w      = s.r0;
  first.y      = s.v;
  first.square = e.Sums() + bcgs_rr;
  first.sums   = sum_wy;
  first.at     = bcgs_vr0;
  first.pc     = pc;
  PetscCall(e.Product(first, {"v", "p", "(v, r0), in single precision", matrix}));
  if (!formed) PetscCall(e.Run(BcgsHalf<Single>(s.r, s.v, s.s), FusedPc(), false, ", in single precision"));
  second.w        = s.r0;
  second.y        = s.t;
  second.sums     = all_sums;
  second.at       = bcgs_second;
  second.backward = true;
  second.pc       = pc;
  if (formed) {
    second.q       = s.r;
    second.v       = s.v;
    second.alpha   = &e.Scalars<BcgsScalars>()->rho;
    second.divisor = e.Sums() + bcgs_vr0;
    second.square  = first.square;
  } else second.q = s.s;
  PetscCall(e.Product(second, {"t", formed ? "(r - alpha v)" : "s", "(t, s) (t, t) (t, r0) (s, r0), in single precision", matrix}));
  PetscCall(e.Run(BcgsUpdate<Single>(s.v, s.t, formed ? nullptr : s.s, s.r, s.p, s.y, !formed), FusedPc(), false, ", in single precision"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedBcgs::AddCorrection(FusedEngine &e, const FusedPc &, Scalar *kept)
{
  PetscFunctionBegin;
  PetscCall(e.Run(AddCorrectionStep(single.y, e.Array(e.ksp->vec_sol), kept), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* R of PETSc's order: see kspfusedbcgs.cxx */
void FusedBcgs::Residual(KSP ksp, const FusedPc &pc, FusedPc *applied, Vec *to) const
{
  *applied = pc;
  *to      = ksp->work[0];
}

PetscErrorCode FusedBcgs::Round(FusedEngine &e, const FusedPc &, FusedRounding how)
{
  const auto as = how == FusedRounding::begin ? BcgsRound::starts : how == FusedRounding::keep ? BcgsRound::keeps : BcgsRound::restarts;

  PetscFunctionBegin;
  PetscCall(e.Run(BcgsRound(e.Array(e.ksp->work[0]), single, as), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Real FusedBcgs::Rounded(FusedEngine &e, FusedRounding) const
{
  const Scalar *sums = e.HostSums();
  BcgsScalars  &S    = e.Host<BcgsScalars>();

  S.rho = sums[1];
  S.dp  = std::sqrt(sums[0]);
  return sums[0];
}

bool FusedBcgs::PersistentSingle(FusedEngine &, const FusedPc &, FusedSinglePersistent *P) const
{
  P->method      = "bcgs";
  P->y           = single.y;
  P->r           = single.r;
  P->p           = single.p;
  P->r0          = single.r0;
  P->exchange[0] = single.s;
  return true;
}

PetscErrorCode FusedBcgs::LeaveSingle(FusedEngine &e, const FusedPc &)
{
  KSP ksp = e.ksp;

  PetscFunctionBegin;
  e.Host<BcgsScalars>().rhoold = 1; /* nothing has broken down */
  PetscCall(e.Run(BcgsStart(e.Array(ksp->work[0]), e.Array(ksp->work[1]), e.Array(ksp->work[5])), FusedPc(), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   Solver packages: their constructors of factors for SEQAIJ and MPIAIJ are wrapped, and each phase of a factor of our
   matrices first brings the matrix's values up to date.
*/
#include "factor_packages.hpp"
#include "../../sys/composed.hpp"
#include "derived.hpp"

namespace heptane
{

namespace
{

constexpr int           packages               = 15;
const char *const       package_name[packages] = {MATSOLVERPETSC,       MATSOLVERUMFPACK,      MATSOLVERKLU,       MATSOLVERCHOLMOD, MATSOLVERSPQR,
                                                  MATSOLVERSUPERLU,     MATSOLVERSUPERLU_DIST, MATSOLVERSTRUMPACK, MATSOLVERESSL,    MATSOLVERLUSOL,
                                                  MATSOLVERMKL_PARDISO, MATSOLVERMKL_CPARDISO, MATSOLVERMUMPS,     MATSOLVERPASTIX,  MATSOLVERMATLAB};
constexpr MatFactorType factor_types[]         = {MAT_FACTOR_LU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ILU, MAT_FACTOR_ICC, MAT_FACTOR_ILUDT, MAT_FACTOR_QR};
using CreateFactor                             = PetscErrorCode (*)(Mat, MatFactorType, Mat *);
CreateFactor create_factor[packages][2][MAT_FACTOR_QR + 1]; /* of the package, for SEQAIJ and MPIAIJ */

/* The phases of a factor as its package made them */
struct FactorPhases {
  struct _MatOps ops;
  bool           reads_in_solves = false; /* UMFPACK refines with the matrix's values, and holds the matrix */
  Mat            A               = NULL;  /* of the last phase with a matrix; the factor holds a reference if solves read it */
};
const char phases_name[] = "heptane_factor_phases";

PetscErrorCode GetPhases(Mat F, FactorPhases **phases)
{
  PetscFunctionBegin;
  PetscCall(ComposedGet(F, phases_name, "phases of a factor", phases));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void WrapPhases(Mat F, FactorPhases *phases);

/* A phase with a matrix argument: a package's first calls set the entries of the next */
template <auto member, class... Args>
PetscErrorCode Phase(Mat F, Mat A, Args... args)
{
  FactorPhases *phases;

  PetscFunctionBegin;
  PetscCall(GetPhases(F, &phases));
  PetscCall(DerivedSyncAny(A));
  phases->A = A;
  PetscCall((*(phases->ops.*member))(F, A, args...));
  if constexpr (sizeof...(Args) > 1) /* symbolic. ILU(0) and ICC(0) copy the names composed on A to the factor, whose destructor does not know them */
    for (int k = 0; k < DerivedClassCount(); k++) PetscCall(DerivedComposeConversions(F, DerivedClassAt(k), PETSC_FALSE));
  WrapPhases(F, phases);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <auto member, class... Args>
PetscErrorCode Solve(Mat F, Args... args)
{
  FactorPhases *phases;

  PetscFunctionBegin;
  PetscCall(GetPhases(F, &phases));
  PetscCall(DerivedSyncAny(phases->A));
  PetscCall((*(phases->ops.*member))(F, args...));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <auto member, class Entry>
void WrapPhase(Mat F, FactorPhases *phases, Entry wrapper)
{
  if (!(F->ops[0].*member) || F->ops[0].*member == wrapper) return;
  phases->ops.*member = F->ops[0].*member;
  F->ops[0].*member   = wrapper;
}

void WrapPhases(Mat F, FactorPhases *phases)
{
  WrapPhase<&_MatOps::lufactorsymbolic>(F, phases, Phase<&_MatOps::lufactorsymbolic, IS, IS, const MatFactorInfo *>);
  WrapPhase<&_MatOps::lufactornumeric>(F, phases, Phase<&_MatOps::lufactornumeric, const MatFactorInfo *>);
  WrapPhase<&_MatOps::choleskyfactorsymbolic>(F, phases, Phase<&_MatOps::choleskyfactorsymbolic, IS, const MatFactorInfo *>);
  WrapPhase<&_MatOps::choleskyfactornumeric>(F, phases, Phase<&_MatOps::choleskyfactornumeric, const MatFactorInfo *>);
  WrapPhase<&_MatOps::ilufactorsymbolic>(F, phases, Phase<&_MatOps::ilufactorsymbolic, IS, IS, const MatFactorInfo *>);
  WrapPhase<&_MatOps::iccfactorsymbolic>(F, phases, Phase<&_MatOps::iccfactorsymbolic, IS, const MatFactorInfo *>);
  if (!phases->reads_in_solves) return;
  WrapPhase<&_MatOps::solve>(F, phases, Solve<&_MatOps::solve, Vec, Vec>);
  WrapPhase<&_MatOps::solvetranspose>(F, phases, Solve<&_MatOps::solvetranspose, Vec, Vec>);
  WrapPhase<&_MatOps::matsolve>(F, phases, Solve<&_MatOps::matsolve, Mat, Mat>);
}

template <int k, int mpi>
PetscErrorCode GetFactor(Mat A, MatFactorType type, Mat *F)
{
  DerivedMat *m;
  PetscBool   ours;

  PetscFunctionBegin;
  PetscCall((*create_factor[k][mpi][type])(A, type, F));
  PetscCall(DerivedQuery(A, &m));
  PetscCall(DerivedIsBlock(A, &ours));
  if ((!m && !ours) || !*F) PetscFunctionReturn(PETSC_SUCCESS);
  FactorPhases *phases    = new FactorPhases;
  phases->reads_in_solves = !strcmp(package_name[k], MATSOLVERUMFPACK);
  PetscCall(Compose(*F, phases_name, phases));
  WrapPhases(*F, phases);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Most packages are absent, and few support both types: one query suffices */
template <int k>
PetscErrorCode WrapPackage()
{
  constexpr CreateFactor wrapper[2] = {GetFactor<k, 0>, GetFactor<k, 1>};
  const char *const      base[2]    = {MATSEQAIJ, MATMPIAIJ};
  PetscBool              present    = PETSC_TRUE, known;

  PetscFunctionBegin;
  for (int mpi = 0; mpi < 2 && present; mpi++) {
    PetscCall(MatSolverTypeGet(package_name[k], base[mpi], factor_types[0], &present, &known, NULL));
    for (MatFactorType type : factor_types) {
      CreateFactor create = NULL;

      if (known) PetscCall(MatSolverTypeGet(package_name[k], base[mpi], type, NULL, NULL, &create));
      if (!create || create == wrapper[mpi]) continue;
      create_factor[k][mpi][type] = create;
      PetscCall(MatSolverTypeRegister(package_name[k], base[mpi], type, wrapper[mpi]));
    }
  }
  if constexpr (k + 1 < packages) PetscCall(WrapPackage<k + 1>());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode FactorPackagesFind()
{
  return WrapPackage<0>();
}

} // namespace heptane

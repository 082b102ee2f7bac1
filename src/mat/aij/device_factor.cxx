/*
   Factorisations on the device: the factor is PETSc's for its CUDA type, of the copy of the matrix (device_csr.hpp). The phases that take
   the matrix are preceded by putting its copy, up to date, in its place. ILU(0) and ICC(0) run on the device from the values to the
   solves; LU, Cholesky and factors with fill are computed on the host from values brought there, as with PETSc's CUDA type.
*/
#include "derived.hpp"
#include "device_csr.hpp"

namespace heptane
{

namespace
{

using NumericFn = PetscErrorCode (*)(Mat, Mat, const MatFactorInfo *);
using SolveFn   = PetscErrorCode (*)(Mat, Vec, Vec);

/* Kept with the factor: PETSc's phases. A factor on the host may share the pattern of the copy, which is the matrix's: the matrix stays */
struct Phases {
  ~Phases() { PetscCallAbort(PETSC_COMM_SELF, MatDestroy(&A)); }
  Mat A                                                         = NULL;
  PetscErrorCode (*lu)(Mat, Mat, IS, IS, const MatFactorInfo *) = NULL, (*ilu)(Mat, Mat, IS, IS, const MatFactorInfo *) = NULL;
  PetscErrorCode (*cholesky)(Mat, Mat, IS, const MatFactorInfo *) = NULL, (*icc)(Mat, Mat, IS, const MatFactorInfo *) = NULL;
  NumericFn lu_numeric = NULL, cholesky_numeric = NULL;
  SolveFn   solve = NULL, solve_transpose = NULL;
};

const char phases_name[] = "heptane_device_factor";

PetscErrorCode PhasesDestroy(PetscCtxRt ctx)
{
  Phases **p = static_cast<Phases **>(static_cast<void *>(ctx));

  PetscFunctionBegin;
  delete *p;
  *p = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetPhases(Mat F, Phases **phases)
{
  PetscContainer c;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)F, phases_name, (PetscObject *)&c));
  PetscCheck(c, PetscObjectComm((PetscObject)F), PETSC_ERR_PLIB, "The phases of a factorisation are lost");
  PetscCall(PetscContainerGetPointer(c, phases));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What stands in for A: its copy, or A itself where it is of another type by now */
PetscErrorCode StandIn(Phases *p, Mat A, Mat *S)
{
  PetscFunctionBegin;
  PetscCall(DeviceCsrGet(A, PETSC_TRUE, S));
  if (!*S) *S = A;
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(MatDestroy(&p->A));
  p->A = A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's CUDA type refuses vectors in host memory, which our types take everywhere: they go through two on the device */
template <SolveFn Phases::*phase>
PetscErrorCode Solve(Mat F, Vec b, Vec x)
{
  Phases   *p;
  PetscBool fits = PETSC_TRUE;
  Vec       own[2];

  PetscFunctionBegin;
  PetscCall(GetPhases(F, &p));
  for (Vec v : {b, x}) PetscCall(DeviceVectorFits(v, F, &fits));
  if (fits) {
    PetscCall((*(p->*phase))(F, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatCreateVecs(F, &own[0], &own[1]));
  PetscCall(VecCopy(b, own[0]));
  PetscCall((*(p->*phase))(F, own[0], own[1]));
  PetscCall(VecCopy(own[1], x));
  for (Vec &v : own) PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numeric phases choose the solves anew */
PetscErrorCode WrapSolves(Mat F, Phases *p)
{
  PetscFunctionBegin;
  if (F->ops->solve && F->ops->solve != Solve<&Phases::solve>) {
    p->solve      = F->ops->solve;
    F->ops->solve = Solve<&Phases::solve>;
  }
  if (F->ops->solvetranspose && F->ops->solvetranspose != Solve<&Phases::solve_transpose>) {
    p->solve_transpose     = F->ops->solvetranspose;
    F->ops->solvetranspose = Solve<&Phases::solve_transpose>;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <NumericFn Phases::*phase>
PetscErrorCode Numeric(Mat F, Mat A, const MatFactorInfo *info)
{
  Phases *p;
  Mat     S;

  PetscFunctionBegin;
  PetscCall(GetPhases(F, &p));
  PetscCall(StandIn(p, A, &S));
  PetscCall((*(p->*phase))(F, S, info));
  PetscCall(WrapSolves(F, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The symbolic phases choose the numeric ones */
template <auto phase, class... Args>
PetscErrorCode Symbolic(Mat F, Mat A, Args... args)
{
  Phases *p;
  Mat     S;

  PetscFunctionBegin;
  PetscCall(GetPhases(F, &p));
  PetscCall(StandIn(p, A, &S));
  PetscCall((*(p->*phase))(F, S, args...));
  if (F->ops->lufactornumeric && F->ops->lufactornumeric != Numeric<&Phases::lu_numeric>) {
    p->lu_numeric           = F->ops->lufactornumeric;
    F->ops->lufactornumeric = Numeric<&Phases::lu_numeric>;
  }
  if (F->ops->choleskyfactornumeric && F->ops->choleskyfactornumeric != Numeric<&Phases::cholesky_numeric>) {
    p->cholesky_numeric           = F->ops->choleskyfactornumeric;
    F->ops->choleskyfactornumeric = Numeric<&Phases::cholesky_numeric>;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Wrap(Mat F)
{
  Phases *p = new Phases;

  PetscFunctionBegin;
  p->lu       = F->ops->lufactorsymbolic;
  p->ilu      = F->ops->ilufactorsymbolic;
  p->cholesky = F->ops->choleskyfactorsymbolic;
  p->icc      = F->ops->iccfactorsymbolic;
  PetscCall(PetscObjectContainerCompose((PetscObject)F, phases_name, p, PhasesDestroy));
  if (p->lu) F->ops->lufactorsymbolic = Symbolic<&Phases::lu, IS, IS, const MatFactorInfo *>;
  if (p->ilu) F->ops->ilufactorsymbolic = Symbolic<&Phases::ilu, IS, IS, const MatFactorInfo *>;
  if (p->cholesky) F->ops->choleskyfactorsymbolic = Symbolic<&Phases::cholesky, IS, const MatFactorInfo *>;
  if (p->icc) F->ops->iccfactorsymbolic = Symbolic<&Phases::icc, IS, const MatFactorInfo *>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/*
   Registered as PETSc's solver "cusparse" for our types, so it is the one that is found when no solver is named. A matrix that is not on the
   device has PETSc's factor for SEQAIJ, as a matrix of PETSc's CUDA type that is bound to the host.
*/
PetscErrorCode DeviceGetFactor(Mat A, MatFactorType type, Mat *F)
{
  PetscBool wanted;
  Mat       S;

  PetscFunctionBegin;
  PetscCall(DeviceCsrWanted(A, &wanted));
  if (!wanted) {
    if (type == MAT_FACTOR_ILU) PetscCall(DerivedGetFactorILU(A, type, F));
    else PetscCall(MatGetFactor(A, MATSOLVERPETSC, type, F));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DeviceCsrGet(A, PETSC_FALSE, &S));
  {
    PetscBool plain;

    PetscCall(PetscObjectTypeCompare((PetscObject)S, MATSEQAIJ, &plain));
    PetscCall(MatGetFactor(S, plain ? MATSOLVERPETSC : MATSOLVERCUSPARSE, type, F));
  }
  PetscCall(Wrap(*F));
  PetscCall(PetscInfo(A, "%s runs on a copy of the compressed rows\n", MatFactorTypes[type]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceRegisterFactors(MatType seq_name)
{
  PetscFunctionBegin;
  for (MatFactorType type : {MAT_FACTOR_LU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ILU, MAT_FACTOR_ICC})
    PetscCall(MatSolverTypeRegister(MATSOLVERCUSPARSE, seq_name, type, DeviceGetFactor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

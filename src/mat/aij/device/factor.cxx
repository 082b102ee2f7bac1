/*
   Factorisations on the device: the factor is PETSc's for its CUDA type, of the copy of the matrix (aij/device_csr.hpp). The phases that take
   the matrix are preceded by putting its copy, up to date, in its place. ILU(0) and ICC(0) run on the device from the values to the
   solves; LU, Cholesky and factors with fill are computed on the host from values brought there, as with PETSc's CUDA type.

   PETSc's factors of that type (3.26) analyse their triangles for transposed solves once, with the values they have then, and do not
   notice later numeric phases. So once a factor was solved with transposed, each numeric phase makes another factor for that.
*/
#include "../../../sys/composed.hpp"
#include "../derived.hpp"
#include "../device_csr.hpp"

namespace heptane
{

namespace
{

using NumericFn = PetscErrorCode (*)(Mat, Mat, const MatFactorInfo *);
using SolveFn   = PetscErrorCode (*)(Mat, Vec, Vec);
using LUFn      = PetscErrorCode (*)(Mat, Mat, IS, IS, const MatFactorInfo *);
using CholFn    = PetscErrorCode (*)(Mat, Mat, IS, const MatFactorInfo *);

/* What the transposed solves of an LU factor need beyond the factor, after its second numeric phase */
struct Transposed {
  LUFn          symbolic = NULL; /* the factor's, and its arguments */
  IS            row = NULL, col = NULL;
  MatFactorInfo info;
  bool          used   = false; /* since the symbolic phase */
  Mat           factor = NULL;  /* of the last numeric phase's values; NULL: the factor itself is right */
};

/* Kept with the factor: PETSc's phases. A factor on the host may share the pattern of the copy, which is the matrix's: the matrix stays */
struct SolvePhases {
  ~SolvePhases()
  {
    for (Vec &v : work) PetscCallAbort(PETSC_COMM_SELF, VecDestroy(&v));
    PetscCallAbort(PETSC_COMM_SELF, MatDestroy(&transposed.factor));
    PetscCallAbort(PETSC_COMM_SELF, ISDestroy(&transposed.row));
    PetscCallAbort(PETSC_COMM_SELF, ISDestroy(&transposed.col));
    PetscCallAbort(PETSC_COMM_SELF, MatDestroy(&A));
  }
  Mat        A  = NULL;
  LUFn       lu = NULL, ilu = NULL;
  CholFn     cholesky = NULL, icc = NULL;
  NumericFn  lu_numeric = NULL, cholesky_numeric = NULL;
  SolveFn    solve = NULL, solve_transpose = NULL;
  Vec        work[2] = {NULL, NULL}; /* b and x on the device, if the solves' vectors are on the host */
  Transposed transposed;
};

const char solve_phases_name[] = "heptane_device_factor";

PetscErrorCode GetSolvePhases(Mat F, SolvePhases **phases)
{
  PetscFunctionBegin;
  PetscCall(ComposedGet(F, solve_phases_name, "phases of a factorisation", phases));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What stands in for A: its copy, or A itself where it is of another type by now */
PetscErrorCode CopyOnDevice(SolvePhases *p, Mat A, Mat *S)
{
  PetscFunctionBegin;
  PetscCall(DeviceCsrGet(A, PETSC_TRUE, S));
  if (!*S) *S = A;
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(MatDestroy(&p->A));
  p->A = A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's CUDA type refuses vectors in host memory, which our types take everywhere: they go through two on the device, a factor's own */
template <SolveFn SolvePhases::*phase>
PetscErrorCode Solve(Mat F, Vec b, Vec x)
{
  SolvePhases *p;
  SolveFn      solve;
  PetscBool    fits = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(GetSolvePhases(F, &p));
  solve = p->*phase;
  if constexpr (phase == &SolvePhases::solve_transpose) {
    p->transposed.used = true;
    if (p->transposed.factor) {
      F     = p->transposed.factor;
      solve = F->ops->solvetranspose;
    }
  }
  for (Vec v : {b, x}) PetscCall(DeviceVectorFits(v, F, &fits));
  if (fits) {
    PetscCall((*solve)(F, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!p->work[0]) {
    PetscCall(MatCreateVecs(F, &p->work[0], &p->work[1]));
    PetscCall(PetscInfo(
      F, "Vectors of each solve with this factor on the device are copied from the host and back: -pc_factor_mat_solver_type petsc has the factor on the host, "
         "-dm_vec_type cuda or -vec_type cuda the vectors on the device\n"));
  }
  PetscCall(VecCopy(b, p->work[0]));
  PetscCall((*solve)(F, p->work[0], p->work[1]));
  PetscCall(VecCopy(p->work[1], x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numeric phases choose the solves anew */
PetscErrorCode WrapSolves(Mat F, SolvePhases *p)
{
  PetscFunctionBegin;
  if (F->ops->solve && F->ops->solve != Solve<&SolvePhases::solve>) {
    p->solve      = F->ops->solve;
    F->ops->solve = Solve<&SolvePhases::solve>;
  }
  if (F->ops->solvetranspose && F->ops->solvetranspose != Solve<&SolvePhases::solve_transpose>) {
    p->solve_transpose     = F->ops->solvetranspose;
    F->ops->solvetranspose = Solve<&SolvePhases::solve_transpose>;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's factory for the type of the copies */
PetscErrorCode FactorOfCopy(Mat S, MatFactorType type, Mat *F)
{
  PetscBool plain;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)S, MATSEQAIJ, &plain));
  PetscCall(MatGetFactor(S, plain ? MATSOLVERPETSC : MATSOLVERCUSPARSE, type, F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arguments of the symbolic phase, which the factor for transposed solves is made with; symmetric factors are right in PETSc */
PetscErrorCode RecordSymbolic(SolvePhases *p, LUFn symbolic, IS row, IS col, const MatFactorInfo *info)
{
  Transposed *t = &p->transposed;

  PetscFunctionBegin;
  PetscCall(PetscObjectReference((PetscObject)row));
  PetscCall(PetscObjectReference((PetscObject)col));
  PetscCall(ISDestroy(&t->row));
  PetscCall(ISDestroy(&t->col));
  PetscCall(MatDestroy(&t->factor));
  t->symbolic = symbolic;
  t->row      = row;
  t->col      = col;
  t->info     = *info;
  t->used     = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RecordSymbolic(SolvePhases *, CholFn, IS, const MatFactorInfo *)
{
  return PETSC_SUCCESS;
}

/* Now, not at the solve: by then the matrix may have other values */
PetscErrorCode MakeTransposed(SolvePhases *p, MatFactorType type, Mat S, const MatFactorInfo *info)
{
  Transposed *t = &p->transposed;

  PetscFunctionBegin;
  PetscCall(MatDestroy(&t->factor));
  if (!t->used) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FactorOfCopy(S, type, &t->factor));
  PetscCall((*t->symbolic)(t->factor, S, t->row, t->col, &t->info));
  PetscCall((*t->factor->ops->lufactornumeric)(t->factor, S, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <NumericFn SolvePhases::*phase>
PetscErrorCode Numeric(Mat F, Mat A, const MatFactorInfo *info)
{
  SolvePhases *p;
  Mat          S;

  PetscFunctionBegin;
  PetscCall(GetSolvePhases(F, &p));
  PetscCall(CopyOnDevice(p, A, &S));
  PetscCall((*(p->*phase))(F, S, info));
  if constexpr (phase == &SolvePhases::lu_numeric) PetscCall(MakeTransposed(p, F->factortype, S, info));
  PetscCall(WrapSolves(F, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The symbolic phases choose the numeric ones */
template <auto phase, class... Args>
PetscErrorCode Symbolic(Mat F, Mat A, Args... args)
{
  SolvePhases *p;
  Mat          S;

  PetscFunctionBegin;
  PetscCall(GetSolvePhases(F, &p));
  PetscCall(CopyOnDevice(p, A, &S));
  PetscCall((*(p->*phase))(F, S, args...));
  PetscCall(RecordSymbolic(p, p->*phase, args...));
  if (F->ops->lufactornumeric && F->ops->lufactornumeric != Numeric<&SolvePhases::lu_numeric>) {
    p->lu_numeric           = F->ops->lufactornumeric;
    F->ops->lufactornumeric = Numeric<&SolvePhases::lu_numeric>;
  }
  if (F->ops->choleskyfactornumeric && F->ops->choleskyfactornumeric != Numeric<&SolvePhases::cholesky_numeric>) {
    p->cholesky_numeric           = F->ops->choleskyfactornumeric;
    F->ops->choleskyfactornumeric = Numeric<&SolvePhases::cholesky_numeric>;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/* The phases and solves of a factor of PETSc's */
PetscErrorCode DeviceWrapFactor(Mat F)
{
  SolvePhases *p = new SolvePhases;

  PetscFunctionBegin;
  p->lu       = F->ops->lufactorsymbolic;
  p->ilu      = F->ops->ilufactorsymbolic;
  p->cholesky = F->ops->choleskyfactorsymbolic;
  p->icc      = F->ops->iccfactorsymbolic;
  PetscCall(Compose(F, solve_phases_name, p));
  if (p->lu) F->ops->lufactorsymbolic = Symbolic<&SolvePhases::lu, IS, IS, const MatFactorInfo *>;
  if (p->ilu) F->ops->ilufactorsymbolic = Symbolic<&SolvePhases::ilu, IS, IS, const MatFactorInfo *>;
  if (p->cholesky) F->ops->choleskyfactorsymbolic = Symbolic<&SolvePhases::cholesky, IS, const MatFactorInfo *>;
  if (p->icc) F->ops->iccfactorsymbolic = Symbolic<&SolvePhases::icc, IS, const MatFactorInfo *>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  PetscCall(FactorOfCopy(S, type, F));
  PetscCall(DeviceWrapFactor(*F));
  PetscCall(PetscInfo(A, "%s runs on a copy of the compressed rows\n", MatFactorTypes[type]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceRegisterFactors(MatType seq_name)
{
  PetscFunctionBegin;
  for (MatFactorType type : {MAT_FACTOR_LU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ILU, MAT_FACTOR_ICC})
    PetscCall(MatSolverTypeRegister(MATSOLVERCUSPARSE, seq_name, type, DeviceGetFactor));
  PetscCall(DeviceResultRegisterFactors());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

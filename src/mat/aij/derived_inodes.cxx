/*
   AIJ's operations on groups of identical rows (inodes) are those of our types too: relaxation by blocks, LU and ILU of such groups, orderings of the compressed graph. They
   take the value array without asking for it, so what comes before them brings it up to date: relaxation of a matrix, products and relaxation of the blocks of a parallel
   matrix, the numeric phase of factors. Orderings and colourings take the pattern alone.
*/
#include "derived.hpp"

namespace heptane
{

namespace
{

PetscErrorCode SyncOf(Mat block)
{
  LocalPart *part;

  PetscFunctionBegin;
  PetscCall(LocalPartQuery(block, &part));
  if (part) PetscCall(part->SyncBlock());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of parallel matrices are plain, so that their operations are the same functions in all of them */
struct {
  PetscErrorCode (*mult)(Mat, Vec, Vec)                                                      = NULL;
  PetscErrorCode (*multadd)(Mat, Vec, Vec, Vec)                                              = NULL;
  PetscErrorCode (*sor)(Mat, Vec, PetscReal, MatSORType, PetscReal, PetscInt, PetscInt, Vec) = NULL;
} plain;

PetscErrorCode MatMult_Block(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(SyncOf(A));
  PetscCall((*plain.mult)(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultAdd_Block(Mat A, Vec x, Vec y, Vec z)
{
  PetscFunctionBegin;
  PetscCall(SyncOf(A));
  PetscCall((*plain.multadd)(A, x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSOR_Block(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its, PetscInt lits, Vec x)
{
  PetscFunctionBegin;
  PetscCall(SyncOf(A));
  PetscCall((*plain.sor)(A, b, omega, flag, shift, its, lits, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a factor's numeric phase is without us, composed on the factor */
struct NumericPhase {
  PetscErrorCode (*numeric)(Mat, Mat, const MatFactorInfo *) = NULL;
};
constexpr char numeric_name[] = "heptane_lu_numeric";

PetscErrorCode NumericPhaseDestroy(PetscCtxRt ctx)
{
  PetscFunctionBegin;
  delete *static_cast<NumericPhase **>(static_cast<void *>(ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatLUFactorNumeric_Synced(Mat F, Mat A, const MatFactorInfo *info)
{
  NumericPhase *phase;

  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)F, numeric_name, &phase));
  PetscCheck(phase, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The numeric phase of a factor is lost");
  PetscCall(SyncOf(A));
  PetscCall((*phase->numeric)(F, A, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The symbolic phase has chosen the numeric one */
PetscErrorCode WrapNumeric(Mat F)
{
  NumericPhase *phase;

  PetscFunctionBegin;
  if (!F->ops->lufactornumeric || F->ops->lufactornumeric == MatLUFactorNumeric_Synced) PetscFunctionReturn(PETSC_SUCCESS);
  phase          = new NumericPhase;
  phase->numeric = F->ops->lufactornumeric;
  PetscCall(PetscObjectContainerCompose((PetscObject)F, numeric_name, phase, NumericPhaseDestroy));
  F->ops->lufactornumeric = MatLUFactorNumeric_Synced;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's factors of SEQAIJ, by which it also makes those of our sequential types */
struct {
  PetscErrorCode (*create)(Mat, MatFactorType, Mat *)                     = NULL;
  PetscErrorCode (*lu_symbolic)(Mat, Mat, IS, IS, const MatFactorInfo *)  = NULL;
  PetscErrorCode (*ilu_symbolic)(Mat, Mat, IS, IS, const MatFactorInfo *) = NULL;
} factors;

PetscErrorCode MatLUFactorSymbolic_Synced(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info)
{
  PetscFunctionBegin;
  PetscCall((*factors.lu_symbolic)(F, A, row, col, info));
  PetscCall(WrapNumeric(F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatILUFactorSymbolic_Synced(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info)
{
  PetscFunctionBegin;
  PetscCall((*factors.ilu_symbolic)(F, A, row, col, info));
  PetscCall(WrapNumeric(F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors of other matrices stay PETSc's own */
PetscErrorCode MatGetFactor_Synced(Mat A, MatFactorType type, Mat *F)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall((*factors.create)(A, type, F));
  PetscCall(DerivedQuery(A, &m));
  if (!*F || (!m && A->ops->sor != MatSOR_Block)) PetscFunctionReturn(PETSC_SUCCESS);
  factors.lu_symbolic          = (*F)->ops->lufactorsymbolic;
  factors.ilu_symbolic         = (*F)->ops->ilufactorsymbolic;
  (*F)->ops->lufactorsymbolic  = MatLUFactorSymbolic_Synced;
  (*F)->ops->ilufactorsymbolic = MatILUFactorSymbolic_Synced;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/* By blocks, sequentially from row to row: on the host, whatever the type; PETSc's own with the matrix's host values, which are brought when they are behind */
PetscErrorCode MatSOR_Derived(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its, PetscInt lits, Vec x)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (!m->relaxed && DerivedWhere(A, m) == Where::device)
    PetscCall(
      PetscInfo(A, "SOR goes from row to row: it runs on the host, with values brought there once after each change; -pc_type pbjacobi runs on the device\n"));
  m->relaxed = PETSC_TRUE;
  PetscCall(DerivedSync(A, m));
  PetscCall((*m->base.sor)(A, b, omega, flag, shift, its, lits, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedGuardBlock(Mat block)
{
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)block, MATSEQAIJ, &same));
  if (!same || block->ops->sor == MatSOR_Block) PetscFunctionReturn(PETSC_SUCCESS);
  plain.mult          = block->ops->mult;
  plain.multadd       = block->ops->multadd;
  plain.sor           = block->ops->sor;
  block->ops->mult    = MatMult_Block;
  block->ops->multadd = MatMultAdd_Block;
  block->ops->sor     = MatSOR_Block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedRegisterFactors()
{
  PetscFunctionBegin;
  for (MatFactorType type : {MAT_FACTOR_LU, MAT_FACTOR_ILU}) {
    PetscErrorCode (*create)(Mat, MatFactorType, Mat *) = NULL;

    PetscCall(MatSolverTypeGet(MATSOLVERPETSC, MATSEQAIJ, type, NULL, NULL, &create));
    if (!create || create == MatGetFactor_Synced) continue;
    factors.create = create;
    PetscCall(MatSolverTypeRegister(MATSOLVERPETSC, MATSEQAIJ, type, MatGetFactor_Synced));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

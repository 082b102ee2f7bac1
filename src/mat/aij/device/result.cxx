/*
   Products' results with vectors of any type. A result has PETSc's CUDA type, whose operations treat vectors in host
   memory as device vectors, without an error in an optimised build: the computed values stay in a device array that is
   never read. Our types accept every vector, and multigrid on a DM multiplies and solves with results and the DM's
   vectors, which are on the host unless -dm_vec_type says otherwise.
*/
#include "../derived.hpp"
#include "../device_csr.hpp"

namespace heptane
{

/* Whether M, of the type of the copies, accepts v; no test if `fits` is already false. PETSc's CUDA type requires its
   own vectors */
PetscErrorCode DeviceVectorFits(Vec v, Mat M, PetscBool *fits)
{
  PetscBool device, bound;

  PetscFunctionBegin;
  if (!*fits || !v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare((PetscObject)M, MATSEQAIJCUSPARSE, &device));
  if (!device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)v, fits, VECSEQCUDA, VECCUDA, ""));
  PetscCall(VecBoundToCPU(v, &bound));
  if (bound) *fits = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

struct _MatOps base; /* of the results' type; all have the same */

/* A vector that C accepts: v itself, or one on the device with v's entries */
PetscErrorCode Borrow(Mat C, Vec v, PetscBool right, Vec *work)
{
  PetscBool fits = PETSC_TRUE;

  PetscFunctionBegin;
  *work = v;
  PetscCall(DeviceVectorFits(v, C, &fits));
  if (fits) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(C, right ? work : NULL, right ? NULL : work));
  PetscCall(VecCopy(v, *work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Return(Vec v, PetscBool written, Vec *work)
{
  PetscFunctionBegin;
  if (*work == v) PetscFunctionReturn(PETSC_SUCCESS);
  if (written) PetscCall(VecCopy(*work, v));
  PetscCall(VecDestroy(work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <auto member, bool transpose>
PetscErrorCode Mult(Mat C, Vec x, Vec z)
{
  Vec       work[2];
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(Borrow(C, x, (PetscBool)!transpose, &work[0]));
  PetscCall(Borrow(C, z, (PetscBool)transpose, &work[1]));
  if (!transpose) PetscCall(DeviceResultProduct(C, work[0], 1, NULL, work[1], &done));
  if (!done) PetscCall((*(base.*member))(C, work[0], work[1]));
  PetscCall(Return(x, PETSC_FALSE, &work[0]));
  PetscCall(Return(z, PETSC_TRUE, &work[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In place: MatMultTransposeAdd_SeqAIJCUSPARSE() adds the old contents of z, unless z is y */
template <auto member, bool transpose>
PetscErrorCode MultAdd(Mat C, Vec x, Vec y, Vec z)
{
  Vec       work[2];
  PetscBool done = PETSC_FALSE;

  PetscFunctionBegin;
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(Borrow(C, x, (PetscBool)!transpose, &work[0]));
  PetscCall(Borrow(C, z, (PetscBool)transpose, &work[1]));
  if (!transpose) PetscCall(DeviceResultProduct(C, work[0], 1, work[1], work[1], &done));
  if (!done) PetscCall((*(base.*member))(C, work[0], work[1], work[1]));
  PetscCall(Return(x, PETSC_FALSE, &work[0]));
  PetscCall(Return(z, PETSC_TRUE, &work[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's type has none: MatResidual() would call MatMult() and VecAYPX() */
PetscErrorCode Residual(Mat C, Vec b, Vec x, Vec r)
{
  PetscBool done = PETSC_FALSE, fits, bound;

  PetscFunctionBegin;
  PetscCall(MatBoundToCPU(C, &bound));
  fits = (PetscBool)!bound;
  for (Vec v : {b, x, r}) PetscCall(DeviceVectorFits(v, C, &fits));
  if (fits) PetscCall(DeviceResultProduct(C, x, -1, b, r, &done));
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMult(C, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetDiagonal(Mat C, Vec d)
{
  Vec work;

  PetscFunctionBegin;
  PetscCall(Borrow(C, d, PETSC_FALSE, &work));
  PetscCall((*base.getdiagonal)(C, work));
  PetscCall(Return(d, PETSC_TRUE, &work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DiagonalScale(Mat C, Vec left, Vec right)
{
  Vec work[2] = {NULL, NULL};

  PetscFunctionBegin;
  if (left) PetscCall(Borrow(C, left, PETSC_FALSE, &work[0]));
  if (right) PetscCall(Borrow(C, right, PETSC_TRUE, &work[1]));
  PetscCall((*base.diagonalscale)(C, work[0], work[1]));
  if (left) PetscCall(Return(left, PETSC_FALSE, &work[0]));
  if (right) PetscCall(Return(right, PETSC_FALSE, &work[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <auto member, class Entry>
void Put(Mat C, Entry entry)
{
  if (!(C->ops[0].*member) || C->ops[0].*member == entry) return;
  base.*member      = C->ops[0].*member;
  C->ops[0].*member = entry;
}

using CreateFactor = PetscErrorCode (*)(Mat, MatFactorType, Mat *);
CreateFactor create_factor[MAT_FACTOR_QR + 1];

PetscErrorCode GetFactor(Mat C, MatFactorType type, Mat *F)
{
  PetscFunctionBegin;
  PetscCall((*create_factor[type])(C, type, F));
  if (*F && C->ops->getdiagonal == GetDiagonal) PetscCall(DeviceWrapFactor(*F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode DeviceResultTakeVectors(Mat C)
{
  PetscBool cuda, bound;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)C, MATSEQAIJCUSPARSE, &cuda));
  PetscCall(MatBoundToCPU(C, &bound));
  if (cuda && bound) PetscFunctionReturn(PETSC_SUCCESS); /* has operations of the host, which take every vector */
  Put<&_MatOps::mult>(C, Mult<&_MatOps::mult, false>);
  Put<&_MatOps::multtranspose>(C, Mult<&_MatOps::multtranspose, true>);
  Put<&_MatOps::multhermitiantranspose>(C, Mult<&_MatOps::multhermitiantranspose, true>);
  Put<&_MatOps::multadd>(C, MultAdd<&_MatOps::multadd, false>);
  Put<&_MatOps::multtransposeadd>(C, MultAdd<&_MatOps::multtransposeadd, true>);
  Put<&_MatOps::multhermitiantransposeadd>(C, MultAdd<&_MatOps::multhermitiantransposeadd, true>);
  if (cuda) C->ops->residual = Residual;
  Put<&_MatOps::getdiagonal>(C, GetDiagonal);
  Put<&_MatOps::diagonalscale>(C, DiagonalScale);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceResultRegisterFactors()
{
  PetscFunctionBegin;
  for (MatFactorType type : {MAT_FACTOR_LU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ILU, MAT_FACTOR_ICC}) {
    CreateFactor create = NULL;

    PetscCall(MatSolverTypeGet(MATSOLVERCUSPARSE, MATSEQAIJCUSPARSE, type, NULL, NULL, &create));
    if (!create || create == GetFactor || create == DeviceGetFactor) continue;
    create_factor[type] = create;
    PetscCall(MatSolverTypeRegister(MATSOLVERCUSPARSE, MATSEQAIJCUSPARSE, type, GetFactor));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

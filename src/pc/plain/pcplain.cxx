/*
   PCCP and PCTFS compare the type of the matrix with AIJ and read its arrays in their set-up only. For our matrices the
   set-up receives a plain copy, to which it keeps no reference. For every other matrix each operation is PETSc's own.
*/
#include "pcplain.hpp"
#include "../dense/inverse.hpp"
#include "../../private/pc.hpp"

PETSC_EXTERN PetscErrorCode PCCreate_CP(PC);
PETSC_EXTERN PetscErrorCode PCCreate_TFS(PC);

namespace heptane
{

namespace
{

enum Kind { cp, tfs };
PetscErrorCode (*const create[])(PC) = {PCCreate_CP, PCCreate_TFS};
PetscErrorCode (*stock_setup[2])(PC) = {NULL, NULL};

template <Kind kind>
PetscErrorCode PCSetUp_Plain(PC pc)
{
  const Mat         original = pc->pmat;
  Mat               plain    = NULL;
  PetscErrorCodeFn *ours;
  PetscErrorCode    code;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)original, dense_blocks_name, &ours));
  if (ours) {
    PetscCall(MatConvert(original, MATAIJ, MAT_INITIAL_MATRIX, &plain));
    PetscCall(MatPropagateSymmetryOptions(original, plain));
    pc->pmat = plain;
  }
  code     = (*stock_setup[kind])(pc);
  pc->pmat = original;
  PetscCall(MatDestroy(&plain));
  PetscCall(code); /* after the caller's matrix is restored, also after an error */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <Kind kind>
PetscErrorCode PCCreate_Plain(PC pc)
{
  PetscFunctionBegin;
  PetscCall((*create[kind])(pc));
  stock_setup[kind] = pc->ops->setup;
  pc->ops->setup    = PCSetUp_Plain<kind>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCPlainRegister()
{
  PetscFunctionBegin;
  PetscCall(PCRegister(PCCP, PCCreate_Plain<cp>));
  PetscCall(PCRegister(PCTFS, PCCreate_Plain<tfs>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

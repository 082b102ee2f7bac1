/*
   PCPBJACOBI for matrices that offer their diagonal blocks on the device or the host, as products run: inverted and
   applied there. Registered under PETSc's name, because PETSc's set-up always inverts on the host. For every other
   matrix each operation is PETSc's own.
*/
#include "pcpbjacobi.hpp"
#include "../../sys/petsc_compat.hpp"
#include "../dense/inverse.hpp"
#include "../../private/pc.hpp"

PETSC_EXTERN PetscErrorCode PCCreate_PBJacobi(PC);

namespace heptane
{

namespace
{

/* Composed on the PC, whose data is PETSc's */
struct PointBlocks {
  struct _PCOps stock;              /* PETSc's operations, as its own set-up left them */
  PetscBool     ours = PETSC_FALSE; /* the last set-up was not PETSc's */
  DenseInverse  inverse;
  Mat           copy = NULL; /* what PETSc's set-up inverted, if not the matrix */
};

constexpr char context_name[] = "heptane_pbjacobi";

PetscErrorCode ContextDestroy(PetscCtxRt ctx)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&(*(PointBlocks **)ctx)->copy));
  delete *(PointBlocks **)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Get(PC pc, PointBlocks **c)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)pc, context_name, c));
  PetscCheck(*c, PetscObjectComm((PetscObject)pc), PETSC_ERR_PLIB, "A pbjacobi preconditioner of heptane has lost its context");
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool TRANSPOSE>
PetscErrorCode PCApply_PBJacobi_Dense(PC pc, Vec x, Vec y)
{
  PointBlocks *c;

  PetscFunctionBegin;
  PetscCall(Get(pc, &c));
  if (pc->failedreason) PetscCall(VecFlag(y, 1)); /* as MatSolve() does for failed factors */
  else PetscCall(c->inverse.Apply(x, y, (PetscBool)TRANSPOSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's set-up replaces operations, by the type of the matrix */
PetscErrorCode SetUpStock(PC pc, PointBlocks *c)
{
  const struct _PCOps saved = *pc->ops;
  const Mat           A     = pc->pmat;
  PetscErrorCode      code;

  PetscFunctionBegin;
  c->ours = PETSC_FALSE;
  c->inverse.Free();
  PetscCall(MatDestroy(&c->copy));
  PetscCall(CopyToInvertBlocks(A, &c->copy));
  if (c->copy) {
    PetscCall(MatSetErrorIfFailure(c->copy, pc->erroriffailure));
    pc->pmat = c->copy;
  }
  *pc->ops                = c->stock;
  code                    = (*c->stock.setup)(pc);
  pc->pmat                = A;
  c->stock                = *pc->ops;
  pc->ops->setup          = saved.setup;
  pc->ops->reset          = saved.reset;
  pc->ops->view           = saved.view;
  pc->ops->destroy        = saved.destroy;
  pc->ops->setfromoptions = saved.setfromoptions;
  PetscCall(code); /* after our operations are restored, also after an error */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetUp_PBJacobi_Dense(PC pc)
{
  PointBlocks *c;
  PetscInt     b;
  DenseBlocks  blocks;
  PetscBool    device, available = PETSC_FALSE;
  PetscErrorCode (*get)(Mat, PetscInt, DenseBlocks *, PetscBool *, PetscBool *);

  PetscFunctionBegin;
  PetscCall(Get(pc, &c));
  PetscCall(MatGetBlockSize(pc->pmat, &b));
  PetscCall(PetscObjectQueryFunction((PetscObject)pc->pmat, dense_blocks_name, &get));
  if (get && dense_inverse_fits(b)) PetscCall((*get)(pc->pmat, b, &blocks, &device, &available));
  if (!available) {
    pc->failedreason = PC_NOERROR; /* may come from another process: see below */
    PetscCall(SetUpStock(pc, c));
    PetscCall(PCReduceFailedReason(pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(c->inverse.Invert(device, blocks));
  c->ours                 = PETSC_TRUE;
  pc->ops->apply          = PCApply_PBJacobi_Dense<false>;
  pc->ops->applytranspose = PCApply_PBJacobi_Dense<true>;
  PetscCall(DenseReportFailure(pc, pc->pmat, c->inverse.Report(), (int)b));
  PetscCall(PCReduceFailedReason(pc)); /* PETSc's lgmres hangs if only some of the processes have one */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCReset_PBJacobi_Dense(PC pc)
{
  PointBlocks *c;

  PetscFunctionBegin;
  PetscCall(Get(pc, &c));
  c->ours = PETSC_FALSE;
  c->inverse.Free();
  if (c->stock.reset) PetscCall((*c->stock.reset)(pc));
  PetscCall(MatDestroy(&c->copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_PBJacobi_Dense(PC pc, PetscViewer viewer)
{
  PointBlocks *c;
  PetscBool    ascii;

  PetscFunctionBegin;
  PetscCall(Get(pc, &c));
  if (!c->ours) {
    if (c->stock.view) PetscCall((*c->stock.view)(pc, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (ascii) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  point-block size %d\n", c->inverse.Block()));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  blocks inverted and applied on the %s, by heptane\n", c->inverse.OnDevice() ? "device" : "host"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCDestroy_PBJacobi_Dense(PC pc)
{
  PointBlocks *c;
  PetscErrorCode (*destroy)(PC);

  PetscFunctionBegin;
  PetscCall(Get(pc, &c));
  destroy = c->stock.destroy;
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, dense_inverse_name, NULL));
  PetscCall(PetscObjectCompose((PetscObject)pc, context_name, NULL)); /* destroys c */
  PetscCall((*destroy)(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Composed as dense_inverse_name */
PetscErrorCode GetInverse(PC pc, PetscBool device, DenseLent *lent, PetscBool *available)
{
  PointBlocks *c;

  PetscFunctionBegin;
  PetscCall(Get(pc, &c));
  *lent      = DenseLent();
  *available = (PetscBool)(c->ours && (!device || c->inverse.OnDevice()));
  if (*available) PetscCall(c->inverse.Lend(device, lent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCCreate_PBJacobi_Dense(PC pc)
{
  PointBlocks *c;

  PetscFunctionBegin;
  PetscCall(PCCreate_PBJacobi(pc));
  c        = new PointBlocks;
  c->stock = *pc->ops;
  PetscCall(PetscObjectContainerCompose((PetscObject)pc, context_name, c, ContextDestroy));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, dense_inverse_name, GetInverse));
  pc->ops->setup   = PCSetUp_PBJacobi_Dense;
  pc->ops->reset   = PCReset_PBJacobi_Dense;
  pc->ops->view    = PCView_PBJacobi_Dense;
  pc->ops->destroy = PCDestroy_PBJacobi_Dense;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCPBJacobiRegister()
{
  PetscFunctionBegin;
  PetscCall(PCRegister(PCPBJACOBI, PCCreate_PBJacobi_Dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

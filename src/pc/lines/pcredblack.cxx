/*
   PCREDBLACK as PETSc sees it: the inner solver, options, set-up, application, view. Its outside is that of PCREDISTRIBUTE.
*/
#include "pclines.hpp"
#include "lines_grid.hpp"
#include "redblack_system.hpp"
#include <heptane.h>
#include <petscksp.h>

namespace heptane
{

namespace
{

constexpr LinesName name = {"PCREDBLACK", "-pc_redblack_grid", "-pc_redblack_line_axis"};

struct RedBlackPc {
  LinesGridOptions options;
  LinesGrid        grid;
  RedBlackSystem   system;
  KSP              ksp = nullptr;            /* of what is left */
  Vec              x = nullptr, b = nullptr; /* there */
  bool             failed = false;           /* the last set-up has */
};

RedBlackPc *red_black(PC pc)
{
  return static_cast<RedBlackPc *>(pc->data);
}

/* The inner solver gives back what it has of the system that was left */
PetscErrorCode PCReset_RedBlack(PC pc)
{
  RedBlackPc *c = red_black(pc);

  PetscFunctionBegin;
  PetscCall(KSPReset(c->ksp));
  PetscCall(VecDestroy(&c->x));
  PetscCall(VecDestroy(&c->b));
  PetscCall(c->system.Reset());
  c->grid.planned_for.Clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another pattern */
PetscErrorCode Plan(PC pc)
{
  RedBlackPc *c = red_black(pc);
  LinesPlaces extents;
  Vec         like;

  PetscFunctionBegin;
  PetscCall(KSPReset(c->ksp));
  PetscCall(VecDestroy(&c->x));
  PetscCall(VecDestroy(&c->b));
  extents.B       = c->grid.D.block;
  extents.of      = c->grid.Extents();
  extents.natural = c->grid.Natural();
  PetscCall(MatCreateVecs(pc->pmat, &like, NULL));
  PetscCall(c->system.Plan(c->grid.D, c->grid.shape, c->grid.plan, extents, c->grid.scale, c->grid.Axis(0), c->grid.device, like));
  PetscCall(VecDestroy(&like));
  PetscCall(MatCreateVecs(c->system.Schur(), &c->x, &c->b));
  if (c->system.Lists().kept_column.size() > c->system.Lists().of.black / 2)
    PetscCall(
      PetscInfo(pc, "%d columns with entries beside the block diagonals are left too: little is eliminated\n", (int)c->system.Lists().kept_column.size()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The complement is symmetric, and positive definite, where the matrix is */
PetscErrorCode TakeOptions(Mat A, Mat S)
{
  const MatOption options[] = {MAT_SYMMETRIC, MAT_SPD};
  PetscBool       known, is;

  PetscFunctionBegin;
  for (MatOption option : options) {
    if (option == MAT_SPD) PetscCall(MatIsSPDKnown(A, &known, &is));
    else PetscCall(MatIsSymmetricKnown(A, &known, &is));
    if (known) PetscCall(MatSetOption(S, option, is));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The constants on what is left are the null space of the complement, where those on all cells are that of the matrix */
PetscErrorCode TakeNullSpace(PC pc, Mat S)
{
  MatNullSpace of_matrix, null;
  PetscBool    constants = PETSC_FALSE;
  PetscInt     n         = 0;

  PetscFunctionBegin;
  PetscCall(MatGetNullSpace(pc->pmat, &of_matrix));
  if (of_matrix) PetscCall(MatNullSpaceGetVecs(of_matrix, &constants, &n, NULL));
  if (n) PetscCall(PetscInfo(pc, "Of the null space of the matrix the inner solver knows the constants alone\n"));
  PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)S), constants, 0, NULL, &null));
  if (constants) PetscCall(MatSetNullSpace(S, null));
  else PetscCall(MatSetNullSpace(S, NULL));
  PetscCall(MatNullSpaceDestroy(&null));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The complement has no entries */
PetscErrorCode CheckInner(KSP ksp)
{
  PC        inner;
  PetscBool fine, named;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &inner));
  named = (PetscBool)(((PetscObject)inner)->type_name != NULL);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)inner, &fine, PCLINES, PCNONE, PCSHELL, PCMAT, PCKSP, PCCOMPOSITE, ""));
  PetscCheck(
    fine || !named, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP,
    "The inner solver of PCREDBLACK has a Schur complement without entries, which the preconditioner %s would need: use -redblack_pc_type lines or none",
    ((PetscObject)inner)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetUp_RedBlack(PC pc)
{
  RedBlackPc *c = red_black(pc);
  GridReport  report;
  bool        changed;

  PetscFunctionBegin;
  PetscCall(c->grid.Get(pc, name, c->options, &changed));
  if (!c->grid.D.rows) PetscFunctionReturn(PETSC_SUCCESS);
  if (changed || !c->system.Schur()) PetscCall(Plan(pc));
  PetscCall(c->system.Factor(c->grid.matrix, c->grid.D.rem_values, &report));
  PetscCall(LinesFailure(pc, name, report, true, "double", ""));
  c->failed = pc->failedreason != PC_NOERROR;
  if (c->failed || !c->system.Left()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TakeOptions(pc->pmat, c->system.Schur()));
  PetscCall(TakeNullSpace(pc, c->system.Schur()));
  PetscCall(CheckInner(c->ksp));
  PetscCall(KSPSetOperators(c->ksp, c->system.Schur(), c->system.Schur()));
  PetscCall(KSPSetUp(c->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApply_RedBlack(PC pc, Vec r, Vec z)
{
  RedBlackPc *c = red_black(pc);
  PetscBool   guess;

  PetscFunctionBegin;
  if (!c->grid.D.rows) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->failed) { /* the reason is known */
    PetscCall(VecFlag(z, 1));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  pc->failedreason = PC_NOERROR; /* that of the inner solver for another right-hand side */
  PetscCall(KSPGetInitialGuessNonzero(c->ksp, &guess));
  if (guess) PetscCall(c->system.Guess(z, c->x));
  PetscCall(c->system.Enter(r, c->b));
  if (c->system.Left()) {
    PetscCall(KSPSolve(c->ksp, c->b, c->x));
    PetscCall(KSPCheckSolve(c->ksp, pc, c->x));
  }
  PetscCall(c->system.Leave(r, c->x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApplyTranspose_RedBlack(PC pc, Vec r, Vec z)
{
  PetscBool known, symmetric;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(pc->pmat, &known, &symmetric));
  PetscCheck(known && symmetric, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "PCREDBLACK has no transpose but for matrices that are known to be symmetric: MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE) tells so");
  PetscCall(PCApply_RedBlack(pc, r, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCDestroy_RedBlack(PC pc)
{
  RedBlackPc *c = red_black(pc);

  PetscFunctionBegin;
  PetscCall(PCReset_RedBlack(pc));
  PetscCall(KSPDestroy(&c->ksp));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCRedBlackGetKSP_C", NULL));
  delete c;
  pc->data = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetFromOptions_RedBlack(PC pc, PetscOptionItems PetscOptionsObject)
{
  RedBlackPc *c = red_black(pc);
  bool        changed;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Elimination of red columns");
  PetscCall(LinesGridSetFromOptions(pc, PetscOptionsObject, name, &c->options, &changed));
  PetscOptionsHeadEnd();
  if (changed) {
    pc->setupcalled = PETSC_FALSE;
    PetscCall(PCReset_RedBlack(pc));
  }
  PetscCall(KSPSetFromOptions(c->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_RedBlack(PC pc, PetscViewer viewer)
{
  const RedBlackPc *c = red_black(pc);
  PetscBool         ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  if (!c->system.Schur()) PetscCall(PetscViewerASCIIPrintf(viewer, "  not yet set up\n"));
  else {
    const RedBlackLists    &l       = c->system.Lists();
    const RemainingColumns &of      = l.of;
    const int               columns = of.J * of.I;

    PetscCall(PetscViewerASCIIPrintf(viewer, "  lines of %d cells along %s, %d x %d columns (%s, %s), %d of them eliminated\n", of.K, c->grid.Axis(0), of.J,
                                     of.I, c->grid.Axis(1), c->grid.Axis(2), columns - (int)of.lines));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %" PetscInt_FMT " unknowns of %d are left, on the %s, %.3g MB\n", c->system.Left(), c->grid.D.rows,
                                     c->system.OnDevice() ? "device" : "host", 1e-6 * (double)c->system.Bytes()));
    if (l.linked)
      PetscCall(PetscViewerASCIIPrintf(viewer, "  %d columns have entries beside the block diagonals; %d of them are left for that\n", l.linked,
                                       (int)l.kept_column.size()));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "  Inner solver of what is left:\n"));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(KSPView(c->ksp, viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetKSP(PC pc, KSP *ksp)
{
  PetscFunctionBegin;
  *ksp = red_black(pc)->ksp;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCCreate_RedBlack(PC pc)
{
  RedBlackPc *c = new RedBlackPc;
  const char *prefix;
  PC          inner;

  PetscFunctionBegin;
  pc->data                = c;
  pc->ops->setup          = PCSetUp_RedBlack;
  pc->ops->apply          = PCApply_RedBlack;
  pc->ops->applytranspose = PCApplyTranspose_RedBlack;
  pc->ops->reset          = PCReset_RedBlack;
  pc->ops->destroy        = PCDestroy_RedBlack;
  pc->ops->setfromoptions = PCSetFromOptions_RedBlack;
  pc->ops->view           = PCView_RedBlack;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)pc), &c->ksp));
  PetscCall(KSPSetNestLevel(c->ksp, pc->kspnestlevel));
  PetscCall(KSPSetErrorIfNotConverged(c->ksp, pc->erroriffailure));
  PetscCall(PetscObjectIncrementTabLevel((PetscObject)c->ksp, (PetscObject)pc, 1));
  PetscCall(PCGetOptionsPrefix(pc, &prefix));
  PetscCall(KSPSetOptionsPrefix(c->ksp, prefix));
  PetscCall(KSPAppendOptionsPrefix(c->ksp, "redblack_"));
  PetscCall(KSPGetPC(c->ksp, &inner));
  PetscCall(PCSetType(inner, PCLINES));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCRedBlackGetKSP_C", GetKSP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCRedBlackRegister()
{
  PetscFunctionBegin;
  PetscCall(PCRegister(PCREDBLACK, PCCreate_RedBlack));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   PCLINES as PETSc sees it: options, set-up, application, view.
*/
#include "pclines.hpp"
#include "lines_grid.hpp"
#include "lines_solver.hpp"
#include "redblack_system.hpp"
#include <heptane.h>

namespace heptane
{

namespace
{

constexpr LinesName   name         = {"PCLINES", "-pc_lines_grid", "-pc_lines_line_axis"};
constexpr const char *precisions[] = {"single", "double"};

struct Lines {
  LinesGridOptions            options;
  PetscBool                   single = PETSC_TRUE; /* precision of the factors */
  LinesGrid                   grid;                /* of a matrix with block diagonals */
  std::unique_ptr<LineSolver> solver;
  std::uint64_t               remaining = 0; /* number of the Schur complement whose lines they are; 0: the matrix has block diagonals */
  RemainingColumns            of;
  const char                 *axis = "";
};

Lines *lines(PC pc)
{
  return static_cast<Lines *>(pc->data);
}

/* The lines that are left of a matrix by PCREDBLACK */
PetscErrorCode SetUpRemaining(PC pc, const RemainingLines &of, GridReport *report)
{
  Lines *c = lines(pc);

  PetscFunctionBegin;
  if (!c->solver || c->remaining != of.number) {
    c->solver = LineSolver::Make(c->single);
    PetscCall(c->solver->Plan(of.places, of.scale, of.device));
    c->remaining = of.number;
    c->of        = of.places.of;
    c->axis      = of.axis;
  }
  PetscCall(c->solver->Factor(of.A, report));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetUpGrid(PC pc, GridReport *report)
{
  Lines      *c = lines(pc);
  bool        changed;
  LinesPlaces places;

  PetscFunctionBegin;
  PetscCall(c->grid.Get(pc, name, c->options, &changed));
  if (changed || c->remaining) c->solver.reset();
  c->remaining = 0;
  if (!c->grid.D.rows) PetscFunctionReturn(PETSC_SUCCESS);
  if (!c->solver) {
    places.B       = c->grid.D.block;
    places.of      = c->grid.Extents();
    places.natural = c->grid.Natural();
    c->of          = places.of;
    c->of.lines    = (unsigned)(c->of.J * c->of.I);
    c->axis        = c->grid.Axis(0);
    c->solver      = LineSolver::Make(c->single);
    PetscCall(c->solver->Plan(places, c->grid.scale, c->grid.device));
  }
  PetscCall(c->solver->Factor(c->grid.matrix, report));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetUp_Lines(PC pc)
{
  RemainingLines *remaining;
  GridReport      report;

  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)pc->pmat, remaining_lines_name, &remaining));
  if (remaining) PetscCall(SetUpRemaining(pc, *remaining, &report));
  else PetscCall(SetUpGrid(pc, &report));
  PetscCall(LinesFailure(pc, name, report, false, precisions[!lines(pc)->single], lines(pc)->single ? ": try -pc_lines_precision double" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApply_Lines(PC pc, Vec x, Vec y)
{
  PetscFunctionBegin;
  if (pc->failedreason) PetscCall(VecFlag(y, 1));
  else if (lines(pc)->solver) PetscCall(lines(pc)->solver->Apply(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApplyTranspose_Lines(PC pc, Vec x, Vec y)
{
  PetscBool known, symmetric;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(pc->pmat, &known, &symmetric));
  PetscCheck(known && symmetric, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "PCLINES has no transpose but for matrices that are known to be symmetric: MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE) tells so");
  PetscCall(PCApply_Lines(pc, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Composed as pc_passes_name */
PetscErrorCode GetPasses(PC pc, PcPasses **passes)
{
  PetscFunctionBegin;
  *passes = lines(pc)->solver && !pc->failedreason ? lines(pc)->solver->Passes() : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCReset_Lines(PC pc)
{
  PetscFunctionBegin;
  lines(pc)->solver.reset();
  lines(pc)->grid.planned_for.Clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCDestroy_Lines(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCReset_Lines(pc));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, pc_passes_name, NULL));
  delete lines(pc);
  pc->data = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetFromOptions_Lines(PC pc, PetscOptionItems PetscOptionsObject)
{
  Lines   *c         = lines(pc);
  PetscInt precision = !c->single;
  bool     changed;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Lines");
  PetscCall(LinesGridSetFromOptions(pc, PetscOptionsObject, name, &c->options, &changed));
  PetscCall(PetscOptionsEList("-pc_lines_precision", "Precision of the factors", "PCLINES", precisions, 2, precisions[precision], &precision, NULL));
  PetscOptionsHeadEnd();
  if (!changed && c->single == !precision) PetscFunctionReturn(PETSC_SUCCESS);
  c->single       = (PetscBool)!precision;
  pc->setupcalled = PETSC_FALSE;
  PetscCall(PCReset_Lines(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_Lines(PC pc, PetscViewer viewer)
{
  const Lines *c = lines(pc);
  PetscBool    ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  if (!c->solver) PetscCall(PetscViewerASCIIPrintf(viewer, "  not yet set up\n"));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %u lines of %d cells along %s, factors in %s precision on the %s, %.3g MB\n", c->of.lines, c->of.K, c->axis,
                                     precisions[!c->single], c->solver->OnDevice() ? "device" : "host", 1e-6 * (double)c->solver->Bytes()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCCreate_Lines(PC pc)
{
  PetscFunctionBegin;
  pc->data                = new Lines;
  pc->ops->setup          = PCSetUp_Lines;
  pc->ops->apply          = PCApply_Lines;
  pc->ops->applytranspose = PCApplyTranspose_Lines;
  pc->ops->reset          = PCReset_Lines;
  pc->ops->destroy        = PCDestroy_Lines;
  pc->ops->setfromoptions = PCSetFromOptions_Lines;
  pc->ops->view           = PCView_Lines;
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, pc_passes_name, GetPasses));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCLinesRegister()
{
  PetscFunctionBegin;
  PetscCall(PCRegister(PCLINES, PCCreate_Lines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   Estimates for a divided hierarchy: the number of its divided levels, and whether slabs pay. See divided.hpp.
*/
#include "divided_class.hpp"
#include "../../../sys/collective.hpp"

namespace heptane
{

template <class Real>
GridDividedCost DividedHierarchy<Real>::Cost() const
{
  using Tuning = GridDividedTuning;

  return (where == Where::host ? Tuning::host() : ByNccl() ? Tuning::nccl() : Tuning::shared()).Of(parallel.Unknowns());
}

/* The number of levels of the estimate, or the given one */
template <class Real>
void DividedHierarchy<Real>::Choose(const GridOptions &options, int divided, GridDistribution *distribution)
{
  const GridDividedCost cost   = Cost();
  const int             levels = static_cast<int>(plan.levels.size());
  double                least  = 0;
  std::string           not_so = levels < 2 ? "there is one level" : "-pc_gridmg_divide is larger than the number of levels that can be divided";

  division = GridDivision();
  for (int n = std::max(1, divided); n < levels && n <= (divided > 0 ? divided : levels); n++) {
    GridDivision tried;

    if (n > 1 && options.cycle != GridCycle::v) break; /* other cycles visit coarse levels often */
    const std::string why = grid_divide(plan, size, n, &tried);
    if (!tried.levels) {
      not_so = why;
      break;
    }
    const bool   may_reduce = where == Where::device && !ByNccl() && !remainder.Any() && parallel.Unknowns() == 1 && options.smooths == 1;
    const double takes      = grid_divided_cost(plan, tried, 0, cost) + (may_reduce ? grid_red_columns_cost(plan, tried) : 0);
    if (!division.levels || takes < least) {
      least    = takes;
      division = tried;
    }
  }
  if (!division.levels) distribution->ToRoot(not_so);
}

/* Compares the estimate with that of a cycle on the first process, including the transfer of vectors both ways */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Worth(GridDistribution *distribution)
{
  const GridDividedCost cost     = Cost();
  const GridDividedCost messages = where == Where::device && !ByNccl() ? GridDividedTuning::messages().Of(parallel.Unknowns()) : cost;
  double                moved    = peers->Moved(); /* maximum over the processes */
  char                  text[160];

  PetscFunctionBegin;
  PetscCall(CollectiveReduce(comm, &moved, 1, MPI_DOUBLE, MPI_MAX));
  const double divided = grid_divided_cost(plan, division, moved, cost), gathered = grid_gathered_cost(plan, parallel.MovedToRoot(), messages);
  if (divided <= GridDividedTuning::gain * gathered) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    PetscSNPrintf(text, sizeof(text), "by an estimate slabs would take %.2g of the time, -pc_gridmg_divide 1 divides all the same", divided / gathered));
  distribution->ToRoot(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Remarks that one GPU is expected to be as fast, for small grids */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Remark()
{
  const double cells = static_cast<double>(parallel.Shape().cells()), one = GridDividedTuning::one_gpu_cells;
  char         text[160];

  PetscFunctionBegin;
  remark = "";
  if (where == Where::host || cells * parallel.Unknowns() >= one) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(text, sizeof(text), "%.0f cells on %d GPUs: below %.2g cells, with one unknown each, one GPU is expected to be as fast", cells,
                          division.processes(), one));
  remark = text;
  PetscCall(PetscInfo(NULL, "gridmg: %s\n", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define HEPTANE_GRID_DIVIDED(Real) \
  template GridDividedCost DividedHierarchy<Real>::Cost() const; \
  template void            DividedHierarchy<Real>::Choose(const GridOptions &, int, GridDistribution *); \
  template PetscErrorCode  DividedHierarchy<Real>::Worth(GridDistribution *); \
  template PetscErrorCode  DividedHierarchy<Real>::Remark();
HEPTANE_GRID_DIVIDED(float)
HEPTANE_GRID_DIVIDED(double)
#undef HEPTANE_GRID_DIVIDED

} // namespace heptane

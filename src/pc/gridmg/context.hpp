/*
   The context of a PCGRIDMG, and its set-up.
*/
#pragma once

#include "fixed.hpp"
#include "hierarchy/hierarchy.hpp"
#include "slabs/divided.hpp"
#include "slabs/root_grid.hpp"
#include "../../private/pc.hpp"

namespace heptane
{

inline constexpr const char *grid_precisions[] = {"single", "double"};
enum class GridPrecision { automatic, single, twofold };

struct GridMG {
  GridOptions                    options;
  PetscInt                       grid[3] = {0, 0, 0};  /* 0: from the offsets */
  PetscBool                      single  = PETSC_TRUE; /* precision of the cycle */
  PetscBool                      reduced = PETSC_TRUE; /* CG may omit red columns */
  PetscInt                       divide  = -1;         /* divided levels on several processes; -1: by an estimate */
  GridDistribution               distribution;         /* place of the grid */
  Stamp                          distribution_for;     /* the matrix for which `distribution` was decided, with several processes */
  Stamp                          distribution_with;    /* ... and the options for the exchange */
  std::unique_ptr<GridHierarchy> hierarchy;            /* home own: on this process; home first: on the first process */
  std::unique_ptr<GridDivided>   divided;              /* slabs */
  RootGrid                       root_grid;            /* distribution root: the system there, transfers of vectors */
  GridShape                      shape;
  Stamp                          planned_for;
  GridReport                     report;
  GridFixedValues                fixed;

  bool on_host      = false;          /* although products may run on the device: systems of few rows with vectors on the host */
  bool root_runs[2] = {false, false}; /* distribution root: cycles run there in stream order, on the host, on the device */
  bool crosses      = false;          /* reported to a solve: each iteration copies vectors between host and device */

  GridPrecision precision = GridPrecision::automatic; /* -pc_gridmg_precision */
  std::string   why_precision;                        /* reason for `single`; empty: not chosen yet */
  std::string   chosen_for;                           /* ... for this type of solver; empty: for none */
};

inline GridMG *grid_mg(PC pc)
{
  return static_cast<GridMG *>(pc->data);
}

/*
   Chooses side and, if automatic, precision for the solve with this vector, or, if both are NULL, for an application
   without a solver. Sets up the hierarchy again if they differ from its own.
*/
PetscErrorCode grid_mg_choose(PC pc, KSP ksp, Vec x);
/* Discards the choice of the precision */
void grid_mg_forget_precision(GridMG *c);
/* Discards the hierarchies: the next set-up makes them again and decides the place of the grid */
void grid_mg_forget(GridMG *c);
/* Whether the place of the grid was decided with another -heptane_comm */
PetscErrorCode grid_mg_exchange_changed(const GridMG *c, bool *changed);
/* Makes the hierarchy again from the same matrix. ksp: the solver that calls it, or NULL */
PetscErrorCode grid_mg_set_up_again(PC pc, KSP ksp);
PetscErrorCode PCSetUp_GridMG(PC pc);
/* The extents that the options or a DMDA give, 0: nobody does; *why: rows are not in the order of the grid */
PetscErrorCode grid_mg_grid_of_rows(PC pc, PetscInt extents[3], std::string *why);
/* CG without red columns, composed as reduced_cg_name */
PetscErrorCode grid_mg_reduced(PC pc, PetscBool device, ReducedCg **reduced, std::string *why);

} // namespace heptane

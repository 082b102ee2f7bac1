/*
   What a PCGRIDMG has, and its set-up.
*/
#pragma once

#include "gridmg_divided.hpp"
#include "gridmg_gather.hpp"
#include "gridmg_hierarchy.hpp"
#include "gridmg_whole.hpp"
#include "pcgridmg_fixed.hpp"
#include <petsc/private/pcimpl.h>

namespace heptane
{

inline constexpr const char *grid_precisions[] = {"single", "double"};
enum class GridPrecision { automatic, single, twofold };

struct GridMG {
  GridOptions                    options;
  PetscInt                       grid[3] = {0, 0, 0};  /* 0: from the offsets */
  PetscBool                      single  = PETSC_TRUE; /* precision of the cycle */
  PetscBool                      reduced = PETSC_TRUE; /* CG may leave red columns out */
  std::unique_ptr<GridHierarchy> hierarchy;            /* on one process */
  GridGather                     gather;               /* of the others' rows to it, by messages */
  std::unique_ptr<GridWhole>     whole;                /* the same where they reach its memory; null: they do not */
  Stamp                          whole_for;            /* what that was found for */
  PetscInt                       divide = -1;          /* levels that are divided among the processes; -1: by an estimate */
  std::unique_ptr<GridDivided>   divided;              /* the hierarchy of several processes, instead of `hierarchy`; null: the grid is on the first one */
  std::string                    why_gathered;         /* ... because of this */
  Stamp                          divided_for;          /* what both were decided for */
  GridShape                      shape;
  Stamp                          planned_for;
  GridReport                     report;
  GridFixedValues                fixed;

  bool on_host = false; /* although products may run on the device: vectors of few rows are on the host */
  bool crosses = false; /* a solve was told that each iteration copies vectors between host and device */

  GridPrecision precision = GridPrecision::automatic; /* -pc_gridmg_precision */
  std::string   why_precision;                        /* `single` was chosen for this reason; empty: nobody has chosen so far */
  std::string   chosen_for;                           /* ... for this type of solver; empty: for none */
};

inline GridMG *grid_mg(PC pc)
{
  return static_cast<GridMG *>(pc->data);
}

inline GridFirst *grid_mg_first(GridMG *c)
{
  return c->whole ? static_cast<GridFirst *>(c->whole.get()) : &c->gather;
}

/*
   Side and, if it is automatic, precision that the solve with this vector which is about to begin needs, or, both NULL,
   an application without a solver. If they are not those of the hierarchy it is set up again.
*/
PetscErrorCode grid_mg_choose(PC pc, KSP ksp, Vec x);
/* Nobody has chosen */
void grid_mg_forget_precision(GridMG *c);
/* The grid of several processes is on the first one */
bool           grid_mg_parallel(PC pc);
PetscErrorCode PCSetUp_GridMG(PC pc);
/* CG without red columns, composed as reduced_cg_name */
PetscErrorCode grid_mg_reduced(PC pc, PetscBool device, ReducedCg **reduced, std::string *why);

} // namespace heptane

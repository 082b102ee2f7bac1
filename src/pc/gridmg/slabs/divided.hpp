/*
   A hierarchy whose finest levels are divided among processes, each with a slab of the grid in memory that all of them reach: memory, set-up and application, on the device or on the host. Levels behind are
   on all processes that have a slab, which do the same.
   A cycle is that of one process, see grid/division.hpp. Glue around the executors: knows no PC.
*/
#pragma once

#include "../exchange/spread.hpp"
#include "../grid/division.hpp"
#include "../hierarchy/hierarchy.hpp"

namespace heptane
{

class GridDivided {
public:
  virtual ~GridDivided() = default;
  static std::unique_ptr<GridDivided> Make(bool single);

  GridSpread spread; /* has found the grid before Plan() */

  /* All collective. Levels and steps; divided: so many levels, -1: those that an estimate says, which may be none. home: the first process, on all alike, where the grid should be there. */
  virtual PetscErrorCode Plan(MPI_Comm comm, const GridOptions &options, int divided, GridHome *home) = 0;
  /* Coefficients of all levels from the values of the matrix; the report is that of all processes, with cells beside slabs counted twice. home: the first process where they cannot be had. */
  virtual PetscErrorCode Factor(GridReport *report, GridHome *home) = 0;
  /* y = one cycle for x */
  virtual PetscErrorCode Apply(Vec x, Vec y) = 0;
  /* The application as launches; null on the host, and where a process has no slab or no rows */
  virtual PcPasses *Passes() = 0;
  /* Collective: CG without red columns, as GridHierarchy has it, the same on all */
  virtual PetscErrorCode Reduced(ReducedCg **reduced, std::string *why) = 0;
  /* An error where a process was not there in time, as far as is known without waiting: results of a solve are known when its last norm is */
  virtual PetscErrorCode Check() = 0;

  virtual const GridPlan            &Planned() const  = 0;
  virtual const GridDivision        &Divided() const  = 0;
  virtual const std::string         &Remarks() const  = 0; /* on what is expected of it, for the view; may be empty */
  virtual bool                       OnDevice() const = 0;
  virtual std::vector<GridLevelView> View() const     = 0; /* of the whole levels, those divided without rows beside slabs */
  virtual int                        Launches() const = 0; /* kernels of an application on the first process; 0 on the host */
};

} // namespace heptane

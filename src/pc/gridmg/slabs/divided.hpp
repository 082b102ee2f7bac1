/*
   A hierarchy whose finest levels are divided into slabs, one per process, in shared memory or joined by NCCL: memory,
   set-up and application, on the device or on the host. Undivided levels are replicated on all processes that have a slab. A cycle
   equals that of one process, see grid/division.hpp. Calls the executors; independent of PC.
*/
#pragma once

#include "../exchange/parallel_matrix.hpp"
#include "../grid/division.hpp"
#include "../hierarchy/hierarchy.hpp"

namespace heptane
{

class GridDivided {
public:
  virtual ~GridDivided() = default;
  static std::unique_ptr<GridDivided> Make(bool single);
  /* The options that Plan() reads */
  static PetscErrorCode ExchangeOptions(Stamp *now);

  GridParallelMatrix parallel; /* must have the grid before Plan() */

  /* All collective. Levels and steps; divided: number of divided levels, -1: chosen by an estimate, possibly none.
     distribution: set to the first process, on all processes alike, if the grid should be there. */
  virtual PetscErrorCode Plan(MPI_Comm comm, const GridOptions &options, int divided, GridDistribution *distribution) = 0;
  /* Coefficients of all levels from the values of the matrix; the report is that of all processes and counts overlap
     cells twice. distribution: set to the first process if set-up in slabs is impossible. */
  virtual PetscErrorCode Factor(GridReport *report, GridDistribution *distribution) = 0;
  /* y = one cycle for x */
  virtual PetscErrorCode Apply(Vec x, Vec y) = 0;
  /* The application as launches; null on the host, and in shared memory if a process has no slab or no rows */
  virtual PcPasses *Passes() = 0;
  /* Collective: CG without red columns, as in GridHierarchy, alike on all processes */
  virtual PetscErrorCode Reduced(ReducedCg **reduced, std::string *why) = 0;
  /* An error if a barrier has timed out, as far as is known without waiting. The results of a solve are known when its
     last norm is. */
  virtual PetscErrorCode Check() = 0;
  /* Collective, before a solve: joins the processes again if NCCL has failed on one of them */
  virtual PetscErrorCode Reconnect() = 0;

  virtual const GridPlan            &Planned() const  = 0;
  virtual const GridDivision        &Divided() const  = 0;
  virtual const std::string         &Remarks() const  = 0; /* remarks on the expected speed for the view; may be empty */
  virtual bool                       OnDevice() const = 0;
  virtual bool                       ByNccl() const   = 0; /* otherwise in shared memory */
  virtual std::vector<GridLevelView> View() const     = 0; /* of the whole levels; divided levels without overlap rows */
  virtual int                        Launches() const = 0; /* kernels of an application on the first process; 0 on the host */
};

} // namespace heptane

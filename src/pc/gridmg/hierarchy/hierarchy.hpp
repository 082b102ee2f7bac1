/*
   The multigrid hierarchy of one matrix: memory, set-up and application, on the device or on the host. Calls the
   executors; independent of PC.
*/
#pragma once

#include "../../../device/buffer.hpp"
#include "../../../pass/offers/pc_passes.hpp"
#include "../../../pass/offers/reduced_cg.hpp"
#include "../grid/remainder.hpp"
#include "../grid/plan.hpp"
#include "../rows/setup_rows.hpp"
#include <petscvec.h>
#include <memory>

namespace heptane
{

struct GridLevelView {
  GridExtent  extent;
  std::size_t cells, bytes;
  int         remainder, dense; /* remainder entries; lines solved with them */
};

class GridHierarchy {
public:
  virtual ~GridHierarchy() = default;
  static std::unique_ptr<GridHierarchy> Make(bool single);

  /* Levels and steps for a pattern, from the coefficients unless options set them. Synchronises once with the device. */
  virtual PetscErrorCode Plan(const BlockDiagonals &D, bool device, const GridShape &shape, const GridOptions &options) = 0;
  /* Coefficients of all levels from the values, in the memory of Plan(); synchronises with the device once, for the
     report */
  virtual PetscErrorCode Factor(const BlockDiagonals &D, GridReport *report) = 0;
  /* y = one cycle for x; vectors on the host or the device */
  virtual PetscErrorCode Apply(Vec x, Vec y) = 0;
  /* The application as launches; null on the host */
  virtual PcPasses *Passes() = 0;
  /* CG without red columns, from the last factored values; null, with the reason, if unavailable. Synchronises
     with the device once if it is new. */
  virtual PetscErrorCode Reduced(const BlockDiagonals &D, ReducedCg **reduced, std::string *why) = 0;

  virtual const GridPlan            &Planned() const  = 0;
  virtual bool                       OnDevice() const = 0;
  virtual std::vector<GridLevelView> View() const     = 0;
  virtual double                     Flops() const    = 0; /* of an application */
  virtual int                        Launches() const = 0; /* kernels of an application; 0 on the host */
};

} // namespace heptane

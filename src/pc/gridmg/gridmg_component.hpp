/*
   Multigrid for one component (constrained pressure residual): its system and its hierarchy, and the application of both stages. Glue: knows no PC.
*/
#pragma once

#include "gridmg_component_rows.hpp"
#include "gridmg_hierarchy.hpp"

namespace heptane
{

class GridComponentStage {
public:
  /* Levels where `again`, values in any case. single: precision of the cycle */
  PetscErrorCode SetUp(const BlockDiagonals &D, bool device, const GridShape &shape, const GridOptions &options, bool single, int component, bool again,
                       GridReport *report);
  /* y: a cycle for the component, then `second` for what is left of x */
  PetscErrorCode Apply(GridHierarchy &second, Vec x, Vec y);
  /* Both as launches; null on the host */
  PcPasses      *Passes(GridHierarchy &second);
  PetscErrorCode Reset();
  ~GridComponentStage();

  const GridHierarchy *Hierarchy() const { return hierarchy.get(); }

private:
  PetscErrorCode Plan(const BlockDiagonals &D, bool single);
  PetscErrorCode MakeLists(const BlockDiagonals &D);
  Where          Place() const { return device ? Where::device : Where::host; }

  bool                           device = false;
  int                            B      = 1;
  GridComponent                  C;
  BlockDiagonals                 reduced;
  std::vector<int>               offset, rem_row, rem_ptr, rem_col; /* of the component's matrix */
  std::unique_ptr<GridHierarchy> hierarchy;
  Buffer<Scalar>                 memory;
  Buffer<std::uint32_t>          mask;
  Buffer<int>                    numbers;
  Vec                            b = nullptr, x = nullptr, left = nullptr; /* of the component; of all */
#if PetscDefined(HAVE_CUDA)
  struct Launched final : PcPasses {
    const GridComponentStage *of    = nullptr;
    PcPasses                 *first = nullptr, *second = nullptr;

    cudaError_t Launch(const Scalar *r, Scalar *z, cudaStream_t stream) const override;
    Stamp       Signature() const override { return Stamp::Of(of->C.weights) << first->Signature() << second->Signature(); }
    int         Launches() const override { return 3 + (of->C.lists.linked > 0) + first->Launches() + second->Launches(); }
    double      Flops() const override;
  } passes;
  Scalar *device_b = nullptr, *device_x = nullptr, *device_left = nullptr; /* in `memory` */
#endif
};

#if PetscDefined(HAVE_CUDA)
/* Launches. They return the CUDA error and do not synchronise. */
cudaError_t launch_component_setup(int B, const GridComponent &C, cudaStream_t stream);
cudaError_t launch_component_restrict(int B, const GridComponent &C, const Scalar *r, Scalar *of_component, cudaStream_t stream);
cudaError_t launch_component_residual(int B, const GridComponent &C, const Scalar *r, const Scalar *x, Scalar *left, cudaStream_t stream);
/* y += x of the component */
cudaError_t launch_component_add(int B, const GridComponent &C, const Scalar *x, Scalar *y, cudaStream_t stream);
#endif

} // namespace heptane

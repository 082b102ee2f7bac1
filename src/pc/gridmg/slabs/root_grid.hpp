/*
   A parallel system on the first process: its matrix, and the application of its hierarchy, with vectors by messages, or by
   NCCL in the solves of a solver that uses it. With a DMDA, rows on the first process have the numbering of its grid, for
   any division. Independent of PC.
*/
#pragma once

#include "../../../pass/offers/pc_passes.hpp"
#include "../exchange/root_nccl.hpp"
#include "../hierarchy/hierarchy.hpp"
#include "root_matrix.hpp"

namespace heptane
{

class RootGrid {
public:
  RootGrid()                            = default;
  RootGrid(const RootGrid &)            = delete;
  RootGrid &operator=(const RootGrid &) = delete;
  ~RootGrid();

  /* Collective: as RootMatrix::Gather() */
  PetscErrorCode Gather(Mat A, DM grid, MatType type, Mat *on_first);
  /* Collective: y = one cycle for x, which have A's layout; on: the hierarchy, null except on the first process */
  PetscErrorCode Apply(GridHierarchy *on, Vec x, Vec y);
  /* Collective: whether applications exchange by NCCL from here on, whose link a solver with vectors on this side has
     made; in_stream: the cycle runs there in stream order */
  PetscErrorCode LinkNccl(Mat A, GridHierarchy *on, Where side, bool in_stream, PetscBool *linked);
  void           Unlink() { nccl.Unlink(); }
  bool           ByNccl() const { return nccl.InUse(); }
  /* Such applications as launches; null on the host */
  PcPasses      *Passes();
  PetscErrorCode Reset();

private:
  PetscErrorCode Make(Mat A, DM grid, Mat on_first);
  PetscErrorCode ResetVectors();
  PetscErrorCode ApplyByNccl(GridHierarchy *on, Vec x, Vec y);

  RootMatrix     matrix;
  VecScatter     scatter = nullptr;
  Vec            in = nullptr, out = nullptr;
  RootGridNccl   nccl;
  Buffer<Scalar> whole[2]; /* right-hand side and result of a cycle, if it is launched */
#if PetscDefined(HAVE_CUDA)
  struct Launched final : PcPasses {
    const RootGridNccl *by    = nullptr;
    const PcPasses     *cycle = nullptr; /* on the first process */
    Scalar             *in = nullptr, *out = nullptr;

    cudaError_t Launch(const Scalar *r, Scalar *z, cudaStream_t stream) const override;
    Stamp       Signature() const override { return (cycle ? cycle->Signature() : Stamp()) << by->Number() << in << out; }
    int         Launches() const override { return cycle ? cycle->Launches() : 0; }
    double      Flops() const override { return cycle ? cycle->Flops() : 0; }
  } passes;
#endif
};

} // namespace heptane

/*
   A parallel system on the first process: its matrix, by messages, and the application of its hierarchy, with vectors by
   messages, or by NCCL in the solves of a solver that uses it. With a DMDA, rows on the first process have the numbering
   of its grid, for any division. Independent of PC.
*/
#pragma once

#include "../../../pass/offers/pc_passes.hpp"
#include "../exchange/root_nccl.hpp"
#include "../hierarchy/hierarchy.hpp"
#include <petscdm.h>
#include <petscmat.h>

namespace heptane
{

class RootGrid {
public:
  RootGrid()                            = default;
  RootGrid(const RootGrid &)            = delete;
  RootGrid &operator=(const RootGrid &) = delete;
  ~RootGrid();

  /* Collective. Gathers a square matrix into a sequential one on the first process, without rows on other processes;
     kept, and refilled while the pattern is the same. grid: a DMDA, or NULL */
  PetscErrorCode Gather(Mat A, DM grid, MatType type, Mat *whole);
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
  PetscErrorCode Make(Mat A, DM grid, MatType type);
  PetscErrorCode ApplyByNccl(GridHierarchy *on, Vec x, Vec y);

  Mat       *matrices = nullptr; /* an array of one matrix, as PETSc returns it */
  IS         rows     = nullptr; /* of A, in the order of the first process */
  VecScatter scatter  = nullptr;
  Vec        in = nullptr, out = nullptr;
  Stamp      made_for;

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

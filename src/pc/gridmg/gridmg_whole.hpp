/*
   The grid of several processes in memory of the first one that all reach: its values, as block diagonals of one matrix, and vectors there and back. Messages carry the few entries beside the diagonals alone.
   Memory that processes share is of one size on all: the others have as much, which is not used. Knows no PC.
*/
#pragma once

#include "../../pass/pc_passes.hpp"
#include "gridmg_beside.hpp"
#include "gridmg_first.hpp"
#include "gridmg_reach.hpp"
#include "gridmg_spread.hpp"
#include "gridmg_vectors.hpp"

namespace heptane
{

class GridWhole final : public GridFirst {
public:
  ~GridWhole() override;

  /* All collective. Why not empty, on all processes alike: by GridGather. */

  /* For a pattern. grid: a DMDA whose points number the cells, or NULL */
  PetscErrorCode Open(Mat A, DM grid, bool on_host, std::string *why); /* as GridSpread::Open() */
  PetscInt       Cells() const { return spread.Cells(); }
  /* wanted: extents, 0: from the diagonals */
  PetscErrorCode Make(const int wanted[3], std::string *why);
  /* Its values, where products run, on the first process; on the others D has no rows */
  PetscErrorCode Values(BlockDiagonals *D, std::string *why);
  bool           OnDevice() const { return spread.OnDevice(); }

  PetscErrorCode ToFirst(Vec x) override;
  PetscErrorCode FromFirst(Vec y) override;
  Vec            In() const override { return in; }
  Vec            Out() const override { return out; }
  const char    *Name() const override;
  /* The application as launches, good until the next set-up; cycle: that of the first process, null on the others */
  PcPasses *Passes(PcPasses *cycle);
  /* An error where a process was not there in time */
  PetscErrorCode Check() const { return reach.Check(); }

private:
  PetscErrorCode MakeVectors();
  PetscErrorCode Into(const Scalar *x, GridStream stream) const;
  PetscErrorCode OutOf(Scalar *y, GridStream stream) const;
  /* In the memory of the first process, behind the values */
  Scalar *InArray() const { return first + 7 * static_cast<std::size_t>(spread.Unknowns()) * rows; }
  Scalar *OutArray() const { return InArray() + rows; }
  Where   Place() const { return spread.OnDevice() ? Where::device : Where::host; }
  bool    IsFirst() const { return rank == 0; }

#if PetscDefined(HAVE_CUDA)
  struct Launched final : public PcPasses {
    const GridWhole *of    = nullptr;
    PcPasses        *cycle = nullptr;

    cudaError_t Launch(const Scalar *r, Scalar *z, cudaStream_t stream) const override;
    Stamp       Signature() const override { return cycle ? Stamp::Of(of->number) << cycle->Signature() : Stamp::Of(of->number); }
    int         Launches() const override { return 3 + (cycle ? cycle->Launches() : 0); }
    double      Flops() const override { return cycle ? cycle->Flops() : 0; }
  } passes;
#endif

  MPI_Comm         comm = MPI_COMM_NULL;
  PetscMPIInt      rank = 0, size = 1;
  GridSpread       spread;
  GridReach        reach;
  GridVectors      vectors;
  GridCommon       common;
  std::size_t      rows   = 0;       /* of the matrix */
  Scalar          *first  = nullptr; /* memory of the first process */
  std::uint64_t    number = 0;
  GridBeside       beside;
  std::vector<int> offset; /* on the first process */
  Buffer<Scalar>   rem_values;
  Vec              in = nullptr, out = nullptr;
};

} // namespace heptane

/*
   The device executor of the structured multigrid: its memory in addition to that of the levels, the order of launches,
   and the graph of a cycle. Only with CUDA.
*/
#pragma once

#include "../../../device/buffer.hpp"
#include "../rows/system.hpp"
#include "../rows/tail.hpp"
#include <cuda_runtime.h>

namespace heptane
{

template <class Real>
struct GridReduced;

template <class Real>
class GridDevice {
public:
  GridDevice()                              = default;
  GridDevice(const GridDevice &)            = delete;
  GridDevice &operator=(const GridDevice &) = delete;
  ~GridDevice();

  /* Synchronises with the device */
  PetscErrorCode Means(const GridMatrix &A, int B, std::size_t cells, GridMeans *means);
  /* The graph of a cycle: valid while levels, remainder entries and steps keep their addresses */
  PetscErrorCode Prepare(const GridSystem<Real> &S);
  /* Synchronises with the device once, at the end. exact: the arrays of CG without red columns, which are filled too,
     and reported on in report[1]; null: none */
  PetscErrorCode Factor(const GridMatrix &A, const Scalar *remainder_values, const GridSystem<Real> &S, const GridReduced<Real> *exact, GridReport report[2]);
  /* The same for levels of which the first one is filled */
  PetscErrorCode FactorFrom(const GridSystem<Real> &S, GridReport *report);
  PetscErrorCode Cycle(const GridSystem<Real> &S, const Scalar *r, Scalar *y);
  /* The cycle as separate launches, which may be recorded */
  cudaError_t Launch(const GridSystem<Real> &S, const Scalar *r, Scalar *y, cudaStream_t stream) const;
  /* Only its steps, from b of the first level to its x */
  cudaError_t LaunchSteps(const GridSystem<Real> &S, int *kernels, cudaStream_t stream) const
  {
    return LaunchSteps(S, tail, 0, S.plan.steps.size(), kernels, stream);
  }
  /* Its steps without the first two and the last two, which are steps of the finest level */
  cudaError_t LaunchCoarse(const GridSystem<Real> &S, int *kernels, cudaStream_t stream) const;
  int         Launches() const { return launches; } /* of a cycle */

private:
  /* The last levels in one launch: none if T.levels is 0 */
  struct Tail {
    GridTail<Real>              T;
    std::vector<int>            number; /* see grid_tail_steps() */
    Buffer<GridTailLevel<Real>> levels;
    Buffer<GridTailStep>        steps;
    Buffer<Real>                image;

    bool           Has(int level) const { return T.levels > 0 && level >= T.first; }
    PetscErrorCode Make(const GridSystem<Real> &S, int first, int blocks);
  };

  PetscErrorCode Upload(const GridSystem<Real> &S);
  PetscErrorCode FactorLevels(const GridSystem<Real> &S, GridReport *note, cudaStream_t stream);
  int            ChooseTail(const GridSystem<Real> &S, int *blocks) const;
  PetscErrorCode Record(const GridSystem<Real> &S);
  /* The first and the last kernel of an application */
  static cudaError_t Take(const GridSystem<Real> &S, const Scalar *r, cudaStream_t stream);
  static cudaError_t Export(const GridSystem<Real> &S, Scalar *y, cudaStream_t stream);
  static bool        RestrictsInside(const GridSystem<Real> &S, const Tail &with, std::size_t k);
  cudaError_t        LaunchSteps(const GridSystem<Real> &S, const Tail &with, std::size_t from, std::size_t to, int *kernels, cudaStream_t stream) const;
  cudaError_t        LaunchTail(const GridSystem<Real> &S, const Tail &with, std::size_t *k, std::size_t to, cudaStream_t stream) const;
  const Tail        &CoarseTail() const { return coarse_tail.T.levels ? coarse_tail : tail; }

  Buffer<Scalar>          sums{7}, partial;
  Buffer<unsigned>        count{1};
  Buffer<GridReport>      report_of{2};
  Buffer<GridLevel<Real>> levels;            /* for kernels that process several levels */
  Tail                    tail, coarse_tail; /* coarse_tail: `tail` without the finest level, if it contains it */
  std::size_t             room_of_tail = 0;  /* shared memory of a block */
  cudaGraphExec_t         graph        = nullptr;
  int                     launches     = 0;
};

/* Launches. They return the CUDA error and do not synchronise. */
cudaError_t launch_grid_means(const GridMatrix &A, int B, std::size_t cells, Scalar *sums, Scalar *partial, unsigned *count, cudaStream_t stream);
template <class Real>
cudaError_t launch_grid_load(const GridMatrix &A, int B, const GridLevel<Real> &L, GridReport *report, cudaStream_t stream);
template <class Real>
cudaError_t launch_grid_coarsen(int B, const GridLevel<Real> &F, const GridLevel<Real> &C, cudaStream_t stream);
/* Remainder entries of the finest level from the matrix; remainder entries and blocks of other levels from the
   remainder entries of the previous level */
template <class Real>
cudaError_t launch_grid_remainder_values(const GridRemainder<Real> &K, const Scalar *remainder_values, Scalar scale, cudaStream_t stream);
template <class Real>
cudaError_t launch_grid_remainder_coarsen(const GridRemainder<Real> &F, const GridLevel<Real> &C, const GridRemainder<Real> &K, cudaStream_t stream);
template <class Real>
cudaError_t launch_grid_remainder_row_sums(const GridLevel<Real> &L, int B, const GridRemainder<Real> &K, Real sign, cudaStream_t stream);
/* The inverses of lines of levels 0, ..., count - 1 that have one, before lines are factored */
template <class Real>
cudaError_t launch_grid_dense(const GridSystem<Real> &S, int count, GridReport *report, cudaStream_t stream);
/* Of all levels; there: the same in device memory */
template <class Real>
cudaError_t launch_grid_factor(int B, const std::vector<GridLevel<Real>> &levels, const GridLevel<Real> *there, GridReport *report, cudaStream_t stream);
template <class Real>
cudaError_t launch_grid_import(int B, const GridLevel<Real> &L, const GridNatural &at, const Scalar *r, cudaStream_t stream);
template <class Real>
cudaError_t launch_grid_export(int B, const GridLevel<Real> &L, const GridNatural &at, Scalar scale, Scalar *y, cudaStream_t stream);
/* One step; its kernels are added to *launches */
template <class Real>
cudaError_t launch_grid_step(const GridSystem<Real> &S, const GridStep &s, int *launches, cudaStream_t stream);
/* Solution of the lines of a colour, several unknowns per cell: one kernel */
template <class Real>
cudaError_t launch_grid_block_lines(const GridSystem<Real> &S, const GridStep &s, cudaStream_t stream);
/* Factors of all levels, from GridTuning::rows_apart unknowns per cell on */
template <class Real>
cudaError_t launch_grid_block_factor(int B, const std::vector<GridLevel<Real>> &levels, const GridLevel<Real> *there, GridReport *report, cudaStream_t stream);
/* A restriction and the following solve of a colour, one unknown per cell and no remainder entries */
template <class Real>
cudaError_t launch_grid_restricted(const GridSystem<Real> &S, const GridStep &restriction, const GridStep &solve, int *launches, cudaStream_t stream);
/* Whether the device supports these blocks and this shared memory, for lines of K cells */
template <class Real>
bool grid_tail_runs(const GridTail<Real> &T, int K);
/* Steps of the last levels, one unknown per cell */
template <class Real>
cudaError_t launch_grid_tail(const GridTail<Real> &T, int K, cudaStream_t stream);
/* Coefficients for launch_grid_tail(), after lines are factored */
template <class Real>
cudaError_t launch_grid_tail_image(const GridTail<Real> &T, int K, cudaStream_t stream);

} // namespace heptane

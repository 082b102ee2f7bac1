/*
   The device executor of the structured multigrid: see device.hpp. The file is empty without CUDA.
*/
#include <petscconf.h>
#include <petscmacros.h>
#if PetscDefined(HAVE_CUDA)
  #include "cost.hpp"
  #include "device.hpp"
  #include "record.hpp"
  #include "reduced_kernels.hpp"
  #include <algorithm>

namespace heptane
{

template <class Real>
GridDevice<Real>::~GridDevice()
{
  if (graph) (void)cudaGraphExecDestroy(graph); /* a destructor cannot report the error */
}

template <class Real>
PetscErrorCode GridDevice<Real>::Means(const GridMatrix &A, int B, std::size_t cells, GridMeans *means)
{
  cudaStream_t stream;
  Scalar      *of_blocks, *at, sum[7];
  unsigned    *zero;

  PetscFunctionBegin;
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  partial.Resize(7 * GridTuning::means_blocks);
  PetscCall(partial.Memory(Where::device, &of_blocks));
  PetscCall(count.Zeros(Where::device, &zero));
  PetscCall(sums.Memory(Where::device, &at));
  const MetricsPass metrics(true, [&] { return grid_setup_cost<Real>("means of the couplings", 1, (double)cells, 7., 0.); });
  PetscCallCUDA(launch_grid_means(A, B, cells, at, of_blocks, zero, stream));
  PetscCall(CopyToHost(sum, at, 7));
  *means = grid_means_of(sum, cells);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels after the first one, and the factors of all */
template <class Real>
PetscErrorCode GridDevice<Real>::FactorLevels(const GridSystem<Real> &S, GridReport *note, cudaStream_t stream)
{
  const std::size_t count_levels = S.levels.size();

  PetscFunctionBegin;
  for (std::size_t l = 0; l + 1 < count_levels; l++) {
    const MetricsPass metrics(true, [&] { return grid_coarsen_cost(S.B, S.levels[l], S.levels[l + 1]); });
    PetscCallCUDA(launch_grid_coarsen(S.B, S.levels[l], S.levels[l + 1], stream));
    PetscCallCUDA(launch_grid_remainder_coarsen(S.remainder[l], S.levels[l + 1], S.remainder[l + 1], stream));
  }
  for (std::size_t l = 0; l < count_levels; l++) PetscCallCUDA(launch_grid_remainder_row_sums(S.levels[l], S.B, S.remainder[l], Real(-1), stream));
  PetscCallCUDA(launch_grid_dense(S, static_cast<int>(count_levels), note, stream));
  const MetricsPass metrics(true, [&] { return grid_factor_cost(S.B, S.levels); });
  PetscCallCUDA(launch_grid_factor(S.B, S.levels, levels.At(Where::device), note, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridDevice<Real>::FactorFrom(const GridSystem<Real> &S, GridReport *report)
{
  const GridReport clean;
  GridReport      *note;
  cudaStream_t     stream;

  PetscFunctionBegin;
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCall(report_of.Memory(Where::device, &note));
  PetscCallCUDA(cudaMemcpyAsync(note, &clean, sizeof(clean), cudaMemcpyHostToDevice, stream)); /* pageable: read before the call returns */
  PetscCall(FactorLevels(S, note, stream));
  if (tail.T.levels) {
    const MetricsPass metrics(true, [&] { return grid_tail_image_cost(tail.T); });
    PetscCallCUDA(launch_grid_tail_image(tail.T, S.levels[0].K, stream));
  }
  PetscCall(CopyToHost(report, note, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridDevice<Real>::Factor(const GridMatrix &A, const Scalar *remainder_values, const GridSystem<Real> &S, const GridReduced<Real> *exact,
                                        GridReport report[2])
{
  const GridReport clean[2];
  GridReport      *note;
  cudaStream_t     stream;

  PetscFunctionBegin;
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCall(report_of.Memory(Where::device, &note));
  PetscCallCUDA(cudaMemcpyAsync(note, clean, sizeof(clean), cudaMemcpyHostToDevice, stream)); /* pageable: read before the call returns */
  const MetricsPass metrics(true, [&] { return grid_setup_cost<Real>("the finest level", S.B, grid_cells(S.levels[0]), exact ? 14. : 7., 7.); });
  if (exact) PetscCallCUDA(launch_reduced_load_both(A, *exact, note, stream));
  else PetscCallCUDA(launch_grid_load(A, S.B, S.levels[0], note, stream));
  PetscCallCUDA(launch_grid_remainder_values(S.remainder[0], remainder_values, A.scale, stream));
  PetscCallCUDA(launch_grid_remainder_row_sums(S.levels[0], S.B, S.remainder[0], Real(1), stream));
  PetscCall(FactorLevels(S, note, stream));
  if (exact) PetscCallCUDA(launch_reduced_factor(*exact, note + 1, stream));
  for (const Tail *t : {&tail, &coarse_tail}) {
    const MetricsPass of_tail(true, [&] { return grid_tail_image_cost(t->T); });
    if (t->T.levels) PetscCallCUDA(launch_grid_tail_image(t->T, S.levels[0].K, stream));
  }
  PetscCall(CopyToHost(report, note, 2)); /* the test for a failed set-up runs on the host */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridDevice<Real>::Tail::Make(const GridSystem<Real> &S, int first, int blocks)
{
  std::vector<GridTailLevel<Real>> made;

  PetscFunctionBegin;
  T = grid_tail_levels(S.levels, first, blocks, S.plan.changes, &made);
  if (!T.levels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(levels.Assign(Where::device, made));
  PetscCall(steps.Assign(Where::device, grid_tail_steps(T, made, S.plan, &number)));
  image.Resize(T.blocks * T.image_of());
  PetscCall(image.Zeros(Where::device, &T.image));
  T.level = levels.At(Where::device);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first of the last levels: as many levels as fit in the shared memory of one block, or of several if these hold
   more. Levels with remainder entries are excluded. */
template <class Real>
int GridDevice<Real>::ChooseTail(const GridSystem<Real> &S, int *blocks) const
{
  const int                        count = static_cast<int>(S.levels.size());
  std::vector<GridTailLevel<Real>> levels_of;
  int                              best = count, first;

  *blocks = 1;
  for (int n : {1, GridTuning::tail_blocks}) {
    for (first = count; first > 0 && S.B == 1 && !S.remainder[first - 1].rows; first--) {
      const GridTail<Real> T = grid_tail_levels(S.levels, first - 1, n, S.plan.changes, &levels_of);

      if (grid_tail_bytes(T) > room_of_tail || (T.blocks > 1 && !grid_tail_runs(T, S.levels[0].K))) break;
    }
    if (first < best) {
      best    = first;
      *blocks = n;
    }
  }
  return best;
}

template <class Real>
PetscErrorCode GridDevice<Real>::Upload(const GridSystem<Real> &S)
{
  int device = 0, most = 0, blocks;

  PetscFunctionBegin;
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  room_of_tail = most > GridTuning::tail_reserve ? static_cast<std::size_t>(most - GridTuning::tail_reserve) : 0;
  PetscCall(levels.Assign(Where::device, S.levels));
  const int first = ChooseTail(S, &blocks);
  PetscCall(tail.Make(S, first, blocks));
  PetscCall(coarse_tail.Make(S, first > 0 ? static_cast<int>(S.levels.size()) : 1, blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether step k is a restriction that the following solves of both colours can include: they are separate launches,
   and no step is between */
template <class Real>
bool GridDevice<Real>::RestrictsInside(const GridSystem<Real> &S, const Tail &with, std::size_t k)
{
  const std::vector<GridStep> &all = S.plan.steps;
  const int                    l   = all[k].level + 1;

  if (all[k].op != GridOp::restrict || S.B > 1 || with.Has(l) || k + 2 >= all.size() || S.remainder[l].right_side.count) return false;
  return all[k + 1].op == GridOp::solve && all[k + 1].level == l && all[k + 1].colour == 0 && all[k + 2].op == GridOp::solve && all[k + 2].level == l &&
         all[k + 2].colour == 1;
}

/* The steps of the last levels from step *k on, which is one of them; *k becomes the step after them. The preceding
   restriction is a launch of its own: meanwhile the blocks load their coefficients. */
template <class Real>
cudaError_t GridDevice<Real>::LaunchTail(const GridSystem<Real> &S, const Tail &with, std::size_t *k, std::size_t to, cudaStream_t stream) const
{
  const std::vector<GridStep> &all  = S.plan.steps;
  GridTail<Real>               part = with.T;
  const std::size_t            from = *k;

  while (*k < to && with.Has(all[*k].level)) ++*k;
  part.step  = with.steps.At(Where::device) + with.number[from];
  part.steps = with.number[*k] - with.number[from];
  return launch_grid_tail(part, S.levels[0].K, stream);
}

/* Steps from, ..., to - 1 */
template <class Real>
cudaError_t GridDevice<Real>::LaunchSteps(const GridSystem<Real> &S, const Tail &with, std::size_t from, std::size_t to, int *kernels,
                                          cudaStream_t stream) const
{
  const std::vector<GridStep> &all = S.plan.steps;

  for (std::size_t k = from; k < to;) {
    const int   l = all[k].level;
    cudaError_t err;

    if (with.Has(l)) {
      const MetricsPass metrics(true, [&] { return grid_tail_cost(with.T); });
      err = LaunchTail(S, with, &k, to, stream);
      ++*kernels;
    } else if (RestrictsInside(S, with, k)) {
      err = cudaSuccess;
      for (std::size_t solve = k + 1; solve <= k + 2 && err == cudaSuccess; solve++) {
        const MetricsPass metrics(true, [&] { return grid_restricted_cost(S, all[k], all[solve]); });
        err = launch_grid_restricted(S, all[k], all[solve], kernels, stream);
      }
      k += 3;
    } else {
      const MetricsPass metrics(true, [&] { return grid_step_cost(S, all[k]); });
      err = launch_grid_step(S, all[k++], kernels, stream);
    }
    if (err != cudaSuccess) return err;
  }
  return cudaSuccess;
}

template <class Real>
cudaError_t GridDevice<Real>::LaunchCoarse(const GridSystem<Real> &S, int *kernels, cudaStream_t stream) const
{
  return LaunchSteps(S, CoarseTail(), 2, S.plan.steps.size() - 2, kernels, stream);
}

template <class Real>
PetscErrorCode GridDevice<Real>::Record(const GridSystem<Real> &S)
{
  PetscFunctionBegin;
  PetscCallCUDA(record_graph([&](cudaStream_t stream) { return LaunchSteps(S, tail, 0, S.plan.steps.size(), &launches, stream); }, &graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridDevice<Real>::Prepare(const GridSystem<Real> &S)
{
  cudaStream_t stream;

  PetscFunctionBegin;
  if (graph) PetscCallCUDA(cudaGraphExecDestroy(graph));
  graph = nullptr;
  PetscCall(Upload(S));
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  /* runs with zeros: kernels must be loaded before the stream records */
  PetscCallCUDA(LaunchSteps(S, tail, 0, S.plan.steps.size(), &launches, stream));
  launches = 2; /* the launches before and after the graph */
  PetscCall(Record(S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
cudaError_t GridDevice<Real>::Take(const GridSystem<Real> &S, const Scalar *r, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return grid_edge_cost(S, "right-hand side taken"); });

  return launch_grid_import(S.B, S.levels[0], S.natural, r, stream);
}

template <class Real>
cudaError_t GridDevice<Real>::Export(const GridSystem<Real> &S, Scalar *y, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return grid_edge_cost(S, "solution given"); });

  return launch_grid_export(S.B, S.levels[0], S.natural, S.scale, y, stream);
}

template <class Real>
cudaError_t GridDevice<Real>::Launch(const GridSystem<Real> &S, const Scalar *r, Scalar *y, cudaStream_t stream) const
{
  int         kernels = 0;
  cudaError_t err     = Take(S, r, stream);

  if (err == cudaSuccess) err = LaunchSteps(S, tail, 0, S.plan.steps.size(), &kernels, stream);
  return err != cudaSuccess ? err : Export(S, y, stream);
}

template <class Real>
PetscErrorCode GridDevice<Real>::Cycle(const GridSystem<Real> &S, const Scalar *r, Scalar *y)
{
  cudaStream_t stream;

  PetscFunctionBegin;
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(Take(S, r, stream));
  PetscCallCUDA(cudaGraphLaunch(graph, stream));
  PetscCallCUDA(Export(S, y, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template class GridDevice<float>;
template class GridDevice<double>;

} // namespace heptane
#endif

/*
   CG without red columns, its passes as launches. See reduced.hpp.
*/
#include "reduced.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../device/cost.hpp"
  #include "../device/device.hpp"
  #include "../device/record.hpp"
  #include "../device/reduced_kernels.hpp"
  #include "../exchange/stages.hpp"
  #include <petscdevice_cuda.h>

namespace heptane
{

template <class Real>
PetscErrorCode GridReducedCg<Real>::DeviceSetUp(const GridMatrix &A, GridReport *report)
{
  const GridReport clean;
  GridReport      *note;
  Scalar          *sums;
  cudaStream_t     stream;

  PetscFunctionBegin;
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  partial.Resize(4 * static_cast<std::size_t>(reduced_blocks(R)));
  PetscCall(partial.Memory(Where::device, &sums));
  PetscCall(report_of.Memory(Where::device, &note));
  PetscCallCUDA(cudaMemcpyAsync(note, &clean, sizeof(clean), cudaMemcpyHostToDevice, stream)); /* pageable: read before the call returns */
  PetscCallCUDA(launch_reduced_load(A, R, stream));
  PetscCallCUDA(launch_reduced_factor(R, note, stream));
  PetscCall(CopyToHost(report, note, 1));
  launches = 5; /* of the finest level */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
FusedReduction GridReducedCg<Real>::Sums(const FusedReduction &red) const
{
  FusedReduction mine = red;

  mine.partial = partial.At(Where::device);
  return mine;
}

/* Bytes as stated at the kernels: scalars and reals per black cell, and further reals */
template <class Real>
DeclaredPass GridReducedCg<Real>::Cost(const char *text, int scalars, int reals, double more_reals) const
{
  return {std::string("reduced CG: ") + text, grid_cells(R.exact) / 2 * (scalars * sizeof(Scalar) + reals * sizeof(Real)) + more_reals * sizeof(Real)};
}

/* The coarser levels, with the restriction of the finest level and its correction */
template <class Real>
cudaError_t GridReducedCg<Real>::LaunchCoarse(int *kernels, cudaStream_t stream)
{
  if (!Divided()) return device->LaunchCoarse(S, kernels, stream);
  const GridStep   &restriction = S.plan.steps[2];
  const MetricsPass metrics(true, [&] { return grid_step_cost(S, restriction); });
  cudaError_t       err = launch_grid_step(S, restriction, kernels, stream);

  if (err != cudaSuccess) return err;
  const auto steps = [&](int from, int to) {
    cudaError_t of_steps = cudaSuccess;

    for (int k = from; k < to && of_steps == cudaSuccess; k++) {
      const MetricsPass of_step(true, [&] { return grid_step_cost(S, S.plan.steps[k]); });
      of_steps = launch_grid_step(S, S.plan.steps[k], kernels, stream);
    }
    return of_launch(of_steps);
  };
  *kernels += 2 * static_cast<int>(slab.coarse.size());
  return reported(
    grid_run_stages(slab.coarse, slab.others, stream, steps, [&] { return of_launch(device->LaunchSteps(slab.piece->coarse, kernels, stream)); }));
}

/* Adds the sums that a pass has left over all slabs; with_z: also receives overlap rows of z */
template <class Real>
cudaError_t GridReducedCg<Real>::LaunchSums(int count, int at, const FusedReduction &red, cudaStream_t stream, bool with_z)
{
  const GridRankSums sums = {red.peers, red.sums, at, count};

  if (!Divided()) return cudaSuccess;
  return reported(with_z ? slab.others->Halo(sums, stream) : slab.others->Sums(sums, stream));
}

/* The part of the cycle between the first half sweep and the sums */
template <class Real>
cudaError_t GridReducedCg<Real>::LaunchCycle(bool of_z, int at, const FusedReduction &red, cudaStream_t stream)
{
  int         kernels = 0;
  cudaError_t err     = LaunchCoarse(&kernels, stream);

  launches = kernels + 4 + Divided();
  if (err != cudaSuccess) return err;
  {
    const MetricsPass metrics(
      true, [&] { return Cost("black lines solved, corrected, sums", 1, 5 + static_cast<int>(grid_across_reals(R.level)), grid_cells(S.levels[1])); });
    err = launch_reduced_black(R.Within(0), S.levels[1], of_z, at, Sums(red), stream);
  }
  if (err == cudaSuccess) err = LaunchSums(of_z ? 2 : 1, at, red, stream, true);
  if (err == cudaSuccess) err = launch_reduced_red(R.Within(2), of_z, at, Sums(red), stream);
  if (err == cudaSuccess && of_z) err = LaunchSums(1, at + more, red, stream);
  return err;
}

template <class Real>
cudaError_t GridReducedCg<Real>::LaunchStart(const Scalar *r, const FusedReduction &red, cudaStream_t stream)
{
  if (Divided()) {
    const cudaError_t err = reported(slab.others->In(r, true, stream));

    if (err != cudaSuccess) return err;
    r = slab.piece->start;
  }
  const MetricsPass metrics(true, [&] { return Cost("residual of black cells, black lines solved from zero", 8, 4, 0); });

  return launch_reduced_start(R, r, red.chained, stream);
}

template <class Real>
cudaError_t GridReducedCg<Real>::LaunchProduct(const FusedState &state, const FusedReduction &red, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return Cost("w = A z + b w, p = z + b p, sum (p, w)", 12, 1, 0); });

  return launch_reduced_product(R.Within(1), state, Sums(red), stream);
}

template <class Real>
cudaError_t GridReducedCg<Real>::LaunchUpdate(bool norm, const FusedState &state, const FusedReduction &red, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return Cost("x += a p, r -= a w, black lines solved from zero", 6, 4, 0); });

  return launch_reduced_first(R.Within(1), norm, state, Sums(red), stream);
}

template <class Real>
cudaError_t GridReducedCg<Real>::LaunchFinish(const Scalar *from, bool zero, Scalar *x, Scalar *r, cudaStream_t stream)
{
  if (!Divided()) return launch_reduced_finish(R, from, zero, x, r, stream);
  const cudaError_t err = launch_reduced_finish(R, slab.piece->start, true, slab.piece->out, slab.piece->start, stream);

  return err != cudaSuccess ? err : reported(slab.others->Finish(zero, x, r, stream));
}
  #define HEPTANE_REDUCED_LAUNCHES(Real) \
    template PetscErrorCode GridReducedCg<Real>::DeviceSetUp(const GridMatrix &, GridReport *); \
    template cudaError_t    GridReducedCg<Real>::LaunchStart(const Scalar *, const FusedReduction &, cudaStream_t); \
    template cudaError_t    GridReducedCg<Real>::LaunchCycle(bool, int, const FusedReduction &, cudaStream_t); \
    template cudaError_t    GridReducedCg<Real>::LaunchProduct(const FusedState &, const FusedReduction &, cudaStream_t); \
    template cudaError_t    GridReducedCg<Real>::LaunchUpdate(bool, const FusedState &, const FusedReduction &, cudaStream_t); \
    template cudaError_t    GridReducedCg<Real>::LaunchFinish(const Scalar *, bool, Scalar *, Scalar *, cudaStream_t);
HEPTANE_REDUCED_LAUNCHES(float)
HEPTANE_REDUCED_LAUNCHES(double)
  #undef HEPTANE_REDUCED_LAUNCHES

} // namespace heptane
#endif

/*
   The scale of the values: see scale.hpp.
*/
#include "scale.hpp"
#include "../host/host.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#if PetscDefined(HAVE_CUDA)
  #include "../../../metrics/metrics.hpp"
  #include "../device/device.hpp"
#endif

namespace heptane
{

PetscErrorCode GridScale::Compute(const GridMatrix &A, int B, std::size_t cells, Where where)
{
  GridMatrix diagonal = A;

  PetscFunctionBegin;
  std::fill_n(diagonal.diagonal + 1, 6, -1); /* they are not read */
  side     = where;
  found[1] = static_cast<double>(cells);
  if (where == Where::host) found[0] = grid_means_host(diagonal, B, cells).diagonal * found[1];
#if PetscDefined(HAVE_CUDA)
  else {
    Scalar      *of_blocks, *at;
    unsigned    *zero;
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    partial.Resize(7 * GridTuning::means_blocks);
    PetscCall(partial.Memory(where, &of_blocks));
    PetscCall(count.Zeros(where, &zero));
    PetscCall(sums.Memory(where, &at));
    const MetricsPass metrics(true, [&] { return DeclaredPass{"gridmg set-up: mean of the diagonal", static_cast<double>(sizeof(Scalar)) * B * found[1]}; });
    PetscCallCUDA(launch_grid_means(diagonal, B, cells, at, of_blocks, zero, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridScale::Renew(MPI_Comm comm, bool *another)
{
  double all[2] = {found[0], found[1]};

  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (side == Where::device) {
    Scalar sum[7];

    PetscCall(CopyToHost(sum, sums.At(side), 7));
    all[0] = sum[6];
  }
#endif
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_SUM, comm));
  *another = all[1] > 0 && Take(all[0] / all[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool GridScale::Take(double mean)
{
  constexpr int most = std::numeric_limits<Scalar>::max_exponent - 2, enough = 16;
  int           now = 0;

  if (!(mean > 0) || !std::isfinite(mean)) return false; /* the set-up reports the reason */
  (void)std::frexp(mean, &now);
  now = std::clamp(now, -most, most);
  if (taken && std::abs(now - exponent) <= enough) return false;
  const bool another = now != exponent;
  taken              = true;
  exponent           = now;
  return another;
}

Scalar GridScale::Of() const
{
  return static_cast<Scalar>(std::ldexp(1.0, -exponent));
}

} // namespace heptane

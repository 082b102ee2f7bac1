/*
   LU and QR factors of dense blocks of up to 32 rows, in the registers of 4 to 32 lanes each.
*/
#include "../../device/launch.hpp"
#include "../../device/launch_policy.hpp"
#include "factor.hpp"
#include "lanes.cuh"
#include "record_failure.cuh"

namespace heptane
{

namespace
{

/*
   Computes  the LU factors of every block
   Threads   4 to 32 lanes per block, one per row; the pivot row is broadcast through shared memory, and used pivot rows
             stay in their lanes
   Bytes     2 sizeof(Scalar) * b a row
   Order     deterministic: lu_row_step() with the pivots of the host
*/
template <int M, bool PIVOTING>
__global__ void __launch_bounds__(DenseTuning::warp_threads) dense_lu_warp_kernel(DenseBlocks A, DenseFactors F, DenseReport *report)
{
  using Group = Lanes<M>;
  __shared__ alignas(16) Scalar pivot_rows[Group::groups][2][M];
  const Group                   g(A.count);
  const std::size_t             cell = g.cell;
  const int                     b    = A.block;
  const bool                    row  = g.lane < b;
  Scalar                        a[M];
  int                           step = -1; /* step in which this row is the pivot */
  Pivots                        pivots(b);

#pragma unroll
  for (int s = 0; s < M; s++) a[s] = row && s < b ? load_once(A.begin(cell) + g.lane * A.row_step + s * A.column_step) : Scalar(0);
#pragma unroll 1
  for (int k = 0; k < b; k++) {
    const int p = PIVOTING ? lane_of_key(g.largest(row && step < 0 ? pivot_key(a[0], g.lane) : 0)) : k;
    Scalar   *r = pivot_rows[g.group][k % 2];

    if (g.lane == p) {
#pragma unroll
      for (int s = 0; s < M; s++) r[s] = s < M - k ? a[s] : Scalar(0);
      step = k;
    }
    __syncwarp();
    pivots.see(k, r[0]);
    lu_row_step<M>(a, r, step >= 0 || !row, Scalar(1) / r[0]);
  }
#pragma unroll 1
  for (int k = b; k < M; k++) { /* columns beyond the block */
    const Scalar first = a[0];
#pragma unroll
    for (int s = 1; s < M; s++) a[s - 1] = a[s];
    a[M - 1] = first;
  }
  if (g.writes && g.lane == 0) note(pivots, b, cell, report);
  if (!row || !g.writes) return;
  F.pivot[cell * b + step] = g.lane;
#pragma unroll
  for (int s = 0; s < M; s++)
    if (s < b) F.values[s * F.ld + cell * b + step] = a[s];
}

/*
   Computes  the QR factors of every block
   Threads   4 to 32 lanes per block, one per column; the column of a step is broadcast through shared memory, in which
             the factors are assembled
   Bytes     2 sizeof(Scalar) * b a row; Group::room of dynamic shared memory per group
   Order     deterministic: reflect_column() as on the host; the column's norm is summed over the lanes
*/
template <int M>
__global__ void __launch_bounds__(DenseTuning::warp_threads) dense_qr_warp_kernel(DenseBlocks A, DenseFactors F, DenseReport *report)
{
  using Group = Lanes<M>;
  const Group       g(A.count);
  const std::size_t cell = g.cell;
  const int         b    = A.block;
  Scalar            a[M], *columns = g.memory(), *f = columns + 2 * M;
  Pivots            pivots(b);

  g.load_column(A.begin(cell), b, b, A.row_step, A.column_step, f, a);
#pragma unroll 1
  for (int k = 0; k < b; k++) {
    DenseReflection h;
    Scalar          below;
    const Scalar    r = g.qr_step(k, a, columns + k % 2 * M, &h, &below);

    pivots.see(k, h.beta);
    if (g.lane < M) {
      if (g.lane >= k) f[k * Group::step + g.lane] = r;
      if (g.lane > k) f[g.lane * Group::step + k] = below * h.scale;
    }
    if (g.writes && g.lane == 0) F.tau[cell * b + k] = h.tau;
  }
  __syncwarp();
  if (g.writes && g.lane == 0) note(pivots, b, cell, report);
#pragma unroll
  for (int s = 0; s < M; s++)
    if (g.writes && s < b && g.lane < b) F.values[s * F.ld + cell * b + g.lane] = f[g.lane * Group::step + s];
}

template <int M = 4>
void launch(const DenseBlocks &A, bool pivoting, const DenseFactors &F, DenseReport *report, cudaStream_t stream)
{
  if constexpr (M <= dense_warp_block) {
    constexpr int threads = DenseTuning::warp_threads, lanes = Lanes<M>::count, room = Lanes<M>::room;

    if (A.block > M) {
      launch<M + 4>(A, pivoting, F, report, stream);
    } else if (F.method == DenseMethod::qr) {
      const LaunchChoice c = choose_block(LaunchFamily::dense_qr, dense_qr_warp_kernel<M>, A.block, A.count, threads, lanes, room);
      const int          n = c.threads / lanes;
      dense_qr_warp_kernel<M><<<blocks_for(A.count, n), c.threads, n * room + c.unused, stream>>>(A, F, report);
    } else {
      const auto         kernel = pivoting ? dense_lu_warp_kernel<M, true> : dense_lu_warp_kernel<M, false>;
      const LaunchChoice c      = choose_block(LaunchFamily::dense_lu, kernel, A.block, A.count, threads, lanes);
      kernel<<<blocks_for(A.count, c.threads / lanes), c.threads, c.unused, stream>>>(A, F, report);
    }
  }
}

} // namespace

cudaError_t launch_dense_factor_small(const DenseBlocks &A, bool pivoting, const DenseFactors &F, DenseReport *report, cudaStream_t stream)
{
  if (!A.count) return cudaSuccess;
  if (A.block > dense_warp_block) return cudaErrorInvalidValue;
  launch(A, pivoting, F, report, stream);
  return cudaGetLastError();
}

} // namespace heptane

/*
   Least squares with dense blocks: up to 32 rows in the registers of 4 to 32 lanes, one per column; up to 112 rows in
   the registers of a thread block, in two dimensions.
*/
#include "../../device/launch.hpp"
#include "../../device/launch_policy.hpp"
#include "lanes.cuh"
#include "least_squares.hpp"
#include "record_failure.cuh"
#include "tiles.cuh"

namespace heptane
{

namespace
{

/*
   Computes  x = R^-1 (Q^T b) and the remaining entries of Q^T b, which replace b
   Threads   4 to 32 lanes per block, one per column of A and one per row of b
   Bytes     sizeof(Scalar) (n + 2) per row; Group::room of dynamic shared memory per group
   Order     deterministic: reflect_column() as on the host; norms and sums over rows of b are summed over the lanes
*/
template <int M>
__global__ void __launch_bounds__(DenseTuning::warp_threads) dense_least_squares_warp_kernel(DenseSystems A, DenseReport *report)
{
  using Group = Lanes<M>;
  const Group       g(A.count);
  const std::size_t cell = g.cell;
  const int         m = A.rows, n  = A.columns;
  Scalar            a[M], *columns = g.memory(), *f = columns + 2 * M;
  Pivots            pivots(n);

  g.load_column(A.values + cell * m * n, m, n, 1, m, f, a);
  Scalar y = g.lane < m ? A.b[cell * m + g.lane] : Scalar(0);
#pragma unroll 1
  for (int k = 0; k < n; k++) {
    DenseReflection h;
    Scalar          below;
    const Scalar    r  = g.qr_step(k, a, columns + k % 2 * M, &h, &below);
    const Scalar    yk = g.from(y, k), w = h.tau * (yk + h.scale * g.sum(below * y));

    pivots.see(k, h.beta);
    if (g.lane >= k && g.lane < M) f[k * Group::step + g.lane] = r;
    y -= g.lane == k ? w : w * h.scale * below;
  }
  __syncwarp();
  if (g.writes && g.lane == 0 && report) note(pivots, n, cell, report);
#pragma unroll 1
  for (int k = n - 1; k >= 0; k--) {
    const Scalar xk = g.from(y, k) / f[k * Group::step + k];

    if (g.lane == k) y = xk;
    else if (g.lane < k) y -= f[g.lane * Group::step + k] * xk;
  }
  if (g.writes && g.lane < m) A.b[cell * m + g.lane] = y;
}

/*
   Computes  the same
   Threads   one thread block per block; thread (x, y) of 16 x 16 holds R rows x, x + 16, ... of C columns y, y + 16,
             ..., and these rows of b. One barrier per step, also in the solve with R, whose columns are read back
             through shared memory
   Bytes     sizeof(Scalar) (n + 2) per row
   Order     deterministic. Longer than 60 lines: the matrix stays in registers from step to step
*/
template <int R, int C>
__global__ void __launch_bounds__(block_threads) dense_least_squares_block_kernel(DenseSystems A, DenseReport *report)
{
  __shared__ Scalar columns[2][R * side], values[2];
  const int         m = A.rows, n = A.columns, x = threadIdx.x % side, y = threadIdx.x / side;
  const std::size_t cell = blockIdx.x;
  const Scalar     *from = A.values + cell * m * n;
  Scalar            a[R][C], z[R];
  Pivots            pivots(n);

#pragma unroll
  for (int I = 0; I < R; I++) {
    const int i = x + I * side;
    z[I]        = i < m ? A.b[cell * m + i] : Scalar(0);
#pragma unroll
    for (int J = 0; J < C; J++) a[I][J] = i < m && y + J * side < n ? load_once(from + static_cast<std::size_t>(y + J * side) * m + i) : Scalar(0);
  }
#pragma unroll
  for (int K = 0; K < C; K++)
#pragma unroll 1
    for (int q = 0; q < side; q++) {
      const int k = K * side + q;
      if (k >= n) break;
      Scalar *column = columns[q % 2];
      share_column(a, K, q, column);
      __syncthreads();
      Scalar                v[R], dot = 0;
      const DenseReflection h = reflection_of(column, k, m, v);
      pivots.see(k, h.beta);
#pragma unroll
      for (int I = 0; I < R; I++) dot += v[I] * z[I];
      dot = h.tau * side_sum(dot);
#pragma unroll
      for (int I = 0; I < R; I++) z[I] -= dot * v[I];
      reflect_tiles(h.tau, v, k, a);
      if (y == q) {
#pragma unroll
        for (int I = 0; I < R; I++)
          if (x + I * side == k) a[I][K] = h.beta;
      }
    }
  if (threadIdx.x == 0 && report) note(pivots, n, cell, report);
  __syncthreads(); /* a column that is read must not be overwritten */
#pragma unroll
  for (int K = C - 1; K >= 0; K--)
#pragma unroll 1
    for (int q = side - 1; q >= 0; q--) {
      const int k = K * side + q;
      if (k >= n) continue;
      Scalar *column = columns[q % 2];
      share_column(a, K, q, column);
      if (x == q && y == 0) values[q % 2] = z[K]; /* row k = q + K * side */
      __syncthreads();
      const Scalar xk = values[q % 2] / column[k];
#pragma unroll
      for (int I = 0; I < R; I++) {
        const int i = x + I * side;
        if (i == k) z[I] = xk;
        else if (i < k) z[I] -= column[i] * xk;
      }
    }
#pragma unroll
  for (int I = 0; I < R; I++)
    if (y == 0 && x + I * side < m) A.b[cell * m + x + I * side] = z[I];
}

template <int M = 4>
void launch_warp(const DenseSystems &A, DenseReport *report, cudaStream_t stream)
{
  if constexpr (M <= dense_warp_block) {
    constexpr int lanes = Lanes<M>::count, room = Lanes<M>::room;

    if (A.rows > M) launch_warp<M + 4>(A, report, stream);
    else {
      const LaunchChoice c =
        choose_block(LaunchFamily::dense_least_squares, dense_least_squares_warp_kernel<M>, A.rows, A.count, DenseTuning::warp_threads, lanes, room);
      const int n = c.threads / lanes;
      dense_least_squares_warp_kernel<M><<<blocks_for(A.count, n), c.threads, n * room + c.unused, stream>>>(A, report);
    }
  }
}

/* Blocks with at most half as many columns as rows have separate kernels */
template <int R = dense_warp_block / side + 1>
void launch_block(const DenseSystems &A, DenseReport *report, cudaStream_t stream)
{
  if constexpr (R * side <= dense_largest_block) {
    const unsigned blocks = static_cast<unsigned>(A.count);

    if (A.rows > R * side) launch_block<R + 1>(A, report, stream);
    else if (A.columns > (R + 1) / 2 * side) dense_least_squares_block_kernel<R, R><<<blocks, block_threads, 0, stream>>>(A, report);
    else dense_least_squares_block_kernel<R, (R + 1) / 2><<<blocks, block_threads, 0, stream>>>(A, report);
  }
}

} // namespace

cudaError_t launch_dense_least_squares(const DenseSystems &A, DenseReport *report, cudaStream_t stream)
{
  if (!A.count) return cudaSuccess;
  if (A.columns > A.rows || A.rows > dense_largest_block) return cudaErrorInvalidValue;
  if (A.rows <= dense_warp_block) launch_warp(A, report, stream);
  else launch_block(A, report, stream);
  return cudaGetLastError();
}

} // namespace heptane

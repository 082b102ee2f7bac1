/*
   Inverses of dense blocks of 33 to 112 rows: one per thread block, distributed over the registers of its threads in
   two dimensions.
*/
#include "device.hpp"
#include "record_failure.cuh"
#include "tiles.cuh"

namespace heptane
{

namespace
{

/* Permutation of the pivots: the row of each step, and the step of each row */
template <int N>
struct PivotOrder {
  int row[N * side], step[N * side];
};

/*
   Computes  inverse = A^-1, block by block
   Threads   one thread block per block of A; thread (x, y) of 16 x 16 holds N rows x, x + 16, ... of N columns y, y +
             16, .... A step broadcasts the pivot column and the pivot row through shared memory; two barriers per step
   Bytes     2 sizeof(Scalar) * b a row
   Order     deterministic: the sums of row_step() with the pivots of the host. Longer than 60 lines: the matrix stays
             in registers from step to step
*/
template <int N>
__global__ void __launch_bounds__(block_threads) dense_invert_block_kernel(DenseBlocks A, Scalar *inverse, std::size_t ld, DenseReport *report)
{
  __shared__ Scalar columns[2][N * side], rows[2][N * side], scale[N * side];
  __shared__ PivotOrder<N> order;
  const int                b = A.block, x = threadIdx.x % side, y = threadIdx.x / side;
  const std::size_t        cell = blockIdx.x;
  Scalar                   a[N][N];
  unsigned                 used = 0;
  Pivots                   pivots(b);

  load_tiles(A, cell, a);
#pragma unroll
  for (int K = 0; K < N; K++)
#pragma unroll 1
    for (int q = 0; q < side; q++) {
      const int k = K * side + q;
      if (k >= b) break;
      Scalar *column = columns[q % 2], *r = rows[q % 2]; /* `side` is even, so steps alternate */
      share_column(a, K, q, column);
      __syncthreads();
      const int p = find_pivot<N>(column, b, used);
#pragma unroll
      for (int I = 0; I < N; I++)
        if (x + I * side == p) {
#pragma unroll
          for (int J = 0; J < N; J++) r[y + J * side] = a[I][J];
          if (y == q) r[k] = 1;
        }
      if (y == q) {
#pragma unroll
        for (int I = 0; I < N; I++) a[I][K] = x + I * side == p ? 1 : 0; /* the new column, before the row is added */
      }
      if (threadIdx.x == 0) {
        order.row[k]  = p;
        order.step[p] = k;
      }
      __syncthreads();
      const Scalar d = Scalar(1) / column[p];
      pivots.see(k, column[p]);
      if (threadIdx.x == 0) scale[p] = d;
      Scalar rs[N];
#pragma unroll
      for (int J = 0; J < N; J++) rs[J] = r[y + J * side];
#pragma unroll
      for (int I = 0; I < N; I++) {
        const int    i = x + I * side;
        const Scalar m = i == p ? Scalar(0) : -column[i] * d;
#pragma unroll
        for (int J = 0; J < N; J++) a[I][J] += m * rs[J];
      }
    }
  __syncthreads();
  if (threadIdx.x == 0) note(pivots, b, cell, report);
#pragma unroll
  for (int J = 0; J < N; J++)
#pragma unroll
    for (int I = 0; I < N; I++) {
      const int i = x + I * side, s = y + J * side;
      if (i < b && s < b) inverse[order.row[s] * ld + cell * b + order.step[i]] = a[I][J] * scale[i];
    }
}

template <int N = 3>
void launch(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report, cudaStream_t stream)
{
  if constexpr (N * side <= dense_largest_block) {
    if (A.block > N * side) launch<N + 1>(A, inverse, ld, report, stream);
    else dense_invert_block_kernel<N><<<static_cast<unsigned>(A.count), block_threads, 0, stream>>>(A, inverse, ld, report);
  }
}

} // namespace

cudaError_t launch_dense_invert_large(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report, cudaStream_t stream)
{
  if (!A.count) return cudaSuccess;
  if (A.block > dense_largest_block) return cudaErrorInvalidValue;
  launch(A, inverse, ld, report, stream);
  return cudaGetLastError();
}

} // namespace heptane

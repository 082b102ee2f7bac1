/*
   Inverses of dense blocks of 33 to 112 rows: one a thread block, spread over the registers of its threads in two dimensions.
*/
#include "dense_device.hpp"
#include "dense_note.cuh"
#include "dense_tuning.hpp"

namespace heptane
{

namespace
{

constexpr int side = DenseTuning::block_side, threads = side * side;

/* The pivots as the steps of the elimination meet them: which row in a step, in which step a row */
template <int N>
struct PivotOrder {
  int row[N * side], step[N * side];
};

/* Largest key of a column among the rows that no step has used; every warp finds it by itself, its lanes remember which of their rows were used */
template <int N>
__device__ int find_pivot(const Scalar *column, int b, unsigned &used)
{
  const int          lane = threadIdx.x % 32;
  unsigned long long key  = 0;

#pragma unroll
  for (int m = 0; m < (N * side + 31) / 32; m++) {
    const int row = lane + 32 * m;
    if (row < b && !(used >> m & 1u)) key = max(key, pivot_key_long(column[row], row));
  }
#pragma unroll
  for (int k = 16; k > 0; k /= 2) key = max(key, __shfl_xor_sync(~0u, key, k));
  const int p = row_of_key(key);
  if (p % 32 == lane) used |= 1u << p / 32;
  return p;
}

/*
   Computes  inverse = A^-1, block by block
   Threads   a thread block each; thread (x, y) of 16 x 16 holds rows x, x + 16, ... of columns y, y + 16, ..., N of each. A step passes the pivot's column and row through
             shared memory, two barriers
   Bytes     2 sizeof(Scalar) * b a row
   Order     deterministic: the sums of row_step() with the pivots of the host
*/
template <int N>
__global__ void __launch_bounds__(threads) dense_invert_block_kernel(DenseBlocks A, Scalar *inverse, std::size_t ld, DenseReport *report)
{
  __shared__ Scalar columns[2][N * side], rows[2][N * side], scale[N * side];
  __shared__ PivotOrder<N> order;
  const int                b = A.block, x = threadIdx.x % side, y = threadIdx.x / side;
  const std::size_t        cell = blockIdx.x;
  Scalar                   a[N][N];
  unsigned                 used = 0;
  Pivots                   pivots(b);

#pragma unroll
  for (int J = 0; J < N; J++)
#pragma unroll
    for (int I = 0; I < N; I++) {
      const int i = x + I * side, s = y + J * side;
      a[I][J] = i < b && s < b ? A.at(cell, i, s) : Scalar(0);
    }
#pragma unroll
  for (int K = 0; K < N; K++)
#pragma unroll 1
    for (int q = 0; q < side; q++) {
      const int k = K * side + q;
      if (k >= b) break;
      Scalar *column = columns[q % 2], *r = rows[q % 2]; /* side is even: steps take turns */
      if (y == q) {
#pragma unroll
        for (int I = 0; I < N; I++) {
          column[x + I * side] = a[I][K];
          a[I][K]              = 0;
        }
      }
      __syncthreads();
      const int p = find_pivot<N>(column, b, used);
      if (x == p % side) {
#pragma unroll
        for (int I = 0; I < N; I++)
          if (I == p / side) {
#pragma unroll
            for (int J = 0; J < N; J++) {
              if (J == K && y == q) a[I][J] = 1;
              r[y + J * side] = a[I][J];
            }
          }
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
    else dense_invert_block_kernel<N><<<static_cast<unsigned>(A.count), threads, 0, stream>>>(A, inverse, ld, report);
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

/*
   A dense block distributed over the registers of a thread block in two dimensions: thread (x, y) of side x side holds
   N rows x, x + side, ... of N columns y, y + side, ....
*/
#pragma once

#include "gauss_jordan.hpp"
#include "steps.hpp"
#include "tuning.hpp"

namespace heptane
{

constexpr int side = DenseTuning::block_side, block_threads = side * side;

template <int N>
__device__ void load_tiles(const DenseBlocks &A, std::size_t cell, Scalar (&a)[N][N])
{
  const int     b = A.block, x = threadIdx.x % side, y = threadIdx.x / side;
  const Scalar *from = A.begin(cell);

#pragma unroll
  for (int J = 0; J < N; J++)
#pragma unroll
    for (int I = 0; I < N; I++) {
      const int i = x + I * side, s = y + J * side;
      a[I][J] = i < b && s < b ? from[i * A.row_step + s * A.column_step] : Scalar(0);
    }
}

/* column = column q + K * side, readable by all threads after a barrier. K is a constant if the caller's loop is
   unrolled. */
template <int N, int C>
__device__ __forceinline__ void share_column(const Scalar (&a)[N][C], int K, int q, Scalar *column)
{
  if (static_cast<int>(threadIdx.x) / side == q) {
#pragma unroll
    for (int I = 0; I < N; I++) column[threadIdx.x % side + I * side] = a[I][K];
  }
}

/* Sum over the threads of one y, which are neighbours in a warp */
__device__ __forceinline__ Scalar side_sum(Scalar value)
{
#pragma unroll
  for (int m = side / 2; m > 0; m /= 2) value += __shfl_xor_sync(~0u, value, m);
  return value;
}

/* Sum of squares of a column's entries below row k, computed by each warp */
template <int N>
__device__ Scalar squares_below(const Scalar *column, int k, int rows)
{
  Scalar squares = 0;

#pragma unroll
  for (int m = 0; m < (N * side + 31) / 32; m++) {
    const int i = threadIdx.x % 32 + 32 * m;
    if (i > k && i < rows) squares += column[i] * column[i];
  }
#pragma unroll
  for (int m = 16; m > 0; m /= 2) squares += __shfl_xor_sync(~0u, squares, m);
  return squares;
}

/* The reflection of step k for the rows of the thread: v has zeros above row k, 1 there and the scaled column below */
template <int N>
__device__ DenseReflection reflection_of(const Scalar *column, int k, int rows, Scalar (&v)[N])
{
  const DenseReflection h = dense_reflection(column[k], squares_below<N>(column, k, rows));

#pragma unroll
  for (int I = 0; I < N; I++) {
    const int i = threadIdx.x % side + I * side;
    v[I]        = i > k && i < rows ? column[i] * h.scale : Scalar(i == k);
  }
  return h;
}

/* Reflects the columns after k */
template <int N, int C>
__device__ void reflect_tiles(Scalar tau, const Scalar (&v)[N], int k, Scalar (&a)[N][C])
{
#pragma unroll
  for (int J = 0; J < C; J++) {
    Scalar w = 0;
#pragma unroll
    for (int I = 0; I < N; I++) w += v[I] * a[I][J];
    w = side_sum(w);
    w = static_cast<int>(threadIdx.x) / side + J * side > k ? w * tau : Scalar(0);
#pragma unroll
    for (int I = 0; I < N; I++) a[I][J] -= w * v[I];
  }
}

/* Row with the largest key of a column among the unused rows, computed by each warp; lanes record which of their rows
   are used */
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

} // namespace heptane

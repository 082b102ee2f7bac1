/*
   Inverses of many small dense blocks, held in registers: one block a thread to 8 rows, one row a lane to 32. Larger ones: dense_block.cu.
*/
#include "../../device/launch.hpp"
#include "dense_device.hpp"
#include "dense_lanes.cuh"
#include "dense_note.cuh"
#include <cuda_pipeline.h>

namespace heptane
{

namespace
{

/* A tile of blocks in shared memory: column s of all, each block's rows together. Odd distances keep the threads' accesses in different banks. */
template <int B>
struct Tile {
  static constexpr int  cells = DenseTuning::thread_cells<B>, step = B | 1, column = cells * step + 1;
  static __device__ int place(int row, int s) { return s * column + row / B * step + row % B; }
};

/*
   Computes  inverse = A^-1, block by block
   Threads   one a block of A. A tile of blocks is read and written in the order of memory, through shared memory, whichever way A lies
   Bytes     2 sizeof(Scalar) * B a row
   Order     deterministic: gauss_jordan() as on the host
*/
template <int B, bool COLUMNS>
__global__ void __launch_bounds__(DenseTuning::thread_cells<B>) dense_invert_thread_kernel(DenseBlocks A, Scalar *inverse, std::size_t ld, DenseReport *report)
{
  using T = Tile<B>;
  __shared__ Scalar tile[B * T::column];
  const std::size_t first = blockIdx.x * static_cast<std::size_t>(T::cells);
  const int         cells = A.count - first < T::cells ? static_cast<int>(A.count - first) : T::cells;
  const int         rows  = cells * B;
  const int         t     = threadIdx.x;

  if constexpr (COLUMNS) {
    const Scalar *from = A.values + first * B;
#pragma unroll
    for (int s = 0; s < B; s++)
#pragma unroll
      for (int k = 0; k < B; k++) {
        const int row = k * T::cells + t;
        if (row < rows) __pipeline_memcpy_async(tile + T::place(row, s), from + s * A.column_step + row, sizeof(Scalar));
      }
  } else {
    const Scalar *from = A.values + first * B * B;
#pragma unroll
    for (int k = 0; k < B * B; k++) {
      const int e = k * T::cells + t;
      if (e < rows * B) __pipeline_memcpy_async(tile + T::place(e / B, e % B), from + e, sizeof(Scalar));
    }
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  if (t < cells) {
    Scalar   a[B][B];
    unsigned order;

#pragma unroll
    for (int s = 0; s < B; s++)
#pragma unroll
      for (int i = 0; i < B; i++) a[i][s] = tile[T::place(t * B + i, s)];
    const Pivots pivots = gauss_jordan<B>(a, order);
    note(pivots, B, first + t, report);
#pragma unroll
    for (int s = 0; s < B; s++) {
      const int to = (order >> 4 * s) & 15u;
#pragma unroll
      for (int i = 0; i < B; i++) tile[T::place(t * B + i, to)] = a[i][s];
    }
  }
  __syncthreads();
#pragma unroll
  for (int s = 0; s < B; s++)
#pragma unroll
    for (int k = 0; k < B; k++) {
      const int row = k * T::cells + t;
      if (row < rows) inverse[s * ld + first * B + row] = tile[T::place(row, s)];
    }
}

/*
   Computes  inverse = A^-1, block by block
   Threads   16 or 32 lanes a block of A, one a row; the pivot row goes to the others through shared memory
   Bytes     2 sizeof(Scalar) * B a row
   Order     deterministic: row_step() with the pivots of the host
*/
template <int B>
__global__ void __launch_bounds__(DenseTuning::warp_threads) dense_invert_warp_kernel(DenseBlocks A, Scalar *inverse, std::size_t ld, DenseReport *report)
{
  using Group                        = Lanes<B>;
  constexpr int                 ROOM = (B + 1) / 2 * 2;
  __shared__ alignas(16) Scalar pivot_rows[Group::groups][2][ROOM];
  const Group                   g(A.count);
  const bool                    row = g.lane < B;
  Scalar                        a[B], scale = 0;
  int                           step = -1, pivot_of = 0; /* in which step this row is pivot, and which row is pivot in the step of this lane's number */
  Pivots                        pivots(B);

#pragma unroll
  for (int s = 0; s < B; s++) a[s] = row ? load_once(A.values + g.cell * A.cell_step + g.lane * A.row_step + s * A.column_step) : Scalar(0);
#pragma unroll 1
  for (int k = 0; k < B; k++) {
    const int  p   = lane_of_key(g.largest(row && step < 0 ? pivot_key(a[0], g.lane) : 0));
    Scalar    *r   = pivot_rows[g.group][k % 2];
    const bool own = g.lane == p;

    if (own) {
#pragma unroll
      for (int s = 0; s < B; s++) r[s] = a[s];
      step = k;
    }
    if (g.lane == k) pivot_of = p;
    __syncwarp();
    const Scalar d = Scalar(1) / r[0];
    pivots.see(k, r[0]);
    if (own) scale = d;
    row_step<B>(a, r, own, d);
  }
  if (g.writes && g.lane == 0) note(pivots, B, g.cell, report);
#pragma unroll
  for (int s = 0; s < B; s++) {
    const int to = g.from(pivot_of, s);
    if (row && g.writes) inverse[to * ld + g.cell * B + step] = a[s] * scale;
  }
}

template <int B>
void launch_thread(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report, cudaStream_t stream)
{
  constexpr int  cells  = DenseTuning::thread_cells<B>;
  const unsigned blocks = blocks_for(A.count, cells);

  if (A.row_step == 1) dense_invert_thread_kernel<B, true><<<blocks, cells, 0, stream>>>(A, inverse, ld, report);
  else dense_invert_thread_kernel<B, false><<<blocks, cells, 0, stream>>>(A, inverse, ld, report);
}

template <int B>
void launch_warp(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report, cudaStream_t stream)
{
  dense_invert_warp_kernel<B><<<blocks_for(A.count, Lanes<B>::groups), DenseTuning::warp_threads, 0, stream>>>(A, inverse, ld, report);
}

template <int B = 1>
void launch(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report, cudaStream_t stream)
{
  if constexpr (B <= dense_warp_block) {
    if (A.block != B) launch<B + 1>(A, inverse, ld, report, stream);
    else if constexpr (B <= dense_thread_block) launch_thread<B>(A, inverse, ld, report, stream);
    else launch_warp<B>(A, inverse, ld, report, stream);
  }
}

} // namespace

cudaError_t launch_dense_invert(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report, cudaStream_t stream)
{
  if (!A.count) return cudaSuccess;
  if (A.block > dense_warp_block) return launch_dense_invert_large(A, inverse, ld, report, stream);
  launch(A, inverse, ld, report, stream);
  return cudaGetLastError();
}

} // namespace heptane

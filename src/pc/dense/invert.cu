/*
   Inverses of many small dense blocks in registers: one block per thread up to 8 rows, one row per lane up to 32.
   Larger blocks: block.cu.
*/
#include "../../device/launch.hpp"
#include "../../device/launch_policy.hpp"
#include "device.hpp"
#include "lanes.cuh"
#include "record_failure.cuh"
#include "staged.cuh"

namespace heptane
{

namespace
{

/* Storage of the blocks: value columns of all blocks, value columns of each block, or each block row-major */
enum class BlockStorage { columns, blocks, rows };

/*
   Computes  inverse = A^-1, block by block
   Threads   one per block of A. A tile of blocks is read and written in memory order through shared memory, for each
             storage of A; pairs: value columns can be read and written in pairs
   Bytes     2 sizeof(Scalar) * B per row, 8 per block that has an offset
   Order     deterministic: gauss_jordan() as on the host
*/
template <int B, BlockStorage STORAGE>
__global__ void __launch_bounds__(DenseTuning::thread_cells<B>)
  dense_invert_thread_kernel(DenseBlocks A, bool pairs, Scalar *inverse, std::size_t ld, DenseReport *report)
{
  using Tile = StagedTile<B>;
  __shared__ alignas(16) Scalar tile[B * Tile::column];
  const std::size_t             first = blockIdx.x * static_cast<std::size_t>(Tile::cells);
  const unsigned                count = A.count - first < Tile::cells ? static_cast<unsigned>(A.count - first) : Tile::cells;
  const bool                    whole = pairs && count == Tile::cells;

  if constexpr (STORAGE == BlockStorage::columns) Tile::fetch_columns(A.values + first * B, A.column_step, whole, count, tile);
  else if constexpr (STORAGE == BlockStorage::blocks) Tile::fetch_blocks(A.values, A.offset + first, A.column_step, pairs, count, tile);
  else Tile::fetch_rows(A.values + first * B * B, count, tile);
  Tile::arrive();
  if (threadIdx.x < count) {
    Scalar   a[B][B];
    unsigned order;

    Tile::get(tile, a);
    note(gauss_jordan<B, DenseTuning::thread_unroll<B>>(a, order), B, first + threadIdx.x, report);
#pragma unroll
    for (int s = 0; s < B; s++) Tile::put(tile, (order >> 4 * s) & 15u, s, a);
  }
  __syncthreads();
  Tile::write_columns(tile, whole, count, inverse + first * B, ld);
}

/*
   Computes  inverse = A^-1, block by block
   Threads   16 or 32 lanes per block of A, one per row; the pivot row is broadcast through shared memory
   Bytes     2 sizeof(Scalar) * B per row
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
  /* step in which this row is the pivot; row that is the pivot in the step with the number of this lane */
  int           step = -1, pivot_of = 0;
  Pivots        pivots(B);
  const Scalar *from = A.begin(g.cell);

#pragma unroll
  for (int s = 0; s < B; s++) a[s] = row ? load_once(from + g.lane * A.row_step + s * A.column_step) : Scalar(0);
#pragma unroll 1
  for (int k = 0; k < B; k++) {
    const int  p         = lane_of_key(g.largest(row && step < 0 ? pivot_key(a[0], g.lane) : 0));
    Scalar    *r         = pivot_rows[g.group][k % 2];
    const bool pivot_row = g.lane == p;

    if (pivot_row) {
#pragma unroll
      for (int s = 0; s < B; s++) r[s] = a[s];
      step = k;
    }
    if (g.lane == k) pivot_of = p;
    __syncwarp();
    const Scalar d = Scalar(1) / r[0];
    pivots.see(k, r[0]);
    if (pivot_row) scale = d;
    row_step<B>(a, r, pivot_row, d);
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

  const bool pairs = in_pairs(inverse, ld), both = pairs && in_pairs(A.values, A.column_step);

  if (A.offset) dense_invert_thread_kernel<B, BlockStorage::blocks><<<blocks, cells, 0, stream>>>(A, both, inverse, ld, report);
  else if (A.row_step == 1) dense_invert_thread_kernel<B, BlockStorage::columns><<<blocks, cells, 0, stream>>>(A, both, inverse, ld, report);
  else dense_invert_thread_kernel<B, BlockStorage::rows><<<blocks, cells, 0, stream>>>(A, pairs, inverse, ld, report);
}

template <int B>
void launch_warp(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report, cudaStream_t stream)
{
  constexpr int      lanes = Lanes<B>::count;
  const LaunchChoice c     = choose_block(LaunchFamily::dense_inverse, dense_invert_warp_kernel<B>, B, A.count, DenseTuning::warp_threads, lanes);

  dense_invert_warp_kernel<B><<<blocks_for(A.count, c.threads / lanes), c.threads, c.unused, stream>>>(A, inverse, ld, report);
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

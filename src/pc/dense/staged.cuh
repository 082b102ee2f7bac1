/*
   A tile of small blocks staged in shared memory, one block per thread. The tile is read and written in memory order,
   in pairs of neighbouring rows if it is full and aligned. Each thread has one address and constant offsets, without a
   test per entry: such tests took a third of the instructions.
*/
#pragma once

#include "../../device/pack.hpp"
#include "blocks.hpp"
#include "tuning.hpp"
#include <cuda_pipeline.h>

namespace heptane
{

/* Column s of all blocks begins at s * column and holds the rows of the blocks in order; count: blocks in the tile */
template <int B>
struct StagedTile {
  using Pair                      = Pack<2>;
  static constexpr unsigned cells = DenseTuning::thread_cells<B>, rows = cells * B, turns = (B + 1) / 2;
  static constexpr unsigned column  = rows + 2;                         /* against bank conflicts of row-major blocks */
  static constexpr unsigned swizzle = B == 4 || B == 8 ? B / 2 - 1 : 0; /* blocks of these sizes swap pairs, against bank conflicts of neighbouring threads */

  static __device__ unsigned pair(unsigned q) { return 2 * (q ^ (q / 8 & swizzle)); }
  static __device__ unsigned place(unsigned row) { return pair(row / 2) + row % 2; }
  /* Whether pair number k * cells + threadIdx.x belongs to a column */
  static __device__ bool has(unsigned k) { return 2 * (k + 1) <= B || 2 * threadIdx.x < cells; }

  /* Calls move(in memory, in the tile, Pair or Pack<1>) for the entries of value columns that this thread transfers.
     whole: count is cells, and pairs are aligned */
  template <class Memory, class Staged, class Move>
  static __device__ __forceinline__ void each_of_columns(Memory *memory, std::size_t column_step, Staged *tile, bool whole, unsigned count, Move move)
  {
    const unsigned t = threadIdx.x;

    if (whole) {
#pragma unroll
      for (int s = 0; s < B; s++, memory += column_step)
#pragma unroll
        for (unsigned k = 0; k < turns; k++)
          if (has(k)) move(memory + 2 * t + k * 2 * cells, tile + s * column + pair(t) + k * 2 * cells, Pair());
    } else {
#pragma unroll 1
      for (int s = 0; s < B; s++, memory += column_step)
#pragma unroll 1
        for (unsigned row = t; row < count * B; row += cells) move(memory + row, tile + s * column + place(row), Pack<1>());
    }
  }
  static __device__ void fetch_columns(const Scalar *from, std::size_t column_step, bool whole, unsigned count, Scalar *tile)
  {
    each_of_columns(from, column_step, tile, whole, count,
                    [](const Scalar *memory, Scalar *staged, auto pack) { __pipeline_memcpy_async(staged, memory, sizeof(pack)); });
  }
  /* Blocks with value columns of their own: block c of the tile begins at values + offset[c]. pairs: columns of blocks
     of even size are aligned for pairs */
  static __device__ void fetch_blocks(const Scalar *values, const std::int64_t *offset, std::size_t column_step, bool pairs, unsigned count, Scalar *tile)
  {
    if constexpr (B % 2 == 0) {
      if (pairs) {
        fetch_packs<B / 2, Pair>(values, offset, column_step, count, tile);
        return;
      }
    }
    fetch_packs<B, Pack<1>>(values, offset, column_step, count, tile);
  }
  /* N packs V per column of a block */
  template <unsigned N, class V>
  static __device__ __forceinline__ void fetch_packs(const Scalar *values, const std::int64_t *offset, std::size_t column_step, unsigned count, Scalar *tile)
  {
#pragma unroll
    for (unsigned k = 0; k < N; k++) {
      const unsigned q = k * cells + threadIdx.x;

      if (q >= count * N) break;
      const Scalar *from = values + offset[q / N] + q % N * lanes<V>;
      Scalar       *to   = tile + (lanes<V> == 2 ? pair(q) : place(q));
#pragma unroll
      for (int s = 0; s < B; s++) __pipeline_memcpy_async(to + s * column, from + s * column_step, sizeof(V));
    }
  }
  /* Blocks one after another, each row by row */
  static __device__ void fetch_rows(const Scalar *from, unsigned count, Scalar *tile)
  {
    unsigned row = threadIdx.x / B, s = threadIdx.x % B; /* of entry e */

#pragma unroll B
    for (unsigned e = threadIdx.x; e < count * B * B; e += cells) {
      __pipeline_memcpy_async(tile + s * column + place(row), from + e, sizeof(Scalar));
      row += cells / B;
      s += cells % B;
      if (cells % B && s >= B) {
        s -= B;
        row++;
      }
    }
  }
  /* Completes the fetches of all threads */
  static __device__ void arrive()
  {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
  }
  /* The thread's own block */
  static __device__ void get(const Scalar *tile, Scalar (&a)[B][B])
  {
    const unsigned first = threadIdx.x * B;

#pragma unroll
    for (int s = 0; s < B; s++) {
      if constexpr (B % 2 == 0) {
#pragma unroll
        for (int i = 0; i < B; i += 2) {
          const Pair two = load<Pair>(tile + s * column, pair((first + i) / 2));
          a[i][s]        = two.v[0];
          a[i + 1][s]    = two.v[1];
        }
      } else {
#pragma unroll
        for (int i = 0; i < B; i++) a[i][s] = tile[s * column + first + i];
      }
    }
  }
  /* Stores column s of a as column `to` of the thread's block */
  static __device__ void put(Scalar *tile, unsigned to, int s, const Scalar (&a)[B][B])
  {
    const unsigned first = threadIdx.x * B;

    if constexpr (B % 2 == 0) {
#pragma unroll
      for (int i = 0; i < B; i += 2) store(tile + to * column, pair((first + i) / 2), Pair{a[i][s], a[i + 1][s]});
    } else {
#pragma unroll
      for (int i = 0; i < B; i++) tile[to * column + first + i] = a[i][s];
    }
  }
  static __device__ void write_columns(const Scalar *tile, bool whole, unsigned count, Scalar *to, std::size_t column_step)
  {
    each_of_columns(to, column_step, tile, whole, count,
                    [](Scalar *memory, const Scalar *staged, auto pack) { store(memory, 0, load<decltype(pack)>(staged, 0)); });
  }
};

/* Whether value columns that begin at p can be read or written in pairs */
inline bool in_pairs(const Scalar *p, std::size_t column_step)
{
  return aligned_for<2>(p) && column_step % 2 == 0;
}

} // namespace heptane

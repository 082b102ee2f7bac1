/*
   A dense block of up to 32 rows in the registers of neighbouring lanes of a warp.
*/
#pragma once

#include "steps.hpp"
#include "tuning.hpp"

namespace heptane
{

/* The lanes that share a block of up to M rows and columns, one per row or one per column. Groups beyond the last block
   repeat that block without writing, so that every shuffle involves the whole warp. */
template <int M>
struct Lanes {
  static constexpr int count = M <= 4 ? 4 : M <= 8 ? 8 : M <= 16 ? 16 : 32, groups = DenseTuning::warp_threads / count; /* of a block: at most */
  static constexpr int step = M + 1; /* distance of rows in shared memory: odd, against bank conflicts along rows and columns */
  /* Bytes of dynamic shared memory of a kernel that stores a block of step * M and two columns of M */
  static constexpr int room = (M * step + 2 * M) * static_cast<int>(sizeof(Scalar));
  static_assert(room % 16 == 0, "whole packs");

  int         lane = threadIdx.x % count, group = threadIdx.x / count;
  bool        writes;
  std::size_t cell;

  __device__ explicit Lanes(std::size_t cells)
  {
    const std::size_t index = blockIdx.x * static_cast<std::size_t>(blockDim.x / count) + group;

    writes = index < cells;
    cell   = writes ? index : cells - 1;
  }

  /* Shared memory of the group */
  __device__ Scalar *memory() const
  {
    extern __shared__ __align__(16) char lanes_memory[];
    return reinterpret_cast<Scalar *>(lanes_memory + group * room);
  }
  __device__ Scalar from(Scalar value, int other) const { return __shfl_sync(~0u, value, other, count); }
  __device__ int    from(int value, int other) const { return __shfl_sync(~0u, value, other, count); }
  __device__ Scalar sum(Scalar value) const
  {
#pragma unroll
    for (int k = count / 2; k > 0; k /= 2) value += __shfl_xor_sync(~0u, value, k);
    return value;
  }
  __device__ unsigned largest(unsigned key) const
  {
#if __CUDA_ARCH__ >= 800
    constexpr bool whole_warp = count == 32;
#else
    constexpr bool whole_warp = false;
#endif
    if constexpr (whole_warp) {
      return __reduce_max_sync(~0u, key);
    } else {
#pragma unroll
      for (int k = count / 2; k > 0; k /= 2) key = max(key, __shfl_xor_sync(~0u, key, k));
      return key;
    }
  }

  /* Loads the lane's column of a block, zero beyond it. Memory is read in its order: if rows are contiguous, through
     f[M * step] in shared memory */
  __device__ void load_column(const Scalar *from, int rows, int columns, std::size_t row_step, std::size_t column_step, Scalar *f, Scalar (&a)[M]) const
  {
    if (row_step == 1) {
#pragma unroll
      for (int s = 0; s < M; s++)
        if (lane < rows && s < columns) f[lane * step + s] = load_once(from + s * column_step + lane);
      __syncwarp();
#pragma unroll
      for (int i = 0; i < M; i++) a[i] = i < rows && lane < columns ? f[i * step + lane] : Scalar(0);
      __syncwarp();
    } else {
#pragma unroll
      for (int i = 0; i < M; i++) a[i] = i < rows && lane < columns ? load_once(from + i * row_step + lane * column_step) : Scalar(0);
    }
  }

  /* Step k of QR. column[M] in shared memory receives column k from row k on. below: its entry in the row with the
     number of the lane, zero up to row k. Returns the lane's entry of row k of R. */
  __device__ Scalar qr_step(int k, Scalar (&a)[M], Scalar *column, DenseReflection *h, Scalar *below) const
  {
    if (lane == k) {
#pragma unroll
      for (int i = 0; i < M; i++) column[i] = a[i];
    }
    __syncwarp();
    *below             = lane > k && lane < M ? column[lane - k] : Scalar(0);
    *h                 = dense_reflection(column[0], sum(*below * *below));
    const Scalar first = reflect_column<M>(a, column, *h);
    return lane == k ? h->beta : first;
  }
};

} // namespace heptane

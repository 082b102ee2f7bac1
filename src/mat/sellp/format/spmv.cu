/*
   The sliced ELLPACK products on the device.
*/
#include "spmv.hpp"
#include "../../../device/launch.hpp"
#include "../../../device/launch_policy.hpp"
#include "../../../device/processors.hpp"
#include "../../../device/with_block.hpp"
#include "remainder.cuh"
#include <algorithm>
#include <limits>

namespace heptane
{

namespace
{

constexpr int threads = SellpTuning::device_threads;

/*
   Computes  z = A x (+ y)
   Threads   one per row, or per pack V of rows of a cell, in the order of the places, blocks of rows in the order of
             the plan; for the rows put aside a warp per piece. At most the plan's threads
   Bytes     per place of a block sizeof(Scalar) * block^2 and 0, 2 or 4 of index; per row 2 sizeof(Scalar), with y one
             more, sorted 2; 16 per slice; per entry put aside sizeof(Scalar) + 4
   Order     deterministic: each row by one thread in the order of sellp_row(); put aside, lanes and pieces in a fixed
             order
*/
template <int B, SellpMix M, class V, class Remainder>
__global__ void __launch_bounds__(SellpTuning::plan<B, M>.threads, SellpTuning::plan<B, M>.blocks)
  sellp_mult_kernel(const __grid_constant__ SellpSlices A, const __grid_constant__ Remainder remainder, const Scalar *__restrict__ x, const Scalar *y,
                    Scalar *z)
{
  constexpr SellpPlan plan    = SellpTuning::plan<B, M>;
  const int           threads = static_cast<int>(blockDim.x);
  int                 block, blocks;

  if (sellp_remainder_row<plan.order != SellpOrder::all>(remainder, threads, x, y, z, &block, &blocks)) return;
  const int b = block_of<B>(A), rows = A.slice * b / lanes<V>; /* a slice; or packs */
  const int tiles = (A.slices * rows + threads - 1) / threads;
  int       tile = block, end = block + 1, step = 1;
  if (plan.order == SellpOrder::strided) {
    end  = tiles;
    step = blocks;
  } else if (plan.order == SellpOrder::ranges) {
    tile = static_cast<int>(static_cast<std::int64_t>(tiles) * block / blocks);
    end  = static_cast<int>(static_cast<std::int64_t>(tiles) * (block + 1) / blocks);
  }
  for (; tile < end; tile += step) {
    const int at = tile * threads + static_cast<int>(threadIdx.x), slice = at / rows, r = (at - slice * rows) * lanes<V>, place = slice * A.slice + r / b;

    if (place >= A.cells) break;
    const V sum = sellp_row<B, plan.none, plan.narrow, plan.wide, V>(A, x, sellp_head(A, slice), slice, r);
    put_unless_remainder(remainder, A.place ? sellp_cell(A, place) * b + r % b : at * lanes<V>, sum, y, z);
  }
}

/* x of a window's own rows from shared memory, other elements from global memory */
struct WindowX {
  const Scalar *__restrict__ x;
  const Scalar *near;
  unsigned      first, count;

  __device__ __forceinline__ Scalar operator[](std::size_t c) const
  {
    const unsigned d = static_cast<unsigned>(c) - first;
    return d < count ? near[d] : x[c];
  }
};

/*
   Computes  z = A x (+ y), for single rows that are sorted in windows of at most max_shared_window, most of whose
             columns need 32 bits
   Threads   a block per window, each warp 32 places at a time, assigned dynamically; for the rows put aside a warp per
             piece
   Bytes     as sellp_mult_kernel; 2 sizeof(Scalar) of shared memory per row of a window
   Order     as sellp_mult_kernel, independent of the assignment of places
*/
template <class Remainder>
__global__ void __launch_bounds__(SellpTuning::windows_plan.threads, SellpTuning::windows_plan.blocks)
  sellp_mult_windows_kernel(const __grid_constant__ SellpSlices A, const __grid_constant__ Remainder remainder, const Scalar *__restrict__ x, const Scalar *y,
                            Scalar *z)
{
  constexpr SellpPlan plan = SellpTuning::windows_plan;
  extern __shared__ __align__(16) char memory[];
  Scalar                              *sum = reinterpret_cast<Scalar *>(memory), *near = sum + A.window;
  __shared__ int                       next;
  int                                  block, blocks;

  if (sellp_remainder_row(remainder, plan.threads, x, y, z, &block, &blocks)) return;
  const int first = block * A.window, rows = min(A.window, A.cells - first);
  const int lane = threadIdx.x % 32, own = max(min(rows, A.cols - first), 0);
  if (threadIdx.x == 0) next = 0;
  for (int r = threadIdx.x; r < own; r += plan.threads) near[r] = x[first + r];
  __syncthreads();
  const WindowX u = {x, near, static_cast<unsigned>(first), static_cast<unsigned>(own)};
  for (;;) {
    int p = 0;
    if (lane == 0) p = atomicAdd(&next, 32);
    p = __shfl_sync(0xffffffffu, p, 0);
    if (p >= rows) break;
    const int place = first + p + lane, slice = place / A.slice;
    if (p + lane < rows)
      sum[load_once(A.place + place)] = sellp_row<1, plan.none, plan.narrow, plan.wide>(A, u, sellp_head(A, slice), slice, place - slice * A.slice);
  }
  __syncthreads();
  for (int r = threadIdx.x; r < rows; r += plan.threads) put_unless_remainder(remainder, first + r, sum[r], y, z);
}

/*
   Computes  z = A x (+ y), for slices of 64 single rows most of which have no index
   Threads   a warp per slice, each two rows, 32 apart; of the rows put aside a warp per piece
   Bytes     as sellp_mult_kernel
   Order     as sellp_mult_kernel
*/
template <class Remainder>
__global__ void __launch_bounds__(threads, SellpTuning::pair_blocks)
  sellp_mult_pair_kernel(const __grid_constant__ SellpSlices A, const __grid_constant__ Remainder remainder, const Scalar *__restrict__ x, const Scalar *y,
                         Scalar *z)
{
  int block, blocks;

  if (sellp_remainder_row(remainder, threads, x, y, z, &block, &blocks)) return;
  const int slice = static_cast<int>((block * static_cast<std::size_t>(threads) + threadIdx.x) / 32), r = threadIdx.x % 32;
  const int place = slice * A.slice + r, below = place + 32;

  if (slice >= A.slices || place >= A.cells) return;
  const SellpSlice S     = sellp_head(A, slice);
  const int        first = A.place ? sellp_cell(A, place) : place, second = A.place && below < A.cells ? sellp_cell(A, below) : below;
  Scalar           sum0 = 0, sum1 = 0;
  if (sellp_kind(S) == SellpIndex::none) sellp_row_pair<SellpTuning::pair_together>(A, x, S, r, first, second, sum0, sum1);
  else {
    sum0 = sellp_row<1, 1, 1, 1>(A, x, S, slice, r);
    if (below < A.cells) sum1 = sellp_row<1, 1, 1, 1>(A, x, S, slice, r + 32);
  }
  put_unless_remainder(remainder, first, sum0, y, z);
  if (below < A.cells) put_unless_remainder(remainder, second, sum1, y, z);
}

/*
   Computes  z = A^T x (+ y)
   Threads   one per column
   Bytes     per block sizeof(Scalar) * block^2 and 12 of index; the values of a column of a block are contiguous,
             blocks are scattered
   Order     deterministic: each column by one thread in the order of sellp_transposed_row()
*/
template <int B>
__global__ void __launch_bounds__(threads)
  sellp_mult_transpose_kernel(const __grid_constant__ SellpSlices A, const SellpColumns T, const Scalar *__restrict__ x, const Scalar *y, Scalar *z)
{
  const int col = blockIdx.x * threads + threadIdx.x;

  if (col >= A.cols) return;
  const Scalar sum = sellp_transposed_row<B>(A, T, x, col);
  z[col]           = y ? y[col] + sum : sum;
}

/*
   Computes  d = diagonal of A; without the rows put aside
   Threads   one per row, in the order of the places
   Bytes     the index of the row's blocks up to the diagonal, 2 sizeof(Scalar)
   Order     none
*/
__global__ void __launch_bounds__(threads) sellp_diagonal_kernel(const __grid_constant__ SellpSlices A, Scalar *d)
{
  const int rows = A.slice * A.block, at = blockIdx.x * threads + threadIdx.x, slice = at / rows, r = at - slice * rows, place = slice * A.slice + r / A.block;

  if (place >= A.cells) return;
  const int cell = sellp_cell(A, place);

  d[static_cast<std::size_t>(cell) * A.block + r % A.block] = sellp_diagonal(A, slice, r, cell);
}

/*
   Computes  sellp_gather_row() of every row
   Threads   one per row, in the order of the places
   Bytes     the index of the row's blocks, 2 sizeof(Scalar) per entry of a diagonal block
   Order     the places of a row descending, a row by one thread
*/
__global__ void __launch_bounds__(threads) sellp_gather_kernel(const __grid_constant__ SellpSlices A, int b, std::size_t ld, Scalar *d)
{
  const int rows = A.slice * A.block, at = blockIdx.x * threads + threadIdx.x, slice = at / rows, r = at - slice * rows;

  if (slice * A.slice + r / A.block < A.cells) sellp_gather_row(A, slice, r, b, ld, d);
}

unsigned blocks_of(const SellpSlices &A)
{
  return blocks_for(static_cast<std::size_t>(A.slices) * A.slice * A.block, threads);
}

template <int B, SellpMix M, class V, class Remainder>
cudaError_t mult_in(const SellpSlices &A, const Remainder &remainder, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream)
{
  constexpr SellpPlan plan = SellpTuning::plan<B, M>;
  LaunchQuestion      q;

  if (plan.order != SellpOrder::all) {
    int               n   = 0;
    const cudaError_t err = processors(&n);
    if (err != cudaSuccess) return err;
    q.grid = plan.blocks * n;
  }
  q.family                  = LaunchFamily::sellp_product;
  q.kernel                  = reinterpret_cast<const void *>(sellp_mult_kernel<B, M, V, Remainder>);
  q.size                    = A.block;
  q.items                   = static_cast<std::size_t>(A.slices) * A.slice * A.block;
  q.width                   = lanes<V>;
  q.threads                 = plan.threads;
  q.unit                    = 32;
  q.room                    = std::numeric_limits<unsigned>::max();
  const LaunchChoice c      = choose_launch(q);
  unsigned           blocks = blocks_for(q.items / lanes<V>, c.threads);

  if (q.grid) blocks = std::min(blocks, c.grid);
  sellp_mult_kernel<B, M, V, Remainder><<<blocks + sellp_remainder_blocks(remainder, c.threads), c.threads, c.unused, stream>>>(A, remainder, x, y, z);
  return cudaGetLastError();
}

template <int B, SellpMix M, class Remainder>
cudaError_t mult_planned(const SellpSlices &A, const Remainder &remainder, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream)
{
  constexpr int rows = SellpTuning::plan<B, M>.rows;

  if constexpr (rows > 1)
    if (aligned_for<rows>(A.values, x, y, z)) return mult_in<B, M, Pack<rows>>(A, remainder, x, y, z, stream);
  return mult_in<B, M, Scalar>(A, remainder, x, y, z, stream);
}

template <int B, class Remainder>
cudaError_t mult(const SellpSlices &A, SellpMix mix, const Remainder &remainder, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream)
{
  if constexpr (B == 1) {
    if (A.slice == 64 && mix == SellpMix::short_none && A.rows >= SellpTuning::pair_rows) {
      const unsigned blocks = blocks_for(static_cast<std::size_t>(A.slices) * 32, threads) + sellp_remainder_blocks(remainder, threads);
      sellp_mult_pair_kernel<Remainder><<<blocks, threads, 0, stream>>>(A, remainder, x, y, z);
      return cudaGetLastError();
    }
  }
  if constexpr (SellpTuning::plan_for_none<B>) {
    if (mix == SellpMix::none || mix == SellpMix::short_none) return mult_planned<B, SellpMix::none>(A, remainder, x, y, z, stream);
  }
  if constexpr (B == 1) {
    if (mix == SellpMix::narrow && A.rows >= SellpTuning::wave_rows) return mult_planned<B, SellpMix::narrow>(A, remainder, x, y, z, stream);
    if (mix == SellpMix::wide && A.place && A.window <= SellpTuning::max_shared_window && A.rows >= SellpTuning::wave_rows) {
      constexpr int  block_threads = SellpTuning::windows_plan.threads;
      const unsigned blocks        = blocks_for(A.cells, A.window) + sellp_remainder_blocks(remainder, block_threads);
      sellp_mult_windows_kernel<Remainder><<<blocks, block_threads, 2 * sizeof(Scalar) * A.window, stream>>>(A, remainder, x, y, z);
      return cudaGetLastError();
    }
    if (mix == SellpMix::wide) return mult_planned<B, SellpMix::wide>(A, remainder, x, y, z, stream);
  }
  return mult_planned<B, SellpMix::both>(A, remainder, x, y, z, stream);
}

} // namespace

cudaError_t launch_sellp_mult(const SellpSlices &A, SellpMix mix, const SellpRemainder &remainder, const Scalar *x, const Scalar *y, Scalar *z,
                              cudaStream_t stream)
{
  const auto with = [&](const auto &these) { return with_block(A.block, [&](auto B) { return mult<B()>(A, mix, these, x, y, z, stream); }); };

  if (!A.slices) return cudaSuccess;
  return remainder.mask ? with(remainder) : with(SellpNoRemainder());
}

cudaError_t launch_sellp_mult_transpose(const SellpSlices &A, const SellpColumns &T, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream)
{
  if (!A.cols) return cudaSuccess;
  with_block(A.block, [&](auto B) { sellp_mult_transpose_kernel<B()><<<blocks_for(A.cols, threads), threads, 0, stream>>>(A, T, x, y, z); });
  return cudaGetLastError();
}

cudaError_t launch_sellp_diagonal(const SellpSlices &A, Scalar *d, cudaStream_t stream)
{
  if (!A.slices) return cudaSuccess;
  sellp_diagonal_kernel<<<blocks_of(A), threads, 0, stream>>>(A, d);
  return cudaGetLastError();
}

cudaError_t launch_sellp_gather_blocks(const SellpSlices &A, int b, std::size_t ld, Scalar *d, cudaStream_t stream)
{
  if (!A.slices) return cudaSuccess;
  sellp_gather_kernel<<<blocks_of(A), threads, 0, stream>>>(A, b, ld, d);
  return cudaGetLastError();
}

} // namespace heptane

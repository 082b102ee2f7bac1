/*
   Copies between processes of a divided hierarchy, and barriers, on the device: kernels around copies.hpp and
   barrier.hpp.
*/
#include "../../../device/chained_launch.cuh"
#include "../../../device/launch.hpp"
#include "../grid/tuning.hpp"
#include "copies.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

constexpr int threads = GridTuning::threads;

/* Threads along the pieces, as many as a piece fills, then pieces, then copies; a thread loops if there are more
   pieces */
struct Shape {
  dim3 blocks, block;

  Shape(std::size_t width, std::size_t lines, unsigned copies = 1)
  {
    unsigned x = 1;

    while (x < static_cast<unsigned>(threads) && x < width) x *= 2;
    block            = dim3(x, threads / x);
    const unsigned a = blocks_for(width, static_cast<int>(x)), most = std::max(1u, GridTuning::copy_blocks / (a * copies));
    blocks = dim3(a, std::max(1u, std::min(blocks_for(lines, static_cast<int>(block.y)), most)), copies);
  }
  template <class T>
  static Shape Of(const GridCopies<T> &copies)
  {
    std::size_t width = 1, lines = 1;

    for (int q = 0; q < copies.count; q++) {
      width = std::max(width, copies.copy[q].width);
      lines = std::max(lines, copies.copy[q].lines());
    }
    return Shape(width, lines, static_cast<unsigned>(std::max(1, copies.count)));
  }
};

/* f(line, e) for the numbers of this thread, of `lines` pieces */
template <class F>
__device__ __forceinline__ void for_pieces(std::size_t width, std::size_t lines, F f)
{
  const std::size_t e = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;

  for (std::size_t line = blockIdx.y * blockDim.y + threadIdx.y; line < lines; line += gridDim.y * blockDim.y)
    if (e < width) f(line, e);
}

template <class T>
__device__ __forceinline__ void copy_pieces(const GridCopies<T> &copies)
{
  const GridCopy<T> &copy = copies.copy[blockIdx.z];

  if (static_cast<int>(blockIdx.z) < copies.count) for_pieces(copy.width, copy.lines(), [&](std::size_t line, std::size_t e) { copy.move(line, e); });
}

/* Of a block */
__device__ __forceinline__ int thread_number()
{
  return static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
}

/* Called by all threads. Returns whether all other blocks have done their work before this call; their stores are then
   visible, also on other devices */
__device__ __forceinline__ bool is_last_block(unsigned *arrived)
{
  __shared__ bool last;

  __syncthreads();
  if (thread_number() == 0) {
    __threadfence_system();
    last = atomicAdd(arrived, 1u) == gridDim.x * gridDim.y * gridDim.z - 1;
    __threadfence_system();
    if (last) *arrived = 0;
  }
  __syncthreads();
  return last;
}

/* By all threads of one block */
__device__ __forceinline__ void barrier(const GridBarrier &M, int group, int count)
{
  const int           other = thread_number();
  const std::uint64_t epoch = peer_counter(M.epoch + group) + 1;

  if (other < count && other != M.rank) {
    __threadfence_system();
    (void)grid_barrier(M, group, epoch, other);
    __threadfence_system();
  }
  __syncthreads();
  if (other == 0) M.epoch[group] = epoch;
}

/*
   Computes  copies of pieces of lines
   Threads   one per number of a piece
   Bytes     2 sizeof(T) per number, of which one may be in the memory of another GPU
   Order     none
*/
template <class T>
__global__ void __launch_bounds__(threads) grid_copy_kernel(const __grid_constant__ GridCopies<T> copies)
{
  wait_for_predecessor();
  copy_pieces(copies);
}

/* early: the next kernel may begin. Not if processes share a GPU: while this kernel is waiting, its successors, each
   begun early by its predecessor, could occupy all kernel slots of the GPU (128), which the other process needs. */
__device__ __forceinline__ void begin_barrier(bool early)
{
  if (early) let_successor_begin();
  await_predecessor();
}

/*
   Computes  the same, then a barrier of the processes
   Threads   one per number of a piece; for the barrier one per process, of the block that ends last
   Bytes     2 sizeof(T) per number, a word to each other process
   Order     earlier stores on this stream are visible to work that other processes queue after the barrier
*/
template <class T>
__global__ void __launch_bounds__(threads)
  grid_copy_and_barrier_kernel(const __grid_constant__ GridCopies<T> copies, const __grid_constant__ GridBarrier M, int group, int count, bool early)
{
  begin_barrier(early);
  copy_pieces(copies);
  if (is_last_block(M.arrived)) barrier(M, group, count);
}

/*
   Computes  copies, then the sums over all processes
   Threads   one per number of a piece; for the sums one per sum and process, of the block that ends last
   Bytes     2 sizeof(T) per number, a word per sum to each process
   Order     deterministic: sums in the order of the processes. Copies are visible to work that other processes queue
             after their part.
*/
template <class T>
__global__ void __launch_bounds__(threads)
  grid_copy_and_sum_kernel(const __grid_constant__ GridCopies<T> copies, const __grid_constant__ GridRankSums shared, unsigned *arrived, bool early)
{
  constexpr int     most = PeerSums::most_ranks;
  __shared__ double part[GridRankSums::most * most];
  const int         t = thread_number(), k = t / most, r = t % most;
  bool              takes_part = false;
  PeerSlots         slots;

  begin_barrier(early);
  copy_pieces(copies);
  if (!is_last_block(arrived)) return;
  const PeerSums &P = *shared.peers;
  if (k < shared.count && r < P.ranks) {
    takes_part = true;
    slots      = peer_slots(P, shared.first + k, r);
    __threadfence_system();
    peer_publish_to(slots, static_cast<double>(load_here(shared.at + shared.first + k)));
  }
  __syncthreads();
  if (takes_part && r == 0) peer_published(P, shared.first + k, slots.epoch);
  if (takes_part) part[t] = peer_part(P.limit, slots);
  __threadfence_system();
  __syncthreads();
  if (takes_part && r == 0) {
    double total = part[t];

    for (int q = 1; q < P.ranks; q++) total += part[t + q];
    shared.at[shared.first + k] = static_cast<Scalar>(total);
  }
}

/*
   Computes  values of the matrix in the numbering of a box
   Threads   one per scalar row of a diagonal's entry
   Bytes     14 block sizeof(Scalar) per row, half of them possibly in the memory of another GPU; `between` in host
             memory
   Order     none
*/
__global__ void __launch_bounds__(threads) grid_values_kernel(const __grid_constant__ GridValueCopy copy)
{
  for_pieces(copy.common.width, copy.lines(), [&](std::size_t line, std::size_t e) { copy.move(static_cast<int>(blockIdx.z), line, e); });
}

/*
   Computes  a barrier of processes
   Threads   one per process, of one block
   Bytes     a word to each other process
   Order     earlier stores on this stream are visible to work that other processes queue after the barrier
*/
__global__ void __launch_bounds__(GridBarrier::most) grid_barrier_kernel(const __grid_constant__ GridBarrier M, int group, int count)
{
  barrier(M, group, count);
}

/*
   Computes  the values of the boxes in the rows of this process; NaN after a failed barrier
   Threads   one per number of a piece
   Bytes     2 sizeof(Scalar) per row, after CG without red columns 4 or 5; half of the reads may be from the memory of
             other GPUs
   Order     none
*/
__global__ void __launch_bounds__(threads) grid_results_kernel(const __grid_constant__ GridResults given, const __grid_constant__ GridBarrier M, int *host)
{
  const int               q      = static_cast<int>(blockIdx.z);
  const GridCopy<Scalar> &copy   = given.x.copy[q];
  const bool              failed = peer_failed(M.limit);

  if (failed && thread_number() == 0) peer_raise(host);
  for_pieces(copy.width, copy.lines(), [&](std::size_t line, std::size_t e) { given.move(q, line, e, failed); });
}

} // namespace

template <class T>
cudaError_t launch_grid_copy(const GridCopies<T> &copies, bool early, cudaStream_t stream)
{
  if (!copies.count) return cudaSuccess;
  const Shape over = Shape::Of(copies);
  return launch_chained(grid_copy_kernel<T>, over.blocks, over.block, stream, early, copies);
}

template <class T>
cudaError_t launch_grid_copy_and_barrier(const GridCopies<T> &copies, const GridBarrier &M, int group, int count, bool early, cudaStream_t stream)
{
  const Shape over = Shape::Of(copies);

  return launch_chained(grid_copy_and_barrier_kernel<T>, over.blocks, over.block, stream, early, copies, M, group, count, early);
}

template <class T>
cudaError_t launch_grid_copy_and_sum(const GridCopies<T> &copies, const GridBarrier &M, const GridRankSums &sums, bool early, cudaStream_t stream)
{
  const Shape over = Shape::Of(copies);

  return launch_chained(grid_copy_and_sum_kernel<T>, over.blocks, over.block, stream, early, copies, sums, M.arrived, early);
}

cudaError_t launch_grid_values(const GridValueCopy &copy, cudaStream_t stream)
{
  if (!copy.lines()) return cudaSuccess;
  const Shape over(copy.common.width, copy.lines(), static_cast<unsigned>(7 * copy.block));
  grid_values_kernel<<<over.blocks, over.block, 0, stream>>>(copy);
  return cudaGetLastError();
}

cudaError_t launch_grid_barrier(const GridBarrier &M, int group, int count, cudaStream_t stream)
{
  grid_barrier_kernel<<<1, GridBarrier::most, 0, stream>>>(M, group, count);
  return cudaGetLastError();
}

cudaError_t launch_grid_results(const GridResults &given, const GridBarrier &M, int *host, cudaStream_t stream)
{
  const Shape over = Shape::Of(given.x);

  grid_results_kernel<<<over.blocks, over.block, 0, stream>>>(given, M, host);
  return cudaGetLastError();
}

#define HEPTANE_GRID_COPIES(T) \
  template cudaError_t launch_grid_copy<T>(const GridCopies<T> &, bool, cudaStream_t); \
  template cudaError_t launch_grid_copy_and_barrier<T>(const GridCopies<T> &, const GridBarrier &, int, int, bool, cudaStream_t); \
  template cudaError_t launch_grid_copy_and_sum<T>(const GridCopies<T> &, const GridBarrier &, const GridRankSums &, bool, cudaStream_t);
HEPTANE_GRID_COPIES(float)
HEPTANE_GRID_COPIES(double)
#undef HEPTANE_GRID_COPIES

} // namespace heptane

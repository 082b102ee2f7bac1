/*
   Copies between processes of a divided hierarchy, and where they meet, on the device: kernels around gridmg_copies.hpp and gridmg_meeting.hpp.
*/
#include "../../device/launch.hpp"
#include "gridmg_copies.hpp"
#include "gridmg_tuning.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

constexpr int threads = GridTuning::threads;

/* Threads along the pieces, as many as a piece fills, then pieces; grid.y goes on where there are more */
struct Shape {
  dim3 blocks, block;

  Shape(std::size_t width, std::size_t lines)
  {
    unsigned x = 1;

    while (x < static_cast<unsigned>(threads) && x < width) x *= 2;
    block  = dim3(x, threads / x);
    blocks = dim3(blocks_for(width, static_cast<int>(x)), static_cast<unsigned>(std::min<std::size_t>((lines + block.y - 1) / block.y, 65535)));
  }
};

/*
   Computes  a copy of pieces of lines
   Threads   one per number
   Bytes     2 sizeof(T) per number, of which one may be in the memory of another GPU
   Order     none
*/
template <class T>
__global__ void __launch_bounds__(threads) grid_copy_kernel(const __grid_constant__ GridCopy<T> copy, std::size_t lines)
{
  const std::size_t e = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;

  for (std::size_t line = blockIdx.y * blockDim.y + threadIdx.y; line < lines; line += gridDim.y * blockDim.y)
    if (e < copy.width) copy.move(line, e);
}

/*
   Computes  values of the matrix in the numbering of a box
   Threads   one per scalar row of a diagonal's entry
   Bytes     14 block sizeof(Scalar) per row, half of them perhaps in the memory of another GPU; `between` in that of the host
   Order     none
*/
__global__ void __launch_bounds__(threads) grid_values_kernel(const __grid_constant__ GridValueCopy copy)
{
  const std::size_t e = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;

  for (std::size_t line = blockIdx.y * blockDim.y + threadIdx.y; line < copy.common.height; line += gridDim.y * blockDim.y)
    if (e < copy.common.width) copy.move(static_cast<int>(blockIdx.z), line, e);
}

/*
   Computes  a meeting of processes
   Threads   one per process, of one block
   Bytes     a word to each other process
   Order     all that was stored before on this stream is seen by what others queue behind their part
*/
__global__ void __launch_bounds__(GridMeeting::most) grid_meet_kernel(const __grid_constant__ GridMeeting M, int group, int count, std::uint64_t epoch)
{
  const int other = static_cast<int>(threadIdx.x);

  __threadfence_system();
  if (other < count && other != M.rank) (void)grid_meet(M, group, epoch, other);
  __threadfence_system();
}

/*
   Computes  nothing, as long as no meeting has failed; else y without numbers
   Threads   few, as often as it takes
   Bytes     4 per thread; then sizeof(Scalar) per row
   Order     none
*/
__global__ void __launch_bounds__(threads) grid_spoil_kernel(const __grid_constant__ GridMeeting M, int *host, Scalar *y, std::size_t n)
{
  if (!peer_failed(M.limit)) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) peer_raise(host);
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x; i < n; i += gridDim.x * static_cast<std::size_t>(threads))
    y[i] = static_cast<Scalar>(peer_nothing());
}

} // namespace

template <class T>
cudaError_t launch_grid_copy(const GridCopy<T> &copy, cudaStream_t stream)
{
  if (!copy.lines()) return cudaSuccess;
  const Shape over(copy.width, copy.lines());
  grid_copy_kernel<T><<<over.blocks, over.block, 0, stream>>>(copy, copy.lines());
  return cudaGetLastError();
}

cudaError_t launch_grid_values(const GridValueCopy &copy, cudaStream_t stream)
{
  if (!copy.common.width || !copy.common.height) return cudaSuccess;
  const Shape over(copy.common.width, copy.common.height);
  grid_values_kernel<<<dim3(over.blocks.x, over.blocks.y, static_cast<unsigned>(7 * copy.block)), over.block, 0, stream>>>(copy);
  return cudaGetLastError();
}

cudaError_t launch_grid_meet(const GridMeeting &M, int group, int count, std::uint64_t epoch, cudaStream_t stream)
{
  grid_meet_kernel<<<1, GridMeeting::most, 0, stream>>>(M, group, count, epoch);
  return cudaGetLastError();
}

cudaError_t launch_grid_spoil(const GridMeeting &M, int *host, Scalar *y, std::size_t n, cudaStream_t stream)
{
  constexpr unsigned most = 64;

  grid_spoil_kernel<<<std::max(1u, std::min(blocks_for(n, threads), most)), threads, 0, stream>>>(M, host, y, n);
  return cudaGetLastError();
}

template cudaError_t launch_grid_copy<float>(const GridCopy<float> &, cudaStream_t);
template cudaError_t launch_grid_copy<double>(const GridCopy<double> &, cudaStream_t);

} // namespace heptane

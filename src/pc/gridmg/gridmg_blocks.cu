/*
   Lines of several unknowns per cell on the device: the kernel around gridmg_block_lines.cuh.
*/
#include "../../device/chained_launch.cuh"
#include "../../device/launch.hpp"
#include "gridmg_block_lines.cuh"
#include "gridmg_device.hpp"
#include "gridmg_launch.cuh"

namespace heptane
{

namespace
{

/*
   Computes  the lines of a colour solved, several unknowns per cell
   Threads   a block has GridTuning::block_columns columns times the chunks of a line, at most GridBlockShape::threads
   Bytes     per cell of the colour (7 B^2 + 2 B) sizeof(Real) and four neighbours, which neighbouring threads share; from zero (3 B^2 + 2 B) sizeof(Real); Packed: 2 B^2 sizeof(Real) fewer if not
             from zero
   Order     deterministic: along the chunks, from chunk to chunk
*/
template <int B, class Real, class Packed>
__global__ void __launch_bounds__((GridBlockShape<B, Real>::threads), (sizeof(Real) > 4 ? 1 : 2))
  grid_block_lines_kernel(const __grid_constant__ GridLevel<Real> L, const __grid_constant__ GridLevel<Real> C, const __grid_constant__ GridStep s)
{
  __shared__ GridBlockScan<B, Real> scan;
  const bool                        many = has_many_blocks();

  if (!many) let_successor_begin();
  grid_solve_block_lines<B, Real>(
    L, C, s, blockIdx.x * static_cast<std::size_t>(GridTuning::block_columns), scan, [] { await_predecessor(); },
    [&] {
      if (many) let_successor_begin();
    },
    Packed());
}

} // namespace

template <class Real>
cudaError_t launch_grid_block_lines(const GridSystem<Real> &S, const GridStep &s, cudaStream_t stream)
{
  const GridLevel<Real> &L = S.levels[s.level], &C = S.levels[s.correct ? s.level + 1 : s.level];
  const unsigned         blocks = blocks_for(L.columns, GridTuning::block_columns);
  cudaError_t            err    = cudaErrorNotSupported;

  with_unknowns(S.B, [&](auto b) {
    if constexpr (b() > 1) {
      const int threads = GridBlockShape<b(), Real>::block(L.K);

      with_packed(L, b, [&](auto packed) {
        err = launch_chained(grid_block_lines_kernel<b(), Real, decltype(packed)>, blocks, threads, stream, blocks <= GridTuning::early_blocks, L, C, s);
      });
    }
  });
  return err;
}

template cudaError_t launch_grid_block_lines<float>(const GridSystem<float> &, const GridStep &, cudaStream_t);
template cudaError_t launch_grid_block_lines<double>(const GridSystem<double> &, const GridStep &, cudaStream_t);

} // namespace heptane

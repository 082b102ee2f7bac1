/*
   Lines of several unknowns per cell on the device: the kernel around block_lines.cuh.
*/
#include "../../../device/chained_launch.cuh"
#include "../../../device/launch.hpp"
#include "block_lines.cuh"
#include "dense.cuh"
#include "device.hpp"
#include "launch.cuh"

namespace heptane
{

namespace
{

/*
   Computes  the lines of a colour solved, several unknowns per cell
   Threads   a block has GridTuning::block_columns columns times the chunks of a line, at most GridBlockShape::threads;
             with WELLS the blocks from `regular` on solve lines with an inverse, some rows per warp
   Bytes     per cell of the colour (7 B^2 + 2 B) sizeof(Real) and four neighbours, which neighbouring threads share;
             from zero (3 B^2 + 2 B) sizeof(Real); Packed: 2 B^2 sizeof(Real) fewer if not from zero; inverses (K B)^2
             sizeof(Real) each
   Order     deterministic: along the chunks, from chunk to chunk; rows of an inverse by lanes, then a fixed tree
*/
template <int B, class Real, class Packed, bool WELLS>
__global__ void __launch_bounds__((GridBlockShape<B, Real>::threads), (sizeof(Real) > 4 ? 1 : 2))
  grid_block_lines_kernel(const __grid_constant__ GridLevel<Real> L, const __grid_constant__ GridLevel<Real> C, const __grid_constant__ GridStep s,
                          const __grid_constant__ GridDense<Real> D, unsigned regular)
{
  __shared__ GridBlockScan<B, Real> scan;
  const bool                        many  = has_many_blocks();
  const auto                        ready = [] { await_predecessor(); };
  const auto                        done  = [&] {
    if (many) let_successor_begin();
  };

  static_assert(sizeof(scan) >= GridTuning::dense_rows * sizeof(Real), "the rows of a line with an inverse lie there");
  if (!many) let_successor_begin();
  if constexpr (WELLS)
    if (blockIdx.x >= regular) {
      grid_solve_dense_lines<B>(
        L, C, D, GridStoredRows(), s, blockIdx.x - regular, static_cast<int>(blockDim.x), reinterpret_cast<Real *>(&scan),
        [](Real part) { return sum_of_warp(part); }, ready, done, Packed());
      return;
    }
  grid_solve_block_lines<B, Real>(L, C, s, blockIdx.x * static_cast<std::size_t>(GridTuning::block_columns), scan, ready, done, Packed(),
                                  WELLS ? D.line : nullptr);
}

} // namespace

template <class Real>
cudaError_t launch_grid_block_lines(const GridSystem<Real> &S, const GridStep &s, cudaStream_t stream)
{
  const GridLevel<Real> &L = S.levels[s.level], &C = S.levels[s.correct ? s.level + 1 : s.level];
  const GridDense<Real>  D       = S.Dense(static_cast<std::size_t>(s.level));
  const unsigned         regular = blocks_for(L.columns, GridTuning::block_columns), lines = static_cast<unsigned>(D.last(s.colour) - D.first(s.colour));
  cudaError_t            err = cudaErrorNotSupported;

  with_unknowns(S.B, [&](auto b) {
    if constexpr (b() > 1) {
      /* lines with an inverse require whole warps */
      const int      of_lines = GridBlockShape<b(), Real>::block(L.K), threads = lines ? (of_lines + 31) / 32 * 32 : of_lines;
      const unsigned blocks = regular + lines * (lines ? grid_dense_shares(D.n, threads) : 0);

      with_packed(L, b, [&](auto packed) {
        const auto with = [&](auto wells) {
          return launch_chained(grid_block_lines_kernel<b(), Real, decltype(packed), wells()>, blocks, threads, stream, blocks <= GridTuning::early_blocks, L,
                                C, s, D, regular);
        };

        err = lines ? with(std::true_type()) : with(std::false_type());
      });
    }
  });
  return err;
}

template cudaError_t launch_grid_block_lines<float>(const GridSystem<float> &, const GridStep &, cudaStream_t);
template cudaError_t launch_grid_block_lines<double>(const GridSystem<double> &, const GridStep &, cudaStream_t);

} // namespace heptane

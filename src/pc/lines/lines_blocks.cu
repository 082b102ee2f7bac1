/*
   Lines of several unknowns per cell as a preconditioner on the device.
*/
#include "lines_blocks.cuh"

namespace heptane
{

namespace
{

/*
   Computes  z = M^-1 r, several unknowns per cell
   Threads   a block has GridTuning::block_columns columns of a colour times the chunks of a line; the first half of the blocks has the first colour
   Bytes     per cell 3 B^2 sizeof(Real) + 2 B sizeof(Scalar)
   Order     deterministic: along the chunks, from chunk to chunk
*/
template <int B, class Real>
__global__ void __launch_bounds__((GridBlockShape<B, Scalar>::threads), (B < 4 ? 2 : 1))
  lines_blocks_kernel(const __grid_constant__ LinesSystem<Real> S, const Scalar *r, Scalar *z)
{
  __shared__ GridBlockScan<B, Scalar> scan;
  const unsigned                      half   = gridDim.x / 2;
  const int                           colour = blockIdx.x >= half, columns = GridTuning::block_columns;
  const std::size_t                   first = static_cast<std::size_t>(blockIdx.x - (colour ? half : 0)) * columns;
  const std::size_t own = first + threadIdx.x % columns, column = own < S.L.columns ? own : 0, along = S.places.along(), component = S.places.component();
  int               j, i;
  const std::size_t at = S.places.locate(S.L, colour, column, j, i) ? S.places.first(S.L, colour, column) : 0;

  lines_solve_blocks<B>(
    S.L, S.line, colour, first, scan,
    [] {
      wait_for_predecessor();
      return true;
    },
    [&](const GridBlockChunk<B, Scalar> &, int k, std::size_t, Scalar(&b)[B]) {
      HEPTANE_UNROLL
      for (int p = 0; p < B; p++) b[p] = r[at + along * k + component * p];
    },
    [&](const GridBlockChunk<B, Scalar> &, int k, const Scalar(&x)[B]) {
      HEPTANE_UNROLL
      for (int p = 0; p < B; p++) z[at + along * k + component * p] = S.scale * x[p];
    });
}

} // namespace

template <class Real>
cudaError_t launch_lines_blocks(const LinesSystem<Real> &S, const Scalar *r, Scalar *z, cudaStream_t stream)
{
  const unsigned blocks = 2 * blocks_for(S.L.columns, GridTuning::block_columns);
  cudaError_t    err    = cudaErrorNotSupported;

  with_unknowns(S.places.B, [&](auto b) {
    if constexpr (b() > 1) {
      const int threads = GridBlockShape<b(), Scalar>::block(S.L.K);

      err = launch_chained(lines_blocks_kernel<b(), Real>, blocks, threads, stream, blocks <= GridTuning::early_blocks, S, r, z);
    }
  });
  return err;
}

template cudaError_t launch_lines_blocks<float>(const LinesSystem<float> &, const Scalar *, Scalar *, cudaStream_t);
template cudaError_t launch_lines_blocks<double>(const LinesSystem<double> &, const Scalar *, Scalar *, cudaStream_t);

} // namespace heptane

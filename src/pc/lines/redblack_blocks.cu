/*
   Red lines of several unknowns per cell on the device.
*/
#include "lines_blocks.cuh"

namespace heptane
{

namespace
{

/*
   Computes  x of red columns = A_rr^-1 (r - A_rb u), several unknowns per cell
   Threads   a block has GridTuning::block_columns columns times the chunks of a line
   Bytes     per red cell (7 B^2 + B) sizeof(Scalar) and four neighbours, which neighbouring threads share; r, z: B more each; without u 4 B^2 less
   Order     deterministic: along the chunks, from chunk to chunk
*/
template <int B>
__global__ void __launch_bounds__((GridBlockShape<B, Scalar>::threads), 1)
  redblack_red_blocks_kernel(const __grid_constant__ RedBlack R, const Scalar *r, const __grid_constant__ FusedProduct P, const FusedScalars *S, Scalar *z)
{
  using Chunk = GridBlockChunk<B, Scalar>;
  __shared__ GridBlockScan<B, Scalar> scan;
  const std::size_t first = blockIdx.x * static_cast<std::size_t>(GridTuning::block_columns), own = first + threadIdx.x % GridTuning::block_columns;
  const GridColumn  at(R.exact, 0, own < R.exact.columns ? own : 0);
  const RedAcross   across(R, at);
  LinesGather       u = {};

  lines_solve_blocks<B>(
    R.exact, R.exact, 0, first, scan,
    [&] {
      wait_for_predecessor();
      const ProductScalars<Scalar> now = lines_begin(P, S);

      u = {now.input, P.v, now.alpha};
      return !now.still;
    },
    [&](const Chunk &, int k, std::size_t c, Scalar(&b)[B]) {
      const std::size_t cell = at.exists ? R.places.natural.cell(k, at.j, at.i) : 0;

      HEPTANE_UNROLL
      for (int p = 0; p < B; p++) b[p] = r ? r[cell * B + p] : Scalar(0);
      if (u.q) redblack_couple<B>(R, u, k, c, across, b);
    },
    [&](const Chunk &chunk, int k, const Scalar(&x)[B]) {
      const std::size_t c = R.exact.at(k, 0, chunk.column), cell = R.places.natural.cell(k, at.j, at.i);

      HEPTANE_UNROLL
      for (int p = 0; p < B; p++) {
        R.exact.x[p * R.exact.cells + c] = x[p];
        if (z && !R.keeps(0, chunk.column)) z[cell * B + p] = x[p];
      }
    });
}

} // namespace

cudaError_t launch_redblack_red_blocks(const RedBlack &R, const Scalar *r, const FusedProduct &P, const FusedScalars *S, bool chained, Scalar *z,
                                       cudaStream_t stream)
{
  const unsigned blocks = blocks_for(R.exact.columns, GridTuning::block_columns);
  cudaError_t    err    = cudaErrorNotSupported;

  with_unknowns(R.B, [&](auto b) {
    if constexpr (b() > 1)
      err = launch_chained(redblack_red_blocks_kernel<b()>, blocks, GridTuning::block_columns * GridBlockShape<b(), Scalar>::chunks(R.exact.K), stream, chained,
                           R, r, P, S, z);
  });
  return err;
}

} // namespace heptane

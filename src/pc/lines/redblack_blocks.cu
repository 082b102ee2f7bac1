/*
   Red lines of several unknowns per cell on the device.
*/
#include "../../metrics/metrics.hpp"
#include "lines_blocks.cuh"

namespace heptane
{

namespace
{

/*
   Computes  P^-1 (r - A_rb u) of red cells into x, from which lines are solved: many threads, so that the loads of the blocks across are under way together
   Threads   one per red cell
   Bytes     per red cell (5 B^2 + B) sizeof(Scalar) and four neighbours, which neighbouring threads share; r: B more; without u 4 B^2 less
   Order     deterministic: along the row
*/
template <int B>
__global__ void __launch_bounds__(LinesTuning::threads, (B < 4 ? LinesTuning::product_residents : 1))
  redblack_start_kernel(const __grid_constant__ RedBlack R, const Scalar *r, const __grid_constant__ FusedProduct P, const FusedScalars *S)
{
  const GridLevel<Scalar> &E = R.exact;

  wait_for_predecessor();
  const ProductScalars<Scalar> now = lines_begin(P, S);
  if (now.still) return;
  const LinesGather u = {now.input, P.v, now.alpha};
  for_places_of(E, 0, [&](int k, int, std::size_t column) {
    const GridColumn  at(E, 0, column);
    const std::size_t c = E.at(k, 0, column);
    Scalar            b[B], z[B];

    if (!at.exists) return;
    HEPTANE_UNROLL
    for (int p = 0; p < B; p++) b[p] = r ? r[R.places.natural.cell(k, at.j, at.i) * B + p] : Scalar(0);
    if (u.q) redblack_couple<B>(R, u, k, c, RedAcross(R, at), b);
    lines_start<B>(E, c, b, z);
    HEPTANE_UNROLL
    for (int p = 0; p < B; p++) E.x[p * E.cells + c] = z[p];
  });
}

/*
   Computes  x of red columns from what redblack_start_kernel() has left there, several unknowns per cell
   Threads   a block has GridTuning::block_columns columns times the chunks of a line
   Bytes     per red cell (2 B^2 + 2 B) sizeof(Scalar); z: B more
   Order     deterministic: along the chunks, from chunk to chunk
*/
template <int B>
__global__ void __launch_bounds__((GridBlockShape<B, Scalar>::threads), (B < 4 ? 2 : 1))
  redblack_red_blocks_kernel(const __grid_constant__ RedBlack R, Scalar *z)
{
  __shared__ GridBlockScan<B, Scalar> scan;
  const GridLevel<Scalar>            &E = R.exact;
  GridBlockChunk<B, Scalar>           chunk(E, 0, blockIdx.x * static_cast<std::size_t>(GridTuning::block_columns));
  const int                           panels   = (E.K + chunk.panel - 1) / chunk.panel;
  Scalar                              carry[B] = {};

  for (int p = 0; p < panels; p++) {
    chunk.load(p, grid_below);
    if (p == 0) wait_for_predecessor();
    chunk.get(p, E.x);
    chunk.clear_outside(p);
    chunk.template go<true>(scan, carry);
    if (panels > 1) chunk.put(p, E.x);
  }
  HEPTANE_UNROLL
  for (int s = 0; s < B; s++) carry[s] = 0;
  for (int p = panels - 1; p >= 0; p--) {
    chunk.load(p, grid_above);
    if (panels > 1) chunk.get(p, E.x);
    chunk.clear_outside(p);
    chunk.template go<false>(scan, carry);
    HEPTANE_UNROLL
    for (int t = 0; t < chunk.cells; t++) {
      if (!chunk.inside(p, t)) continue;
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) {
        E.x[s * E.cells + chunk.place(p, t)] = chunk.z[t][s];
        if (z && !R.keeps(0, chunk.column)) z[R.places.natural.cell(chunk.k(p, t), chunk.at.j, chunk.at.i) * B + s] = chunk.z[t][s];
      }
    }
  }
}

} // namespace

cudaError_t launch_redblack_red_blocks(const RedBlack &R, const Scalar *r, const FusedProduct &P, const FusedScalars *S, bool chained, Scalar *z,
                                       cudaStream_t stream)
{
  const GridLaunch over(R.exact.columns, static_cast<std::size_t>(R.exact.K));
  const unsigned   blocks = blocks_for(R.exact.columns, GridTuning::block_columns);
  cudaError_t      err    = cudaErrorNotSupported;

  with_unknowns(R.B, [&](auto b) {
    if constexpr (b() > 1) {
      const double red = sizeof(Scalar) * static_cast<double>(R.exact.cells) / 2;
      {
        const MetricsPass metrics(true, [&] {
          return DeclaredPass{"Schur complement: right-hand sides of red lines", red * ((P.q ? 5. : 1.) * b() * b() + (r ? 2. : 1.) * b())};
        });
        err = launch_chained(redblack_start_kernel<b()>, over.blocks, over.threads, stream, chained, R, r, P, S);
      }
      const MetricsPass metrics(true, [&] { return DeclaredPass{"Schur complement: red lines solved", red * (2. * b() * b() + (z ? 3. : 2.) * b())}; });
      if (err == cudaSuccess)
        err = launch_chained(redblack_red_blocks_kernel<b()>, blocks, GridBlockShape<b(), Scalar>::block(R.exact.K), stream, chained, R, z);
    }
  });
  return err;
}

} // namespace heptane

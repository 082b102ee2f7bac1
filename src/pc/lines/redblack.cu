/*
   The elimination of red columns on the device: set-up, red lines of one unknown per cell, the product with the Schur complement. Kernels around redblack_rows.hpp.
*/
#include "../../metrics/metrics.hpp"
#include "../../pass/launch_resident.cuh"
#include "../gridmg/gridmg_lines.cuh"
#include "lines_device.cuh"

namespace heptane
{

namespace
{

constexpr int threads = LinesTuning::threads, line_threads = LinesTuning::line_threads;

/*
   Computes  RedBlack::exact from the matrix, before red lines are factored
   Threads   one per place
   Bytes     per cell 14 B^2 sizeof(Scalar)
   Order     none, but for the report's counts
*/
template <int B>
__global__ void __launch_bounds__(threads) redblack_load_kernel(const __grid_constant__ GridMatrix A, const __grid_constant__ RedBlack R, GridReport *report)
{
  for_places(R.exact, [&](int k, int colour, std::size_t column) {
    const unsigned faults = redblack_load_cell<B>(A, R, k, colour, column);

    if (!faults) return;
    const GridColumn C(R.exact, colour, column);
    lines_note(report, faults, A.cell(k, C.j, C.i));
  });
}

/*
   Computes  the factors of red lines
   Threads   one per red column, along the whole line
   Bytes     per red cell 6 B^2 sizeof(Scalar)
   Order     deterministic: along the line
*/
template <int B>
__global__ void __launch_bounds__(line_threads)
  redblack_factor_kernel(const __grid_constant__ GridMatrix A, const __grid_constant__ RedBlack R, GridReport *report)
{
  const std::size_t column = blockIdx.x * static_cast<std::size_t>(line_threads) + threadIdx.x;

  if (column >= R.exact.columns) return;
  const GridColumn C(R.exact, 0, column);
  if (!C.exists || R.keeps(0, column)) return;
  lines_factor_line<B>(R.exact, 0, column, [&](int k) { lines_note(report, 1u << grid_singular, A.cell(k, C.j, C.i)); });
}

/*
   Computes  the values of the list of entries
   Threads   one per entry
   Bytes     8 + 2 sizeof(Scalar) per entry
   Order     none
*/
__global__ void __launch_bounds__(threads)
  redblack_entries_kernel(const Scalar *__restrict__ from, const Scalar *__restrict__ beside, const std::int64_t *__restrict__ source, int entries,
                          Scalar *__restrict__ values, GridReport *report)
{
  const int e = blockIdx.x * threads + threadIdx.x;

  if (e >= entries) return;
  const Scalar value = redblack_entry(from, beside, source[e]);
  if (!(std::fabs(value) <= grid_largest<Scalar>)) atomicAdd(&report->count[grid_not_finite], 1ull);
  values[e] = value;
}

/* Right-hand sides of red lines, and their solutions */
struct RedLines : GridPlain {
  const RedBlack &R;
  const Scalar   *r;
  LinesGather     u; /* of nothing where q is null */
  Scalar         *z;

  template <int CELLS, int CHUNKS>
  __device__ __forceinline__ void give(GridChunk<CELLS, CHUNKS, Scalar> &chunk, int p, GridPlain::Found) const
  {
    const GridColumn at = chunk.at();
    const RedAcross  across(R, at);

    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) chunk.z[t] = r && chunk.solves ? r[R.places.natural.cell(chunk.layer(p, t), at.j, at.i)] : Scalar(0);
    if (!u.q) return;
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      Scalar of_cell[1] = {chunk.z[t]};

      redblack_couple<1>(R, u, chunk.layer(p, t), chunk.place(p, t), across, of_cell);
      chunk.z[t] = of_cell[0];
    }
  }
  template <int CELLS, int CHUNKS>
  __device__ __forceinline__ void take(const GridChunk<CELLS, CHUNKS, Scalar> &chunk, int p) const
  {
    const GridColumn at = chunk.at();

    chunk.store(p, false);
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++)
      if (z && chunk.inside(p, t) && !R.keeps(0, chunk.column)) z[R.places.natural.cell(chunk.k(p, t), at.j, at.i)] = chunk.z[t];
  }
};

/*
   Computes  x of red columns = A_rr^-1 (r - A_rb u), one unknown per cell
   Threads   a block has GridTuning::columns columns times CHUNKS chunks of CELLS cells
   Bytes     per red cell 8 sizeof(Scalar) and four neighbours, which neighbouring threads share; r, z: one more each; without u 3 less
   Order     deterministic: along the chunks, between them a fixed tree
*/
template <int CELLS, int CHUNKS>
__global__ void __launch_bounds__(GridTuning::columns *CHUNKS)
  redblack_red_kernel(const __grid_constant__ RedBlack R, const Scalar *r, const __grid_constant__ FusedProduct P, const FusedScalars *S, Scalar *z)
{
  __shared__ GridScan<Scalar, CHUNKS> scan;
  RedLines                            both = {{}, R, r, {}, z};
  GridStep                            s{GridOp::solve, 0, 0};

  s.zero = true;
  grid_solve_lines<CELLS, CHUNKS>(
    R.exact, R.exact, both, both, s, blockIdx.x * static_cast<std::size_t>(GridTuning::columns), scan,
    [&] {
      wait_for_predecessor();
      const ProductScalars<Scalar> now = lines_begin(P, S);

      both.u = {now.input, P.v, now.alpha};
      return !now.still;
    },
    [] {});
}

/*
   Computes  y = S u, u = q or q - alpha v, behind the red lines for u, and its sums, for which there is room for K; K = 0: the combination of rhs - S u, u and old
   Threads   one per remaining cell, columns first, in strides of the grid
   Bytes     per remaining cell 7 B^2 sizeof(Scalar), x of red neighbours, which neighbouring threads share, and the vectors of the product
   Order     deterministic: along the cell's row, then the cells of a thread, threads and blocks in a fixed order
*/
template <int B, int K>
__global__ void __launch_bounds__(threads, (B < 4 ? LinesTuning::product_residents : 1))
  redblack_product_kernel(const __grid_constant__ RedBlack R, const __grid_constant__ FusedProduct P, const FusedScalars *S, const FusedReduction red)
{
  const RemainingColumns &N               = R.of();
  const std::size_t       cells           = static_cast<std::size_t>(N.K) * N.lines;
  Scalar                  sums[K ? K : 1] = {};

  wait_for_predecessor();
  const ProductScalars<Scalar> now = lines_begin(P, S);
  if (now.still) return;
  const LinesGather u = {now.input, P.v, now.alpha};
  for (std::size_t at = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x; at < cells; at += gridDim.x * static_cast<std::size_t>(threads)) {
    const unsigned k = static_cast<unsigned>(at) / N.lines, q = static_cast<unsigned>(at) - k * N.lines;
    Scalar         y[B];

    redblack_cell<B>(R, u, static_cast<int>(k), q, RemainingColumn(R, q), y);
    HEPTANE_UNROLL
    for (int p = 0; p < B; p++) {
      const std::size_t row = N.at(p, static_cast<int>(k), q);
      const RowOperands o   = row_operands<K>(P, now.input, row, now.alpha);

      product_row<K>(P, row, K == 0 ? o.w - y[p] : y[p], o, sums);
    }
  }
  if constexpr (K > 0) finish_product<threads>(P, sums, red);
}

/*
   Computes  what is left of a right-hand side, behind the red lines for it
   Threads   one per remaining cell, columns first
   Bytes     per remaining cell (4 B + 2) B sizeof(Scalar), and x of red neighbours
   Order     deterministic: along the row
*/
template <int B>
__global__ void __launch_bounds__(threads) redblack_enter_kernel(const __grid_constant__ RedBlack R, const Scalar *__restrict__ r, Scalar *__restrict__ g)
{
  const unsigned at = blockIdx.x * threads + threadIdx.x, k = at / R.of().lines, q = at - k * R.of().lines;

  if (k < static_cast<unsigned>(R.of().K)) redblack_enter<B>(R, r, static_cast<int>(k), q, RemainingColumn(R, q), g);
}

/*
   Computes  the remaining unknowns of a whole vector, or the other way
   Threads   one per remaining cell, columns first
   Bytes     2 B sizeof(Scalar) per cell
   Order     none
*/
template <int B>
__global__ void __launch_bounds__(threads) redblack_copy_kernel(const __grid_constant__ RedBlack R, bool leave, Scalar *whole, Scalar *left)
{
  const unsigned at = blockIdx.x * threads + threadIdx.x, k = at / R.of().lines, q = at - k * R.of().lines;

  if (k < static_cast<unsigned>(R.of().K)) redblack_copy<B>(R, leave, whole, left, static_cast<int>(k), q, RemainingColumn(R, q));
}

/* Numbers of every red cell, of every remaining one */
DeclaredPass redblack_cost(const char *text, const RedBlack &R, double red, double remaining)
{
  const double left = static_cast<double>(R.of().K) * R.of().lines;

  return {std::string("Schur complement: ") + text, sizeof(Scalar) * (red * static_cast<double>(R.exact.cells) / 2 + remaining * left)};
}

unsigned blocks_of_cells(const RedBlack &R)
{
  return blocks_for(static_cast<std::size_t>(R.of().K) * R.of().lines, threads);
}

} // namespace

cudaError_t launch_redblack_setup(const GridMatrix &A, const Scalar *beside, const RedBlack &R, const std::int64_t *source, int entries, Scalar *values,
                                  GridReport *report, cudaStream_t stream)
{
  const GridLaunch over(R.exact.columns, 2 * static_cast<std::size_t>(R.exact.K));

  with_unknowns(R.B, [&](auto b) {
    const double      entries = b() * b();
    const MetricsPass loaded(true, [&] { return redblack_cost("blocks of the matrix", R, 28 * entries, 0); });
    redblack_load_kernel<b()><<<over.blocks, over.threads, 0, stream>>>(A, R, report);
    const MetricsPass factored(true, [&] { return redblack_cost("factors of red lines", R, 6 * entries, 0); });
    redblack_factor_kernel<b()><<<blocks_for(R.exact.columns, line_threads), line_threads, 0, stream>>>(A, R, report);
  });
  const MetricsPass of_entries(true, [&] { return DeclaredPass{"Schur complement: entries beside the blocks", (8. + 2 * sizeof(Scalar)) * entries}; });
  if (entries) redblack_entries_kernel<<<blocks_for(entries, threads), threads, 0, stream>>>(A.values, beside, source, entries, values, report);
  return cudaGetLastError();
}

cudaError_t launch_redblack_red(const RedBlack &R, const Scalar *r, const FusedProduct &P, const FusedScalars *S, bool chained, Scalar *z, cudaStream_t stream)
{
  if (R.B > 1) return launch_redblack_red_blocks(R, r, P, S, chained, z, stream);
  const MetricsPass metrics(true, [&] { return redblack_cost("red lines solved", R, 8. + (r != nullptr) + (z != nullptr) - (P.q ? 0 : 3), 0); });
  return with_chunks(R.exact.K, [&](auto cells, auto chunks) {
    return launch_chained(redblack_red_kernel<cells(), chunks()>, blocks_for(R.exact.columns, GridTuning::columns), GridTuning::columns * chunks(), stream,
                          chained, R, r, P, S, z);
  });
}

cudaError_t launch_redblack_product(const RedBlack &R, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  const unsigned tiles = blocks_of_cells(R);
  cudaError_t    err   = cudaSuccess;

  if (!tiles) return cudaSuccess;
  const MetricsPass metrics(true, [&] { return redblack_cost("product", R, 0, 7. * R.B * R.B + R.B * (2. + (P.v != nullptr) + combines(P))); });
  with_unknowns(R.B, [&](auto b) {
    if (!S) err = launch_chained(redblack_product_kernel<b(), 1>, tiles, threads, stream, false, R, P, S, red);
    else if (combines(P)) err = launch_resident<redblack_product_kernel<b(), 0>>(tiles, threads, b(), 0, stream, true, red, R, P, S, red);
    else if (P.v || number_of(P.sums) > 1) err = launch_resident<redblack_product_kernel<b(), 4>>(tiles, threads, b(), 4, stream, true, red, R, P, S, red);
    else err = launch_resident<redblack_product_kernel<b(), 1>>(tiles, threads, b(), 1, stream, true, red, R, P, S, red);
  });
  return err;
}

cudaError_t launch_redblack_enter(const RedBlack &R, const Scalar *r, Scalar *g, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return redblack_cost("right-hand side", R, 0, (4. * R.B + 2) * R.B); });

  if (!blocks_of_cells(R)) return cudaSuccess;
  with_unknowns(R.B, [&](auto b) { redblack_enter_kernel<b()><<<blocks_of_cells(R), threads, 0, stream>>>(R, r, g); });
  return cudaGetLastError();
}

cudaError_t launch_redblack_copy(const RedBlack &R, bool leave, Scalar *whole, Scalar *left, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return redblack_cost("remaining columns copied", R, 0, 2. * R.B); });

  if (!blocks_of_cells(R)) return cudaSuccess;
  with_unknowns(R.B, [&](auto b) { redblack_copy_kernel<b()><<<blocks_of_cells(R), threads, 0, stream>>>(R, leave, whole, left); });
  return cudaGetLastError();
}

} // namespace heptane

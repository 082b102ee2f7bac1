/*
   The inverses of lines with remainder entries on the device: kernels around rows/dense_rows.hpp.
*/
#include "../../../device/chained_launch.cuh"
#include "../../../device/launch.hpp"
#include "../rows/dense_rows.hpp"
#include "cost.hpp"
#include "device.hpp"
#include "launch.cuh"

namespace heptane
{

namespace
{

constexpr int threads = GridTuning::threads, tile = GridTuning::dense_tile, most = GridTuning::dense_step, of_block = most * most;
constexpr int room = (GridFactorRoom<>::bytes(most) + sizeof(double) - 1) / sizeof(double);
static_assert(threads == tile * most, "a thread loads one entry of the rows of a step, and one of its columns");

/*
   Computes  the matrices of the lines of a level that have an inverse, and the sizes of their rows
   Threads   a warp per row
   Bytes     per row n sizeof(Scalar), 7 B sizeof(Real), and 8 + sizeof(Real) per remainder entry
   Order     deterministic: sizes by lanes, then a fixed tree
*/
template <class Real>
__global__ void __launch_bounds__(threads) grid_dense_rows_kernel(const __grid_constant__ GridLevel<Real> L, const __grid_constant__ GridRemainder<Real> K,
                                                                  const __grid_constant__ GridDense<Real> D, Scalar *matrices, Scalar *sizes)
{
  const GridLane of     = lane_of_warp();
  const int      number = warp_number(), line = number / D.n, i = number % D.n;

  if (line >= D.lines) return;
  const int         colour = D.column[line] >= static_cast<int>(L.columns), remainder_index = D.remainder_index[number];
  const std::size_t column = static_cast<std::size_t>(D.column[line]) - colour * L.columns, at = static_cast<std::size_t>(D.number) * D.n + number;
  Scalar *const     row = matrices + at * D.n;

  for (int j = of.lane; j < D.n; j += of.lanes) row[j] = 0;
  __syncwarp();
  grid_dense_line_row(L, colour, column, i / L.unknowns, i % L.unknowns, row, of);
  __syncwarp();
  if (remainder_index >= 0) grid_dense_remainder_row(L, K, remainder_index, row, of);
  __syncwarp();
  const Scalar size = sum_of_warp(grid_dense_row_size(row, D.n, of));
  if (of.lane == 0) sizes[at] = size;
}

/* The first warp inverts the block of a step, whose entries all threads have stored in R.inverse, and stores it for the
   step; reports skipped pivots */
__device__ __forceinline__ void keep_inverse(const GridFactorRoom<> &R, const Scalar *sizes, Scalar *block, GridReport *report)
{
  const GridWarp warp;
  const int      entries = R.unknowns * R.unknowns;

  if (threadIdx.x >= 32) return;
  const int left_out = grid_dense_invert(R, sizes, warp);
  warp.sync();
  for (int e = warp.lane; e < entries; e += warp.lanes) block[e] = R.block[e];
  if (left_out && warp.lane == 0) grid_record_fault(report, 1u << grid_singular, blockIdx.x);
}

/*
   Computes  the inverses of the blocks of the first step, of all matrices
   Threads   a warp per matrix
   Bytes     2 sizeof(Scalar) per entry of a block
   Order     deterministic: a step per row of the block, each entry by one thread
*/
__global__ void __launch_bounds__(32) grid_dense_first_kernel(GridDenseStep s, const Scalar *matrices, const Scalar *sizes, Scalar *blocks, GridReport *report)
{
  __shared__ double      memory[room];
  const GridFactorRoom<> R(reinterpret_cast<Scalar *>(memory), s.width);
  const std::size_t      n = static_cast<std::size_t>(s.n);

  for (int e = threadIdx.x; e < s.width * s.width; e += 32) R.inverse[e] = matrices[(blockIdx.x * n + e / s.width) * n + e % s.width];
  __syncwarp();
  keep_inverse(R, sizes + blockIdx.x * n, blocks + blockIdx.x * of_block, report);
}

/*
   Computes  a step of the inversion of all these matrices, and the inverse of the block of the next step; the last step
             rounds the inverses: `inverses` is null in the earlier ones
   Threads   a block has a tile of a matrix, of at most 32 rows and columns and whole blocks of steps; a thread has some
             rows of one of its columns. Tiles with the block of the next step are first
   Bytes     2 sizeof(Scalar) per entry, and per tile of rows and columns 2 `most` of each
   Order     deterministic: along the rows of the step
*/
template <class Real>
__global__ void __launch_bounds__(threads)
  grid_dense_step_kernel(GridDenseStep s, GridDenseStep next, int of_tile, const Scalar *before, Scalar *after, const Scalar *sizes, const Scalar *blocks,
                         Scalar *next_blocks, Real *inverses, GridReport *report)
{
  constexpr int          rows = GridTuning::dense_tile_rows;
  __shared__ double      memory[room];
  __shared__ Scalar      of_rows[most][tile], of_columns[tile][most], result[most][tile], block[of_block];
  const int              thread = static_cast<int>(threadIdx.x), t = thread / tile, here = thread % tile;
  const int              tiles = static_cast<int>(gridDim.y), first_tile = next.first / of_tile;
  const int              tile_row = (static_cast<int>(blockIdx.z) + first_tile) % tiles, tile_column = (static_cast<int>(blockIdx.y) + first_tile) % tiles;
  const int              first_row = tile_row * of_tile, j = tile_column * of_tile + here;
  const int              row_here = thread / most, column = thread % most, row = first_row + row_here;
  const std::size_t      n = static_cast<std::size_t>(s.n), matrix = blockIdx.x * n * n;
  const bool             has_next = next.width > 0 && blockIdx.y == 0 && blockIdx.z == 0, mine = here < of_tile && j < s.n;
  const GridFactorRoom<> R(reinterpret_cast<Scalar *>(memory), has_next ? next.width : s.width);
  const Scalar *const    A     = before + matrix;
  const auto             local = [&](int q) { return q * most + t; };
  const auto             is_in = [&](int q) { return mine && local(q) < of_tile && first_row + local(q) < s.n; };
  Scalar                 own[rows];
  bool                   finite = true;

  wait_for_predecessor();
  if (thread < s.width * s.width) block[thread] = blocks[blockIdx.x * of_block + thread];
  of_rows[t][here]             = t < s.width && mine ? A[(s.first + t) * n + j] : Scalar(0);
  of_columns[row_here][column] = column < s.width && row_here < of_tile && row < s.n ? A[row * n + s.first + column] : Scalar(0);
  HEPTANE_UNROLL
  for (int q = 0; q < rows; q++) own[q] = is_in(q) && !s.has(j) ? A[(first_row + local(q)) * n + j] : Scalar(0);
  __syncthreads();
  if (t < s.width) result[t][here] = grid_dense_step_entry(s, block, t, j, [&](int u) { return of_rows[u][here]; });
  __syncthreads();
  HEPTANE_UNROLL
  for (int q = 0; q < rows; q++) {
    const int i     = first_row + local(q);
    Scalar    value = own[q];

    if (!is_in(q)) continue;
    if (s.has(i)) value = result[i - s.first][here];
    else
      for (int u = 0; u < s.width; u++) value -= of_columns[local(q)][u] * result[u][here];
    if (inverses) inverses[matrix + i * n + j] = grid_dense_round<Real>(value, &finite);
    else after[matrix + i * n + j] = value;
    if (has_next && next.has(i) && next.has(j)) R.inverse[(i - next.first) * next.width + j - next.first] = value;
  }
  if (!finite) grid_record_fault(report, 1u << grid_singular, blockIdx.x);
  if (!has_next) return;
  __syncthreads();
  keep_inverse(R, sizes + blockIdx.x * n + next.first, next_blocks + blockIdx.x * of_block, report);
}

/* The steps of the inversion of all matrices; inverses are contiguous, as the matrices are */
template <class Real>
cudaError_t launch_steps(const GridSystem<Real> &S, int n, unsigned lines, Scalar *const (&matrices)[2], const Scalar *sizes, Scalar *const (&blocks)[2],
                         Real *inverses, GridReport *report, cudaStream_t stream)
{
  GridDenseStep  s       = GridDenseStep::Begin(n, S.B, most);
  const int      of_tile = tile / s.width * s.width;
  const unsigned tiles   = blocks_for(static_cast<std::size_t>(n), of_tile);
  int            turn    = 0;

  grid_dense_first_kernel<<<lines, 32, 0, stream>>>(s, matrices[0], sizes, blocks[0], report);
  cudaError_t err = cudaGetLastError();
  while (s.width > 0 && err == cudaSuccess) {
    GridDenseStep     next = s;
    const MetricsPass metrics(true, [&] { return grid_dense_step_cost(S, n); });

    next.Next();
    err  = launch_chained(grid_dense_step_kernel<Real>, dim3(lines, tiles, tiles), threads, stream, lines * tiles * tiles <= GridTuning::early_blocks, s, next,
                          of_tile, matrices[turn], matrices[1 - turn], sizes, blocks[turn], blocks[1 - turn], next.width ? nullptr : inverses, report);
    s    = next;
    turn = 1 - turn;
  }
  return err;
}

} // namespace

template <class Real>
cudaError_t launch_grid_dense(const GridSystem<Real> &S, int count, GridReport *report, cudaStream_t stream)
{
  const std::size_t lines    = static_cast<std::size_t>(S.dense_lines);
  Real             *inverses = nullptr;
  std::size_t       n        = 0;

  if (!lines) return cudaSuccess;
  for (int l = 0; l < count; l++)
    if (S.Dense(l).lines && !S.Dense(l).number) {
      inverses = S.Dense(l).inverse;
      n        = static_cast<std::size_t>(S.Dense(l).n);
    }
  Scalar *const matrices = S.dense_work, *const sizes = matrices + 2 * lines * n * n, *const blocks = sizes + lines * n;
  for (int l = 0; l < count; l++) {
    const GridDense<Real> D = S.Dense(l);
    const MetricsPass     metrics(true, [&] { return grid_dense_rows_cost(S, static_cast<std::size_t>(l)); });

    if (D.lines) grid_dense_rows_kernel<<<blocks_for(D.lines * n, threads / 32), threads, 0, stream>>>(S.levels[l], S.remainder[l], D, matrices, sizes);
  }
  return launch_steps(S, static_cast<int>(n), static_cast<unsigned>(lines), {matrices, matrices + lines * n * n}, sizes, {blocks, blocks + lines * of_block},
                      inverses, report, stream);
}

template cudaError_t launch_grid_dense<float>(const GridSystem<float> &, int, GridReport *, cudaStream_t);
template cudaError_t launch_grid_dense<double>(const GridSystem<double> &, int, GridReport *, cudaStream_t);

} // namespace heptane

/*
   The cycle of the structured multigrid on the device: kernels around the arithmetic of gridmg_cycle_rows.hpp and gridmg_links.hpp.
*/
#include "../../device/chained_launch.cuh"
#include "../../device/launch.hpp"
#include "gridmg_device.hpp"
#include "gridmg_launch.cuh"
#include "gridmg_block_lines.cuh"
#include "gridmg_lines.cuh"

namespace heptane
{

namespace
{

constexpr int threads = GridTuning::threads, line_threads = GridTuning::line_threads;

/*
   Computes  the right-hand side of the finest level from a vector of the solver
   Threads   one per place
   Bytes     per row sizeof(Scalar) + sizeof(Real)
   Order     none
*/
template <int B, class Real>
__global__ void __launch_bounds__(threads)
  grid_take_kernel(const __grid_constant__ GridLevel<Real> L, const __grid_constant__ GridNatural at, const Scalar *__restrict__ r)
{
  for_places(L, [&](int k, int colour, std::size_t column) { grid_take<B>(L, at, r, k, colour, column); });
}

/*
   Computes  a vector of the solver from x of the finest level
   Threads   one per place
   Bytes     per row sizeof(Scalar) + sizeof(Real)
   Order     none
*/
template <int B, class Real>
__global__ void __launch_bounds__(threads)
  grid_give_kernel(const __grid_constant__ GridLevel<Real> L, const __grid_constant__ GridNatural at, Scalar scale, Scalar *__restrict__ y)
{
  for_places(L, [&](int k, int colour, std::size_t column) { grid_give<B>(L, at, scale, y, k, colour, column); });
}

/* A kernel that lets the next one begin at once would give it room that its own blocks want, if these are many: it does so before it stores */
__device__ __forceinline__ bool has_many_blocks()
{
  return gridDim.x > GridTuning::early_blocks;
}

/* Blocks of a multiprocessor, at least, which decide the registers: enough that nearly nothing is spilled */
template <int CELLS, int CHUNKS, class Real, class Source>
inline constexpr int lines_resident = sizeof(Real) > 4 || CELLS > 4                            ? 1
                                      : CELLS < 3                                              ? 1024 / (GridTuning::columns * CHUNKS)
                                      : CELLS == 4 && !std::is_same<Source, GridStored>::value ? (CHUNKS == 32 ? 1 : 3)
                                      : CELLS == 4 && GridTuning::columns * CHUNKS < 512       ? 3
                                                                                               : 1024 / (GridTuning::columns * CHUNKS);

/*
   Computes  the lines of a colour solved, one unknown per cell
   Threads   a block has GridTuning::columns columns times CHUNKS chunks of CELLS cells
   Bytes     per cell of the colour 9 sizeof(Real) and four neighbours, which neighbouring threads share; from zero 5 sizeof(Real)
   Order     deterministic: along the chunks, between them a fixed tree
*/
template <int CELLS, int CHUNKS, class Real, class Source>
__global__ void __launch_bounds__(GridTuning::columns *CHUNKS, (lines_resident<CELLS, CHUNKS, Real, Source>))
  grid_lines_kernel(const __grid_constant__ GridLevel<Real> L, const __grid_constant__ GridLevel<Real> C, const __grid_constant__ GridStep s,
                    const __grid_constant__ Source source)
{
  __shared__ GridScan<Real, CHUNKS> scan;
  const bool                        many = has_many_blocks();
  GridKept                          sink = {s.change};

  if (!many) let_successor_begin();
  grid_solve_lines<CELLS, CHUNKS>(
    L, C, source, sink, s, blockIdx.x * static_cast<std::size_t>(GridTuning::columns), scan,
    [] {
      await_predecessor();
      return true;
    },
    [&] {
      if (many) let_successor_begin();
    });
}

/*
   Computes  what the lines of a colour start from in x, several unknowns per cell; d = -x where the change is wanted
   Threads   one per cell of the colour
   Bytes     per cell (5 B^2 + 2 B) sizeof(Real) and four neighbours
   Order     deterministic: b, then west, east, south, north
*/
template <int B, class Real>
__global__ void __launch_bounds__(threads)
  grid_line_rhs_kernel(const __grid_constant__ GridLevel<Real> L, const __grid_constant__ GridLevel<Real> C, const __grid_constant__ GridStep s)
{
  const GridNeighbours<Real> N = {L, s.correct ? &C : nullptr};

  wait_for_predecessor();
  for_places_of(L, s.colour, [&](int k, int colour, std::size_t column) {
    const GridColumn  at(L, colour, column);
    const std::size_t c = L.at(k, colour, column);
    Real              g[B];

    if (!at.exists) return;
    grid_line_rhs<B>(N, s.zero, k, colour, column, at, g);
#pragma unroll
    for (int p = 0; p < B; p++) {
      if (s.change) L.d[p * L.cells + c] = -L.x[p * L.cells + c];
      L.x[p * L.cells + c] = g[p];
    }
  });
}

/*
   Computes  the recurrences along the lines of a colour, forward and back, in x
   Threads   one per column, along the whole line
   Bytes     per cell (2 B^2 + 4 B) sizeof(Real)
   Order     deterministic: along the line
*/
template <int B, class Real>
__global__ void __launch_bounds__(line_threads) grid_blocks_kernel(const __grid_constant__ GridLevel<Real> L, int colour)
{
  const std::size_t column = blockIdx.x * static_cast<std::size_t>(line_threads) + threadIdx.x;

  wait_for_predecessor();
  if (column >= L.columns) return;
  if (!GridColumn(L, colour, column).exists) return;
  grid_go_along<B>(L, grid_below, colour, column, 0, 1);
  grid_go_along<B>(L, grid_above, colour, column, L.K - 1, -1);
}

/*
   Computes  d += x on a colour, several unknowns per cell: with -x before, the change
   Threads   one per cell of the colour
   Bytes     per row 3 sizeof(Real)
   Order     none
*/
template <int B, class Real>
__global__ void __launch_bounds__(threads) grid_change_kernel(const __grid_constant__ GridLevel<Real> L, int colour)
{
  wait_for_predecessor();
  for_places_of(L, colour, [&](int k, int of, std::size_t column) {
    const std::size_t c = L.at(k, of, column);

#pragma unroll
    for (int p = 0; p < B; p++) L.d[p * L.cells + c] += L.x[p * L.cells + c];
  });
}

/*
   Computes  the right-hand side of level C: residuals of F added up
   Threads   one per coarse place
   Bytes     per fine cell 2 B^2 sizeof(Real) and neighbours, per coarse cell B sizeof(Real)
   Order     deterministic: along i, then along j
*/
template <int B, class Real>
__global__ void __launch_bounds__(threads)
  grid_restrict_kernel(const __grid_constant__ GridLevel<Real> F, const __grid_constant__ GridLevel<Real> C, bool change)
{
  wait_for_predecessor();
  for_places(C, [&](int k, int colour, std::size_t column) { grid_restrict<B>(F, C, change ? F.d : nullptr, k, colour, column); });
}

/*
   Computes  x += x of the level behind
   Threads   one per place
   Bytes     per row 2 sizeof(Real), and those of the coarse level
   Order     none
*/
template <int B, class Real>
__global__ void __launch_bounds__(threads) grid_prolong_kernel(const __grid_constant__ GridLevel<Real> F, const __grid_constant__ GridLevel<Real> C)
{
  wait_for_predecessor();
  for_places(F, [&](int k, int colour, std::size_t column) { grid_prolong<B>(F, C, k, colour, column); });
}

/*
   Computes  right-hand sides of rows with links: kept, or less what the links take of x
   Threads   one per row with links of the colour
   Bytes     per link 8 + 2 sizeof(Real), per row 8 + 2 sizeof(Real)
   Order     deterministic: along the row
*/
template <class Real>
__global__ void __launch_bounds__(threads)
  grid_link_rows_kernel(const __grid_constant__ GridLevel<Real> L, const __grid_constant__ GridLinks<Real> K, bool enter, int first, int last)
{
  const int r = first + blockIdx.x * threads + threadIdx.x;

  wait_for_predecessor();
  if (r >= last) return;
  if (enter) grid_link_enter(L, K, r);
  else grid_link_balance(L, K, r);
}

/*
   Computes  the residuals of rows with links, added to the right-hand side of level C
   Threads   one per coarse row that gets any
   Bytes     as grid_link_rows_kernel()
   Order     deterministic: that of the list
*/
template <class Real>
__global__ void __launch_bounds__(threads) grid_link_restrict_kernel(const __grid_constant__ GridLevel<Real> F, const __grid_constant__ GridLinks<Real> K,
                                                                     GridSums to, const __grid_constant__ GridLevel<Real> C)
{
  const int t = blockIdx.x * threads + threadIdx.x;

  wait_for_predecessor();
  if (t < to.count) grid_link_restrict(F, K, to, C, t);
}

/* A kernel of a cycle, after others of it */
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 blocks, dim3 of_block, cudaStream_t stream, const Arguments &...arguments)
{
  return launch_chained(kernel, blocks, of_block, stream, blocks.x * blocks.y <= GridTuning::early_blocks, arguments...);
}

template <class Real, class Source>
cudaError_t launch_lines(const GridSystem<Real> &S, const GridStep &s, const Source &source, cudaStream_t stream)
{
  const GridLevel<Real> &L = S.levels[s.level], &C = S.levels[s.correct ? s.level + 1 : s.level];

  return with_chunks(L.K, [&](auto cells, auto chunks) {
    return launch(grid_lines_kernel<cells(), chunks(), Real, Source>, blocks_for(L.columns, GridTuning::columns), GridTuning::columns * chunks(), stream, L, C,
                  s, source);
  });
}

template <class Real>
cudaError_t launch_solve(const GridSystem<Real> &S, const GridStep &s, int *launches, cudaStream_t stream)
{
  const GridLevel<Real> &L = S.levels[s.level], &C = S.levels[s.correct ? s.level + 1 : s.level];

  if (S.B == 1) {
    *launches += 1;
    return launch_lines(S, s, GridStored(), stream);
  }
  cudaError_t err = cudaSuccess;
  *launches += 2 + s.change;
  with_unknowns(S.B, [&](auto b) {
    if constexpr (b() > 1) {
      const GridLaunch over(L.columns, L.K);

      err = launch(grid_line_rhs_kernel<b(), Real>, over.blocks, over.threads, stream, L, C, s);
      if (err == cudaSuccess) err = launch(grid_blocks_kernel<b(), Real>, blocks_for(L.columns, line_threads), line_threads, stream, L, s.colour);
      if (err == cudaSuccess && s.change) err = launch(grid_change_kernel<b(), Real>, over.blocks, over.threads, stream, L, s.colour);
    }
  });
  return err;
}

template <class Real>
cudaError_t launch_restrict(const GridSystem<Real> &S, const GridStep &s, int *launches, cudaStream_t stream)
{
  const GridLevel<Real> &L = S.levels[s.level], &C = S.levels[s.level + 1];
  const GridSums        &to = S.links[s.level + 1].right_side;
  const GridLaunch       over(C.columns, 2 * static_cast<std::size_t>(C.K));

  cudaError_t err = cudaSuccess;

  *launches += 1 + (to.count > 0);
  with_unknowns(S.B, [&](auto b) { err = launch(grid_restrict_kernel<b(), Real>, over.blocks, over.threads, stream, L, C, s.change); });
  if (err == cudaSuccess && to.count) err = launch(grid_link_restrict_kernel<Real>, blocks_for(to.count, threads), threads, stream, L, S.links[s.level], to, C);
  return err;
}

template <class Real>
cudaError_t launch_prolong(const GridSystem<Real> &S, const GridStep &s, cudaStream_t stream)
{
  const GridLevel<Real> &L = S.levels[s.level], &C = S.levels[s.level + 1];
  const GridLaunch       over(L.columns, 2 * static_cast<std::size_t>(L.K));
  cudaError_t            err = cudaSuccess;

  with_unknowns(S.B, [&](auto b) { err = launch(grid_prolong_kernel<b(), Real>, over.blocks, over.threads, stream, L, C); });
  return err;
}

} // namespace

template <class Real>
cudaError_t launch_grid_take(int B, const GridLevel<Real> &L, const GridNatural &at, const Scalar *r, cudaStream_t stream)
{
  const GridLaunch over(L.columns, 2 * static_cast<std::size_t>(L.K));

  with_unknowns(B, [&](auto b) { grid_take_kernel<b(), Real><<<over.blocks, over.threads, 0, stream>>>(L, at, r); });
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_grid_give(int B, const GridLevel<Real> &L, const GridNatural &at, Scalar scale, Scalar *y, cudaStream_t stream)
{
  const GridLaunch over(L.columns, 2 * static_cast<std::size_t>(L.K));

  with_unknowns(B, [&](auto b) { grid_give_kernel<b(), Real><<<over.blocks, over.threads, 0, stream>>>(L, at, scale, y); });
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_grid_step(const GridSystem<Real> &S, const GridStep &s, int *launches, cudaStream_t stream)
{
  const GridLevel<Real> &L     = S.levels[s.level];
  const GridLinks<Real> &K     = S.links[s.level];
  const bool             enter = s.op == GridOp::enter;
  const int              first = enter || !s.colour ? 0 : K.reds, last = enter || s.colour ? K.rows : K.reds;

  if (s.op == GridOp::solve) return launch_solve(S, s, launches, stream);
  if (s.op == GridOp::restrict) return launch_restrict(S, s, launches, stream);
  *launches += 1;
  if (s.op == GridOp::prolong) return launch_prolong(S, s, stream);
  if (enter) {
    const cudaError_t err = cudaMemsetAsync(L.x, 0, S.B * L.cells * sizeof(Real), stream);

    *launches += 1;
    if (err != cudaSuccess) return err;
  }
  if (last > first) grid_link_rows_kernel<<<blocks_for(last - first, threads), threads, 0, stream>>>(L, K, enter, first, last);
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_grid_restricted(const GridSystem<Real> &S, const GridStep &restriction, const GridStep &solve, int *launches, cudaStream_t stream)
{
  const GridLevel<Real> &F = S.levels[restriction.level];

  *launches += 1;
  return launch_lines(S, solve, GridRestricted<Real>{F, restriction.change ? F.d : F.x}, stream);
}

#define HEPTANE_GRID_CYCLE(Real) \
  template cudaError_t launch_grid_take<Real>(int, const GridLevel<Real> &, const GridNatural &, const Scalar *, cudaStream_t); \
  template cudaError_t launch_grid_give<Real>(int, const GridLevel<Real> &, const GridNatural &, Scalar, Scalar *, cudaStream_t); \
  template cudaError_t launch_grid_step<Real>(const GridSystem<Real> &, const GridStep &, int *, cudaStream_t); \
  template cudaError_t launch_grid_restricted<Real>(const GridSystem<Real> &, const GridStep &, const GridStep &, int *, cudaStream_t);
HEPTANE_GRID_CYCLE(float)
HEPTANE_GRID_CYCLE(double)
#undef HEPTANE_GRID_CYCLE

} // namespace heptane

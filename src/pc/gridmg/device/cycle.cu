/*
   The cycle of the structured multigrid on the device: kernels around the arithmetic of rows/cycle_rows.hpp and
   grid/remainder.hpp.
*/
#include "cost.hpp"
#include "../../../device/chained_launch.cuh"
#include "../../../device/launch.hpp"
#include "dense.cuh"
#include "device.hpp"
#include "launch.cuh"
#include "lines.cuh"

namespace heptane
{

namespace
{

constexpr int threads = GridTuning::threads;

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
  for_places(L, [&](int k, int colour, std::size_t column) { grid_import<B>(L, at, r, k, colour, column); });
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
  for_places(L, [&](int k, int colour, std::size_t column) { grid_export<B>(L, at, scale, y, k, colour, column); });
}

/* Least number of blocks per multiprocessor, which limits the registers: almost no spills. With a restriction inside,
   two of 256 threads: 2.7 % of a solve of lines of 64 cells faster than three, H100 */
template <int CELLS, int CHUNKS, class Real, class Source>
inline constexpr int lines_resident = sizeof(Real) > 4 || CELLS > 4                            ? 1
                                      : CELLS < 3                                              ? 1024 / (GridTuning::columns * CHUNKS)
                                      : CELLS == 4 && !std::is_same<Source, GridStored>::value ? (CHUNKS == 32 ? 1 : 2)
                                      : CELLS == 4 && GridTuning::columns * CHUNKS < 512       ? 3
                                                                                               : 1024 / (GridTuning::columns * CHUNKS);

/*
   Computes  the lines of a colour solved, one unknown per cell
   Threads   a block has GridTuning::columns columns times CHUNKS chunks of CELLS cells; with WELLS the blocks from
             `regular` on solve lines with an inverse, some rows per warp
   Bytes     per cell of the colour 9 sizeof(Real) and four neighbours, which neighbouring threads share; from zero 5
             sizeof(Real), else with Packed 7; inverses K^2 sizeof(Real) each
   Order     deterministic: along the chunks, between them a fixed tree; rows of an inverse by lanes, then a fixed tree
*/
template <int CELLS, int CHUNKS, class Real, class Source, class Packed, bool WELLS>
__global__ void __launch_bounds__(GridTuning::columns *CHUNKS, (lines_resident<CELLS, CHUNKS, Real, Source>))
  grid_lines_kernel(const __grid_constant__ GridLevel<Real> L, const __grid_constant__ GridLevel<Real> C, const __grid_constant__ GridStep s,
                    const __grid_constant__ Source source, const __grid_constant__ GridDense<Real> D, unsigned regular)
{
  __shared__ GridScan<Real, CHUNKS> scan;
  const bool                        many  = has_many_blocks();
  GridKept                          sink  = {s.change};
  const auto                        ready = [] {
    await_predecessor();
    return true;
  };
  const auto done = [&] {
    if (many) let_successor_begin();
  };

  static_assert(sizeof(scan) >= GridTuning::dense_rows * sizeof(Real), "the rows of a line with an inverse lie there");
  if (!many) let_successor_begin();
  if constexpr (WELLS)
    if (blockIdx.x >= regular) {
      grid_solve_dense_lines<1>(
        L, C, D, source, s, blockIdx.x - regular, GridTuning::columns * CHUNKS, reinterpret_cast<Real *>(&scan), [](Real part) { return sum_of_warp(part); },
        ready, done, Packed());
      return;
    }
  grid_solve_lines<CELLS, CHUNKS>(L, C, source, sink, s, blockIdx.x * static_cast<std::size_t>(GridTuning::columns), scan, ready, done, Packed(),
                                  WELLS ? D.line : nullptr);
}

/*
   Computes  the right-hand side of level C: residuals of F added up
   Threads   one per coarse place
   Bytes     per fine cell 2 B^2 sizeof(Real), with Packed B^2, and neighbours, per coarse cell B sizeof(Real)
   Order     deterministic: along i, then along j
*/
template <int B, class Real, class Packed>
__global__ void __launch_bounds__(threads)
  grid_restrict_kernel(const __grid_constant__ GridLevel<Real> F, const __grid_constant__ GridLevel<Real> C, bool change)
{
  wait_for_predecessor();
  for_places(C, [&](int k, int colour, std::size_t column) { grid_restrict<B>(Packed(), F, C, change ? F.d : nullptr, k, colour, column); });
}

/*
   Computes  x += x of the next coarser level
   Threads   one per place
   Bytes     per row 2 sizeof(Real), and the rows of the coarse level
   Order     none
*/
template <int B, class Real>
__global__ void __launch_bounds__(threads) grid_prolong_kernel(const __grid_constant__ GridLevel<Real> F, const __grid_constant__ GridLevel<Real> C)
{
  wait_for_predecessor();
  for_places(F, [&](int k, int colour, std::size_t column) { grid_prolong<B>(F, C, k, colour, column); });
}

/*
   Computes  right-hand sides of rows with remainder: stored, with x = 0 in the columns of the remainder entries; or
             less the product of the remainder entries with x
   Threads   a warp per row with remainder entries of the colour
   Bytes     per remainder entry 8 + 2 sizeof(Real), per row 8 + 2 sizeof(Real)
   Order     deterministic: along the row by lanes, then a fixed tree
*/
template <class Real>
__global__ void __launch_bounds__(threads)
  grid_remainder_rows_kernel(const __grid_constant__ GridLevel<Real> L, const __grid_constant__ GridRemainder<Real> K, bool enter, int first, int last)
{
  const GridLane of = lane_of_warp();
  const int      r  = first + warp_number();

  let_successor_begin();
  if (enter || r >= last) {
    await_predecessor();
    if (r < last) grid_remainder_enter(L, K, r, of);
    return;
  }
  const GridRemainderRow<Real> remainder(K, r, of);

  await_predecessor();
  const Real product = sum_of_warp(grid_remainder_product(L, K, remainder));
  if (of.lane == 0) grid_remainder_balance(L, K, r, remainder.row, product);
}

/*
   Computes  the residuals of rows with remainder entries, added to the right-hand side of level C
   Threads   a warp per coarse row that gets any
   Bytes     as grid_remainder_rows_kernel()
   Order     deterministic: that of the list, along rows by lanes, then a fixed tree
*/
template <class Real>
__global__ void __launch_bounds__(threads)
  grid_remainder_restrict_kernel(const __grid_constant__ GridLevel<Real> F, const __grid_constant__ GridRemainder<Real> K, GridSums to,
                                 const __grid_constant__ GridLevel<Real> C)
{
  const GridLane of = lane_of_warp();
  const int      t  = warp_number();

  wait_for_predecessor();
  if (t >= to.count) return;
  const Real sum = sum_of_warp(grid_remainder_residual(F, K, to, t, of));
  if (of.lane == 0) C.b[to.place[t]] += sum;
}

/* A kernel of a cycle that follows another kernel of it */
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 blocks, dim3 of_block, cudaStream_t stream, const Arguments &...arguments)
{
  return launch_chained(kernel, blocks, of_block, stream, blocks.x * blocks.y <= GridTuning::early_blocks, arguments...);
}

template <class Real, class Source>
cudaError_t launch_lines(const GridSystem<Real> &S, const GridStep &s, const Source &source, cudaStream_t stream)
{
  const GridLevel<Real> &L = S.levels[s.level], &C = S.levels[s.correct ? s.level + 1 : s.level];
  const GridDense<Real>  D       = S.Dense(static_cast<std::size_t>(s.level));
  const unsigned         regular = blocks_for(L.columns, GridTuning::columns), lines = static_cast<unsigned>(D.last(s.colour) - D.first(s.colour));

  return with_packed(L, std::integral_constant<int, 1>(), [&](auto packed) {
    return with_chunks(L.K, [&](auto cells, auto chunks) {
      constexpr int threads_of = GridTuning::columns * chunks();
      const auto    with       = [&](auto wells) {
        return launch(grid_lines_kernel<cells(), chunks(), Real, Source, decltype(packed), wells()>, regular + lines * grid_dense_shares(D.n, threads_of),
                               threads_of, stream, L, C, s, source, D, regular);
      };

      return lines ? with(std::true_type()) : with(std::false_type());
    });
  });
}

template <class Real>
cudaError_t launch_solve(const GridSystem<Real> &S, const GridStep &s, int *launches, cudaStream_t stream)
{
  *launches += 1;
  return S.B == 1 ? launch_lines(S, s, GridStored(), stream) : launch_grid_block_lines(S, s, stream);
}

template <class Real>
cudaError_t launch_restrict(const GridSystem<Real> &S, const GridStep &s, int *launches, cudaStream_t stream)
{
  const GridLevel<Real> &L = S.levels[s.level], &C = S.levels[s.level + 1];
  const GridSums        &to = S.remainder[s.level + 1].right_side;
  const GridLaunch       over(C.columns, 2 * static_cast<std::size_t>(C.K));

  cudaError_t err = cudaSuccess;

  *launches += 1 + (to.count > 0);
  with_unknowns(S.B, [&](auto b) {
    with_packed(L, b, [&](auto packed) { err = launch(grid_restrict_kernel<b(), Real, decltype(packed)>, over.blocks, over.threads, stream, L, C, s.change); });
  });
  const MetricsPass metrics(true, [&] {
    return DeclaredPass{grid_text(S, s) + ", rows with remainder entries", grid_remainder_bytes(S.remainder[s.level], 1.)};
  });
  if (err == cudaSuccess && to.count)
    err = launch(grid_remainder_restrict_kernel<Real>, blocks_for(to.count, threads / 32), threads, stream, L, S.remainder[s.level], to, C);
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
cudaError_t launch_grid_import(int B, const GridLevel<Real> &L, const GridNatural &at, const Scalar *r, cudaStream_t stream)
{
  const GridLaunch over(L.columns, 2 * static_cast<std::size_t>(L.K));

  with_unknowns(B, [&](auto b) { grid_take_kernel<b(), Real><<<over.blocks, over.threads, 0, stream>>>(L, at, r); });
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_grid_export(int B, const GridLevel<Real> &L, const GridNatural &at, Scalar scale, Scalar *y, cudaStream_t stream)
{
  const GridLaunch over(L.columns, 2 * static_cast<std::size_t>(L.K));

  with_unknowns(B, [&](auto b) { grid_give_kernel<b(), Real><<<over.blocks, over.threads, 0, stream>>>(L, at, scale, y); });
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_grid_step(const GridSystem<Real> &S, const GridStep &s, int *launches, cudaStream_t stream)
{
  const GridLevel<Real>     &L     = S.levels[s.level];
  const GridRemainder<Real> &K     = S.remainder[s.level];
  const bool                 enter = s.op == GridOp::enter;
  const int                  first = enter || !s.colour ? 0 : K.reds, last = enter || s.colour ? K.rows : K.reds;

  if (s.op == GridOp::solve) return launch_solve(S, s, launches, stream);
  if (s.op == GridOp::restrict) return launch_restrict(S, s, launches, stream);
  if (s.op != GridOp::prolong && last == first) return cudaSuccess;
  *launches += 1;
  if (s.op == GridOp::prolong) return launch_prolong(S, s, stream);
  return launch(grid_remainder_rows_kernel<Real>, blocks_for(last - first, threads / 32), threads, stream, L, K, enter, first, last);
}

template <class Real>
cudaError_t launch_grid_restricted(const GridSystem<Real> &S, const GridStep &restriction, const GridStep &solve, int *launches, cudaStream_t stream)
{
  const GridLevel<Real> &F = S.levels[restriction.level];

  *launches += 1;
  return with_packed(F, std::integral_constant<int, 1>(), [&](auto packed) {
    return launch_lines(S, solve, GridRestricted<Real, decltype(packed)>{F, restriction.change ? F.d : F.x}, stream);
  });
}

#define HEPTANE_GRID_CYCLE(Real) \
  template cudaError_t launch_grid_import<Real>(int, const GridLevel<Real> &, const GridNatural &, const Scalar *, cudaStream_t); \
  template cudaError_t launch_grid_export<Real>(int, const GridLevel<Real> &, const GridNatural &, Scalar, Scalar *, cudaStream_t); \
  template cudaError_t launch_grid_step<Real>(const GridSystem<Real> &, const GridStep &, int *, cudaStream_t); \
  template cudaError_t launch_grid_restricted<Real>(const GridSystem<Real> &, const GridStep &, const GridStep &, int *, cudaStream_t);
HEPTANE_GRID_CYCLE(float)
HEPTANE_GRID_CYCLE(double)
#undef HEPTANE_GRID_CYCLE

} // namespace heptane

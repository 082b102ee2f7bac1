/*
   CG without red columns on the device: kernels around the arithmetic of gridmg_reduced_rows.hpp, and the first and last half sweeps of the finest level with what CG does to its vectors there.
   The kernels contain CG by design: they call the functions of its scalars.
*/
#include "../../device/chained_launch.cuh"
#include "../../device/launch.hpp"
#include "../../ksp/fusedcg/fusedcg_reduced.hpp"
#include "../../pass/reduction.cuh"
#include "gridmg_factor.cuh"
#include "gridmg_lines.cuh"
#include "gridmg_reduced.hpp"
#include "gridmg_reduced_launch.cuh"

namespace heptane
{

namespace
{

constexpr int threads = GridTuning::threads, line_threads = GridTuning::line_threads;

/*
   Computes  the coefficients of GridReduced::exact; whether any cell is refused
   Threads   one per place of a layer, along a part of the line
   Bytes     14 sizeof(Scalar) per cell
   Order     none
*/
template <class Real>
__global__ void __launch_bounds__(threads)
  grid_reduced_load_kernel(const __grid_constant__ GridMatrix A, const __grid_constant__ GridReduced<Real> R, const GridFlat flat, GridReport *report)
{
  for_flat_cells(R.exact, flat, 0, [&](int k, std::size_t column, const GridColumn &) {
    for (int colour = 0; colour < 2; colour++) /* both lie in the same pieces of the matrix */
      if (grid_reduced_load(A, R, k, colour, column)) atomicAdd(&report->count[grid_reduced_refused], 1ull);
  });
}

/*
   Computes  the factors of red lines
   Threads   one per red column, along the whole line
   Bytes     10 sizeof(Scalar) per red cell
   Order     deterministic: along the line
*/
template <class Real>
__global__ void __launch_bounds__(line_threads) grid_reduced_factor_kernel(const __grid_constant__ GridReduced<Real> R, GridReport *report)
{
  const std::size_t column = blockIdx.x * static_cast<std::size_t>(line_threads) + threadIdx.x;

  if (column < R.exact.columns) grid_factor_line<1>(R.exact, 0, column, [&](std::size_t) { atomicAdd(&report->count[grid_singular], 1ull); });
}

/*
   Computes  w = A z + b w, p = z + b p on black cells; (p, w); the scalars before it
   Threads   one per black column, along a part of the line
   Bytes     12 sizeof(Scalar) + sizeof(Real) per black cell
   Order     deterministic: block_reduce.cuh
*/
template <class Real>
__global__ void __launch_bounds__(threads)
  grid_reduced_product_kernel(const __grid_constant__ GridReduced<Real> R, const GridFlat flat, const FusedState state, const FusedReduction red)
{
  CgReducedProduct step;
  Scalar           sum[1] = {0};

  await_predecessor();
  if (!advance_scalars(step, state, red)) return;
  for_flat_cells(R.exact, flat, 1, [&](int k, std::size_t column, const GridColumn &C) { sum[0] += grid_reduced_product(R, step.b, k, column, C); });
  leave_sums<threads>(sum, red, cg_pw);
}

/*
   Computes  the start on black cells, or the end
   Threads   one per black column, along a part of the line
   Bytes     10 sizeof(Scalar) per black cell, 6 at the end
   Order     none
*/
template <class Real>
__global__ void __launch_bounds__(threads)
  grid_reduced_edge_kernel(const __grid_constant__ GridReduced<Real> R, const GridFlat flat, bool start, Scalar *x, Scalar *r)
{
  for_flat_cells(R.exact, flat, 1, [&](int k, std::size_t column, const GridColumn &C) {
    if (start) grid_reduced_start(R, r, k, column, C);
    else grid_reduced_finish(R, x, r, k, column, C);
  });
}

/* Right-hand sides of black lines: r, brought up to date where UPDATE; then its square is added up */
template <class Real, bool UPDATE>
struct OfResidual : GridPlain {
  const GridReduced<Real> &R;
  Scalar                   a, square[1];

  template <int CELLS, int CHUNKS>
  __device__ __forceinline__ void give(GridChunk<CELLS, CHUNKS, Real> &chunk, int p, GridPlain::Found)
  {
    GridUpdate cell[CELLS];

    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      const std::size_t at = R.black(chunk.layer(p, t), chunk.column);

      if (UPDATE) cell[t].load(R, at);
      else cell[t].r = R.r[at];
    }
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      if (UPDATE && chunk.inside(p, t)) {
        cell[t].store(R, a, R.black(chunk.layer(p, t), chunk.column));
        square[0] += cell[t].r * cell[t].r;
      }
      chunk.z[t] = static_cast<Real>(cell[t].r);
    }
  }
};

/* z of black lines, and sums: (z, r), (z, z) */
template <class Real>
struct ToSums {
  const GridReduced<Real> &R;
  Scalar                   sum[2];

  template <int CELLS, int CHUNKS>
  __device__ __forceinline__ void take(const GridChunk<CELLS, CHUNKS, Real> &chunk, int p)
  {
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      const Scalar r = R.r[R.black(chunk.layer(p, t), chunk.column)], z = R.scale * static_cast<Scalar>(chunk.z[t]);

      if (!chunk.inside(p, t)) continue;
      sum[0] += z * r;
      sum[1] += z * z;
      R.z[R.black(chunk.k(p, t), chunk.column)] = chunk.z[t];
    }
  }
};

/* Of red lines, in the precision of the solver: right-hand sides from z, from what has been added to x, or from r; the solution stored, added to x of the solver */
enum RedOf { of_z, of_x, of_residual };
template <class Real, RedOf OF>
struct RedLines : GridPlain {
  const GridReduced<Real> &R;
  Scalar                  *x, *r;
  Scalar                   sum[1]; /* (z, z) */

  template <int CELLS, int CHUNKS>
  __device__ __forceinline__ void give(GridChunk<CELLS, CHUNKS, Scalar> &chunk, int p, GridPlain::Found) const
  {
    const GridColumn at = chunk.at();

    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      const int k = chunk.layer(p, t);

      if (OF == of_z) chunk.z[t] = grid_red_of_z(R, k, chunk.column, at);
      if (OF == of_x) chunk.z[t] = grid_red_of_x(R, k, chunk.column, at);
      if (OF == of_residual) chunk.z[t] = chunk.solves ? r[R.cell(k, at)] : Scalar(0);
    }
  }
  template <int CELLS, int CHUNKS>
  __device__ __forceinline__ void take(const GridChunk<CELLS, CHUNKS, Scalar> &chunk, int p)
  {
    const GridColumn at = chunk.at();

    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      if (!chunk.inside(p, t)) continue;
      const std::size_t cell = R.cell(chunk.k(p, t), at);

      sum[0] += chunk.z[t] * chunk.z[t];
      if (OF != of_z) x[cell] += chunk.z[t];
      if (OF == of_residual) r[cell] = 0;
    }
    if (OF != of_x) chunk.store(p, false);
  }
};

/* Blocks of a multiprocessor, at least: two of 512 threads, three of 256 */
template <int CELLS, int CHUNKS, class Real>
inline constexpr int whole_resident = sizeof(Real) > 4 || CELLS > 4 ? 1
                                      : CHUNKS == 32                ? 2
                                                                    : 3;

__device__ __forceinline__ GridStep whole_step(int colour, bool correct)
{
  GridStep s{GridOp::solve, 0, colour};

  s.zero    = true;
  s.correct = correct;
  return s;
}

/*
   Computes  UPDATE: the scalars; x += a p, r -= a w on black cells; norm: (r, r). Then black lines solved from zero
   Threads   as grid_lines_kernel()
   Bytes     per black cell 6 sizeof(Scalar) + 4 sizeof(Real); without UPDATE 5 sizeof(Scalar) less
   Order     deterministic: as grid_lines_kernel(); block_reduce.cuh
*/
template <int CELLS, int CHUNKS, class Real, bool UPDATE>
__global__ void __launch_bounds__(GridTuning::columns *CHUNKS, (whole_resident<CELLS, CHUNKS, Real>))
  grid_reduced_first_kernel(const __grid_constant__ GridReduced<Real> R, bool norm, const FusedState state, const FusedReduction red)
{
  __shared__ GridScan<Real, CHUNKS> scan;
  OfResidual<Real, UPDATE>          source  = {{}, R, 0, {0}};
  GridKept                          sink    = {false};
  const GridStep                    s       = whole_step(1, false);
  bool                              goes_on = true;

  grid_solve_lines<CELLS, CHUNKS>(
    R.level, R.level, source, sink, s, blockIdx.x * static_cast<std::size_t>(GridTuning::columns), scan,
    [&] {
      CgReducedUpdate step;

      await_predecessor();
      if (!UPDATE) return true;
      goes_on  = advance_scalars(step, state, red);
      source.a = step.a;
      return goes_on;
    },
    [] { let_successor_begin(); });
  if (UPDATE && norm && goes_on) leave_sums<GridTuning::columns * CHUNKS>(source.square, red, cg_nn);
}

/*
   Computes  black lines solved with the correction, x of red ones being zero before it; (z, r); of_z: and (z, z)
   Threads   as grid_lines_kernel()
   Bytes     per black cell 9 sizeof(Real) + sizeof(Scalar), and x of the coarse level
   Order     deterministic: as grid_lines_kernel(); block_reduce.cuh
*/
template <int CELLS, int CHUNKS, class Real>
__global__ void __launch_bounds__(GridTuning::columns *CHUNKS, (whole_resident<CELLS, CHUNKS, Real>))
  grid_reduced_black_kernel(const __grid_constant__ GridReduced<Real> R, const __grid_constant__ GridLevel<Real> C, bool of_z, int at, const FusedReduction red)
{
  __shared__ GridScan<Real, CHUNKS> scan;
  OfResidual<Real, false>           source = {{}, R, 0, {0}};
  ToSums<Real>                      sink   = {
                           R, {0, 0}
  };
  const GridStep s = whole_step(1, true);

  grid_solve_lines<CELLS, CHUNKS>(
    R.level, C, source, sink, s, blockIdx.x * static_cast<std::size_t>(GridTuning::columns), scan,
    [] {
      await_predecessor();
      return true;
    },
    [] {});
  if (of_z) leave_sums<GridTuning::columns * CHUNKS>(sink.sum, red, at);
  else {
    Scalar sum[1] = {sink.sum[0]};
    leave_sums<GridTuning::columns * CHUNKS>(sum, red, at);
  }
}

/*
   Computes  red lines solved in the precision of the solver: see RedLines; at >= 0: (z, z)
   Threads   as grid_lines_kernel()
   Bytes     per red cell 8 sizeof(Scalar) + sizeof(Real)
   Order     deterministic: as grid_lines_kernel(); block_reduce.cuh
*/
template <int CELLS, int CHUNKS, class Real, RedOf OF>
__global__ void __launch_bounds__(GridTuning::columns *CHUNKS)
  grid_reduced_red_kernel(const __grid_constant__ GridReduced<Real> R, Scalar *x, Scalar *r, int at, const FusedReduction red)
{
  __shared__ GridScan<Scalar, CHUNKS> scan;
  RedLines<Real, OF>                  both = {{}, R, x, r, {0}};
  const GridStep                      s    = whole_step(0, false);

  grid_solve_lines<CELLS, CHUNKS>(
    R.exact, R.exact, both, both, s, blockIdx.x * static_cast<std::size_t>(GridTuning::columns), scan,
    [] {
      await_predecessor();
      return true;
    },
    [] {});
  if (at >= 0) leave_sums<GridTuning::columns * CHUNKS>(both.sum, red, at);
}

template <RedOf OF, class Real>
cudaError_t launch_red(const GridReduced<Real> &R, Scalar *x, Scalar *r, int at, const FusedReduction &red, cudaStream_t stream)
{
  return with_chunks(R.exact.K, [&](auto cells, auto chunks) {
    return launch_chained(grid_reduced_red_kernel<cells(), chunks(), Real, OF>, blocks_for(R.exact.columns, GridTuning::columns),
                          GridTuning::columns * chunks(), stream, red.chained, R, x, r, at, red);
  });
}

template <class Real>
cudaError_t launch_edge(const GridReduced<Real> &R, bool start, Scalar *x, Scalar *r, cudaStream_t stream)
{
  const GridFlat flat(R);

  grid_reduced_edge_kernel<<<flat.blocks(), threads, 0, stream>>>(R, flat, start, x, r);
  return cudaGetLastError();
}

} // namespace

template <class Real>
unsigned reduced_blocks(const GridReduced<Real> &R)
{
  return std::max(GridFlat(R).blocks(), blocks_for(R.exact.columns, GridTuning::columns));
}

template <class Real>
cudaError_t launch_reduced_set_up(const GridMatrix &A, const GridReduced<Real> &R, GridReport *report, cudaStream_t stream)
{
  const GridFlat flat(R, 4 * GridTuning::reduced_blocks);

  grid_reduced_load_kernel<<<flat.blocks(), threads, 0, stream>>>(A, R, flat, report);
  grid_reduced_factor_kernel<<<blocks_for(R.exact.columns, line_threads), line_threads, 0, stream>>>(R, report);
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_reduced_start(const GridReduced<Real> &R, Scalar *x, Scalar *r, cudaStream_t stream)
{
  const cudaError_t err = launch_red<of_residual>(R, x, r, -1, FusedReduction(), stream);

  return err != cudaSuccess ? err : launch_edge(R, true, x, r, stream);
}

template <class Real>
cudaError_t launch_reduced_product(const GridReduced<Real> &R, const FusedState &state, const FusedReduction &red, cudaStream_t stream)
{
  const GridFlat flat(R);

  return launch_chained(grid_reduced_product_kernel<Real>, flat.blocks(), threads, stream, red.chained, R, flat, state, red);
}

template <class Real>
cudaError_t launch_reduced_first(const GridReduced<Real> &R, bool update, bool norm, const FusedState &state, const FusedReduction &red, cudaStream_t stream)
{
  return with_chunks(R.exact.K, [&](auto cells, auto chunks) {
    const dim3 blocks = blocks_for(R.exact.columns, GridTuning::columns), of_block = GridTuning::columns * chunks();

    if (update) return launch_chained(grid_reduced_first_kernel<cells(), chunks(), Real, true>, blocks, of_block, stream, red.chained, R, norm, state, red);
    return launch_chained(grid_reduced_first_kernel<cells(), chunks(), Real, false>, blocks, of_block, stream, red.chained, R, norm, state, red);
  });
}

template <class Real>
cudaError_t launch_reduced_last(const GridReduced<Real> &R, const GridLevel<Real> &coarse, bool of_z, int at, const FusedReduction &red, cudaStream_t stream)
{
  const cudaError_t err = with_chunks(R.exact.K, [&](auto cells, auto chunks) {
    return launch_chained(grid_reduced_black_kernel<cells(), chunks(), Real>, blocks_for(R.exact.columns, GridTuning::columns), GridTuning::columns * chunks(),
                          stream, red.chained, R, coarse, of_z, at, red);
  });

  return err != cudaSuccess ? err : launch_red<RedOf::of_z>(R, nullptr, nullptr, of_z ? at + ReducedCg::more : -1, red, stream);
}

template <class Real>
cudaError_t launch_reduced_finish(const GridReduced<Real> &R, Scalar *x, Scalar *r, cudaStream_t stream)
{
  const cudaError_t err = launch_red<of_x>(R, x, r, -1, FusedReduction(), stream);

  return err != cudaSuccess ? err : launch_edge(R, false, x, r, stream);
}

#define HEPTANE_GRID_REDUCED(Real) \
  template unsigned    reduced_blocks<Real>(const GridReduced<Real> &); \
  template cudaError_t launch_reduced_set_up<Real>(const GridMatrix &, const GridReduced<Real> &, GridReport *, cudaStream_t); \
  template cudaError_t launch_reduced_start<Real>(const GridReduced<Real> &, Scalar *, Scalar *, cudaStream_t); \
  template cudaError_t launch_reduced_product<Real>(const GridReduced<Real> &, const FusedState &, const FusedReduction &, cudaStream_t); \
  template cudaError_t launch_reduced_first<Real>(const GridReduced<Real> &, bool, bool, const FusedState &, const FusedReduction &, cudaStream_t); \
  template cudaError_t launch_reduced_last<Real>(const GridReduced<Real> &, const GridLevel<Real> &, bool, int, const FusedReduction &, cudaStream_t); \
  template cudaError_t launch_reduced_finish<Real>(const GridReduced<Real> &, Scalar *, Scalar *, cudaStream_t);
HEPTANE_GRID_REDUCED(float)
HEPTANE_GRID_REDUCED(double)
#undef HEPTANE_GRID_REDUCED

} // namespace heptane

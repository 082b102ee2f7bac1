/*
   CG without red columns on the device: kernels around rows/reduced_rows.hpp, and half sweeps of the finest level fused
   with vector updates. The kernels contain CG by design: they call the functions of its scalars.
*/
#include "../../../device/chained_launch.cuh"
#include "../../../device/launch.hpp"
#include "../../../ksp/fusedcg/reduced.hpp"
#include "../../../pass/reduction.cuh"
#include "cost.hpp"
#include "lines.cuh"
#include "reduced_kernels.hpp"
#include "reduced_launch.cuh"

namespace heptane
{

namespace
{

constexpr int threads = GridTuning::threads;

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
  for_flat_cells(R.exact, flat, 1, [&](int k, std::size_t column, const GridColumn &C) {
    const Scalar both = grid_reduced_product(R, step.b, k, column, C);

    if (R.owns(column)) sum[0] += both;
  });
  let_successor_begin();
  publish_sums_of_ranks<threads>(sum, red, cg_pw);
}

/* Right-hand sides of black lines at the start, from the residual of the solver and the solution of red lines */
template <class Real>
struct OfStart : GridPlain {
  const GridReduced<Real> &R;
  const Scalar            *r;

  template <int CELLS, int CHUNKS>
  __device__ __forceinline__ void give(GridChunk<CELLS, CHUNKS, Real> &chunk, int p, GridPlain::Found) const
  {
    const GridColumn at = chunk.at();
    Scalar           now[CELLS];

    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) now[t] = grid_reduced_start(R, r, chunk.layer(p, t), chunk.column, at);
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      const std::size_t to = R.black(chunk.layer(p, t), chunk.column);

      if (chunk.within && chunk.k(p, t) < chunk.L.K) {
        R.r[to] = now[t];
        R.x[to] = 0; /* w and p are written before they are read */
      }
      chunk.z[t] = static_cast<Real>(now[t]);
    }
  }
};

/* Right-hand sides of black lines: r, updated first if UPDATE; then its square is summed */
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
        if (R.owns(chunk.column)) square[0] += cell[t].r * cell[t].r;
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

      if (!chunk.inside(p, t) || !R.owns(chunk.column)) continue; /* the neighbour has z of overlap rows */
      sum[0] += z * r;
      sum[1] += z * z;
      R.z[R.black(chunk.k(p, t), chunk.column)] = chunk.z[t];
    }
  }
};

/* Red lines in the precision of the solver. Right-hand sides: from z, r (start), r and the increment of x (end). */
enum RedOf { of_z, of_r, of_x };
template <class Real, RedOf OF>
struct RedLines : GridPlain {
  const GridReduced<Real> &R;
  const Scalar            *from;   /* r of the start */
  bool                     zero;   /* x of the solver was zero */
  Scalar                  *x, *r;  /* of the solver; of_x */
  Scalar                   sum[1]; /* (z, z); of_z */

  template <int CELLS, int CHUNKS>
  __device__ __forceinline__ void give(GridChunk<CELLS, CHUNKS, Scalar> &chunk, int p, GridPlain::Found) const
  {
    const GridColumn at = chunk.at();

    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      const int k = chunk.layer(p, t);

      if (OF == of_z) chunk.z[t] = grid_red_of_z(R, k, chunk.column, at);
      if (OF == of_r) chunk.z[t] = grid_red_of_r(R, from, k, at);
      if (OF == of_x) chunk.z[t] = grid_red_of_x(R, from, k, chunk.column, at);
    }
  }
  template <int CELLS, int CHUNKS>
  __device__ __forceinline__ void take(const GridChunk<CELLS, CHUNKS, Scalar> &chunk, int p)
  {
    if constexpr (OF == of_x) finish(chunk, p);
    else {
      HEPTANE_UNROLL
      for (int t = 0; t < CELLS; t++)
        if (OF == of_z && chunk.inside(p, t) && R.owns(chunk.column)) sum[0] += chunk.z[t] * chunk.z[t];
      chunk.store(p, false);
    }
  }

private:
  /* Also black cells in the same places, which are adjacent to the red ones in the vectors of the solver */
  template <int CELLS, int CHUNKS>
  __device__ __forceinline__ void finish(const GridChunk<CELLS, CHUNKS, Scalar> &chunk, int p) const
  {
    const GridColumn at[2] = {chunk.at(), GridColumn(chunk.L, 1, chunk.column)};
    Scalar           more[CELLS], left[CELLS], before[2][CELLS];

    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      const int k = chunk.layer(p, t);

      more[t] = R.x[R.black(k, chunk.column)];
      left[t] = R.r[R.black(k, chunk.column)];
      HEPTANE_UNROLL
      for (int colour = 0; colour < 2; colour++) before[colour][t] = !zero && at[colour].exists ? x[R.cell(k, at[colour])] : Scalar(0);
    }
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      const int k = chunk.k(p, t);

      if (!chunk.within || k >= chunk.L.K) continue;
      if (at[0].exists) grid_reduced_finish(R.cell(k, at[0]), before[0][t], chunk.z[t], Scalar(0), x, r);
      if (at[1].exists) grid_reduced_finish(R.cell(k, at[1]), before[1][t], more[t], left[t], x, r);
    }
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
   Computes  the scalars; x += a p, r -= a w on black cells; norm: (r, r). Then black lines solved from zero
   Threads   as grid_lines_kernel()
   Bytes     per black cell 6 sizeof(Scalar) + 4 sizeof(Real)
   Order     deterministic: as grid_lines_kernel(); block_reduce.cuh
*/
template <int CELLS, int CHUNKS, class Real>
__global__ void __launch_bounds__(GridTuning::columns *CHUNKS, (whole_resident<CELLS, CHUNKS, Real>))
  grid_reduced_first_kernel(const __grid_constant__ GridReduced<Real> R, bool norm, const FusedState state, const FusedReduction red)
{
  __shared__ GridScan<Real, CHUNKS> scan;
  OfResidual<Real, true>            source    = {{}, R, 0, {0}};
  GridKept                          sink      = {false};
  const GridStep                    s         = whole_step(1, false);
  bool                              continues = true;

  grid_solve_lines<CELLS, CHUNKS>(
    R.level, R.level, source, sink, s, R.first + blockIdx.x * static_cast<std::size_t>(GridTuning::columns), scan,
    [&] {
      CgReducedUpdate step;

      await_predecessor();
      continues = advance_scalars(step, state, red);
      source.a  = step.a;
      return continues;
    },
    [] { let_successor_begin(); });
  if (norm && continues) publish_sums_of_ranks<GridTuning::columns * CHUNKS>(source.square, red, cg_nn);
}

/*
   Computes  the residual of black cells when red lines have been solved, and black lines solved for it from zero
   Threads   as grid_lines_kernel()
   Bytes     per black cell 8 sizeof(Scalar) + 4 sizeof(Real)
   Order     deterministic: as grid_lines_kernel()
*/
template <int CELLS, int CHUNKS, class Real>
__global__ void __launch_bounds__(GridTuning::columns *CHUNKS, (whole_resident<CELLS, CHUNKS, Real>))
  grid_reduced_start_kernel(const __grid_constant__ GridReduced<Real> R, const Scalar *r)
{
  __shared__ GridScan<Real, CHUNKS> scan;
  OfStart<Real>                     source = {{}, R, r};
  GridKept                          sink   = {false};

  grid_solve_lines<CELLS, CHUNKS>(
    R.level, R.level, source, sink, whole_step(1, false), R.first + blockIdx.x * static_cast<std::size_t>(GridTuning::columns), scan,
    [] {
      await_predecessor();
      return true;
    },
    [] { let_successor_begin(); });
}

/*
   Computes  black lines solved with the correction, x of red ones being zero before it; (z, r); of_z: and (z, z)
   Threads   as grid_lines_kernel()
   Bytes     per black cell 9 sizeof(Real), with Packed 7, + sizeof(Scalar), and x of the coarse level
   Order     deterministic: as grid_lines_kernel(); block_reduce.cuh
*/
template <int CELLS, int CHUNKS, class Real, class Packed>
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
    R.level, C, source, sink, s, R.first + blockIdx.x * static_cast<std::size_t>(GridTuning::columns), scan,
    [] {
      await_predecessor();
      return true;
    },
    [] { let_successor_begin(); }, Packed());
  if (of_z) publish_sums<GridTuning::columns * CHUNKS>(sink.sum, red, at);
  else {
    Scalar sum[1] = {sink.sum[0]};
    publish_sums<GridTuning::columns * CHUNKS>(sum, red, at);
  }
}

/*
   Computes  red lines solved in the precision of the solver: see RedLines; at >= 0: (z, z)
   Threads   as grid_lines_kernel()
   Bytes     per red cell 8 sizeof(Scalar) + sizeof(Real); at the start 6 sizeof(Scalar), at the end 16, or 18
   Order     deterministic: as grid_lines_kernel(); block_reduce.cuh
*/
template <int CELLS, int CHUNKS, class Real, RedOf OF>
__global__ void __launch_bounds__(GridTuning::columns *CHUNKS)
  grid_reduced_red_kernel(const __grid_constant__ GridReduced<Real> R, const Scalar *from, bool zero, Scalar *x, Scalar *r, int at, const FusedReduction red)
{
  __shared__ GridScan<Scalar, CHUNKS> scan;
  RedLines<Real, OF>                  both = {{}, R, from, zero, x, r, {0}};
  const GridStep                      s    = whole_step(0, false);

  grid_solve_lines<CELLS, CHUNKS>(
    R.exact, R.exact, both, both, s, R.first + blockIdx.x * static_cast<std::size_t>(GridTuning::columns), scan,
    [] {
      await_predecessor();
      return true;
    },
    [] { let_successor_begin(); });
  if (at >= 0) publish_sums<GridTuning::columns * CHUNKS>(both.sum, red, at);
}

template <RedOf OF, class Real>
cudaError_t launch_red(const GridReduced<Real> &R, const Scalar *from, bool zero, Scalar *x, Scalar *r, int at, const FusedReduction &red, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] {
    const int         scalars = OF == of_z ? 8 : OF == of_r ? 6 : zero ? 16 : 18, reals = OF == of_z;
    const char *const after = OF == of_z ? ", sum of squares" : OF == of_r ? " at the start" : ", x and r given to the solver";
    return DeclaredPass{std::string("reduced CG: red lines solved") + after, grid_cells(R.exact) / 2 * (scalars * sizeof(Scalar) + reals * sizeof(Real))};
  });

  return with_chunks(R.exact.K, [&](auto cells, auto chunks) {
    return launch_chained(grid_reduced_red_kernel<cells(), chunks(), Real, OF>, blocks_for(R.count, GridTuning::columns), GridTuning::columns * chunks(),
                          stream, red.chained, R, from, zero, x, r, at, red);
  });
}

} // namespace

template <class Real>
unsigned reduced_blocks(const GridReduced<Real> &R)
{
  return std::max(GridFlat(R).blocks(), blocks_for(R.exact.columns, GridTuning::columns));
}

template <class Real>
cudaError_t launch_reduced_start(const GridReduced<Real> &R, const Scalar *r, bool chained, cudaStream_t stream)
{
  FusedReduction none;

  none.chained          = chained;
  const cudaError_t err = launch_red<of_r>(R, r, false, nullptr, nullptr, -1, none, stream);

  if (err != cudaSuccess) return err;
  return with_chunks(R.exact.K, [&](auto cells, auto chunks) {
    return launch_chained(grid_reduced_start_kernel<cells(), chunks(), Real>, blocks_for(R.count, GridTuning::columns), GridTuning::columns * chunks(), stream,
                          chained, R, r);
  });
}

template <class Real>
cudaError_t launch_reduced_product(const GridReduced<Real> &R, const FusedState &state, const FusedReduction &red, cudaStream_t stream)
{
  const GridFlat flat(R);

  return launch_chained(grid_reduced_product_kernel<Real>, flat.blocks(), threads, stream, red.chained, R, flat, state, red);
}

template <class Real>
cudaError_t launch_reduced_first(const GridReduced<Real> &R, bool norm, const FusedState &state, const FusedReduction &red, cudaStream_t stream)
{
  return with_chunks(R.exact.K, [&](auto cells, auto chunks) {
    return launch_chained(grid_reduced_first_kernel<cells(), chunks(), Real>, blocks_for(R.count, GridTuning::columns), GridTuning::columns * chunks(), stream,
                          red.chained, R, norm, state, red);
  });
}

template <class Real>
cudaError_t launch_reduced_black(const GridReduced<Real> &R, const GridLevel<Real> &coarse, bool of_z, int at, const FusedReduction &red, cudaStream_t stream)
{
  return with_packed(R.level, std::integral_constant<int, 1>(), [&](auto packed) {
    return with_chunks(R.exact.K, [&](auto cells, auto chunks) {
      return launch_chained(grid_reduced_black_kernel<cells(), chunks(), Real, decltype(packed)>, blocks_for(R.count, GridTuning::columns),
                            GridTuning::columns * chunks(), stream, red.chained, R, coarse, of_z, at, red);
    });
  });
}

template <class Real>
cudaError_t launch_reduced_red(const GridReduced<Real> &R, bool of_z, int at, const FusedReduction &red, cudaStream_t stream)
{
  return launch_red<RedOf::of_z>(R, nullptr, false, nullptr, nullptr, of_z ? at + ReducedCg::more : -1, red, stream);
}

template <class Real>
cudaError_t launch_reduced_finish(const GridReduced<Real> &R, const Scalar *from, bool zero, Scalar *x, Scalar *r, cudaStream_t stream)
{
  return launch_red<of_x>(R, from, zero, x, r, -1, FusedReduction(), stream);
}

#define HEPTANE_GRID_REDUCED(Real) \
  template unsigned    reduced_blocks<Real>(const GridReduced<Real> &); \
  template cudaError_t launch_reduced_start<Real>(const GridReduced<Real> &, const Scalar *, bool, cudaStream_t); \
  template cudaError_t launch_reduced_product<Real>(const GridReduced<Real> &, const FusedState &, const FusedReduction &, cudaStream_t); \
  template cudaError_t launch_reduced_first<Real>(const GridReduced<Real> &, bool, const FusedState &, const FusedReduction &, cudaStream_t); \
  template cudaError_t launch_reduced_black<Real>(const GridReduced<Real> &, const GridLevel<Real> &, bool, int, const FusedReduction &, cudaStream_t); \
  template cudaError_t launch_reduced_red<Real>(const GridReduced<Real> &, bool, int, const FusedReduction &, cudaStream_t); \
  template cudaError_t launch_reduced_finish<Real>(const GridReduced<Real> &, const Scalar *, bool, Scalar *, Scalar *, cudaStream_t);
HEPTANE_GRID_REDUCED(float)
HEPTANE_GRID_REDUCED(double)
#undef HEPTANE_GRID_REDUCED

} // namespace heptane

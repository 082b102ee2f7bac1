/*
   More unknowns per cell than are compiled: lines, restriction and factors on the device, around gridmg_general.cuh and gridmg_general_rows.hpp. One kernel each takes all numbers of unknowns.
*/
#include "gridmg_cost.hpp"
#include "../../device/chained_launch.cuh"
#include "../../device/launch.hpp"
#include "gridmg_coarse_rows.hpp"
#include "gridmg_device.hpp"
#include "gridmg_general.cuh"
#include "gridmg_launch.cuh"

namespace heptane
{

namespace
{

constexpr int columns = GridTuning::general_columns, most_threads = columns * GridTuning::most_general;

/* The threads of a block that do one thing together: see GridAlone */
struct GridTogether {
  int lane = static_cast<int>(threadIdx.x), lanes = static_cast<int>(blockDim.x);

  __device__ __forceinline__      GridTogether() {}
  __device__ __forceinline__ void sync() const { __syncthreads(); }
  __device__ __forceinline__ bool any(bool value) const { return __syncthreads_or(value); }
  template <class F>
  __device__ __forceinline__ unsigned largest(int begin, int end, F key) const
  {
    return GridAlone().largest(begin, end, key);
  }
};

/*
   Computes  what the lines of a colour start from, P^-1 (b - couplings across the line times x), into x
   Threads   one per row of a cell, `columns` cells of a layer side by side
   Bytes     per cell of the colour (5 b^2 + 2 b) sizeof(Real) and four neighbours; from zero (b^2 + 2 b) sizeof(Real)
   Order     deterministic: along the row
*/
template <class Real>
__global__ void __launch_bounds__(most_threads)
  grid_general_sides_kernel(const __grid_constant__ GridLevel<Real> L, const __grid_constant__ GridLevel<Real> C, const __grid_constant__ GridStep s)
{
  extern __shared__ double memory[];

  wait_for_predecessor();
  grid_general_sides(L, C, s, blockIdx.x * static_cast<std::size_t>(columns), static_cast<int>(blockIdx.y), static_cast<int>(gridDim.y),
                     reinterpret_cast<Real *>(memory));
}

/*
   Computes  the lines of a colour solved in x, from what grid_general_sides_kernel() left there; change: the change of x to d
   Threads   one per row of a cell, `columns` lines side by side, along the whole line
   Bytes     per cell of the colour (2 b^2 + 4 b) sizeof(Real), with the change 2 b more
   Order     deterministic: along the row
*/
template <class Real>
__global__ void __launch_bounds__(most_threads) grid_general_lines_kernel(const __grid_constant__ GridLevel<Real> L, int colour, bool change)
{
  extern __shared__ double memory[];

  wait_for_predecessor();
  grid_general_lines(L, colour, change, blockIdx.x * static_cast<std::size_t>(columns), reinterpret_cast<Real *>(memory));
}

/*
   Computes  the right-hand side of level C: residuals of F added up
   Threads   one per row of a coarse place
   Bytes     per fine cell 2 b^2 sizeof(Real) and neighbours, per coarse cell b sizeof(Real)
   Order     deterministic: along i, then along j
*/
template <class Real>
__global__ void __launch_bounds__(GridTuning::threads)
  grid_general_restrict_kernel(const __grid_constant__ GridLevel<Real> F, const __grid_constant__ GridLevel<Real> C, bool change)
{
  wait_for_predecessor();
  for_places(C,
             [&](int k, int colour, std::size_t column) { grid_restrict_row(F, C, change ? F.d : nullptr, k, colour, column, static_cast<int>(blockIdx.z)); });
}

/*
   Computes  the coefficients of a level from those of the level before
   Threads   one per row of a coarse place
   Bytes     as grid_coarsen_kernel()
   Order     deterministic: along i, then along j
*/
template <class Real>
__global__ void __launch_bounds__(GridTuning::threads)
  grid_general_coarsen_kernel(const __grid_constant__ GridLevel<Real> F, const __grid_constant__ GridLevel<Real> C)
{
  for_places(C, [&](int k, int colour, std::size_t column) { grid_coarse_cell<0>(F, C, k, colour, column, static_cast<int>(blockIdx.z)); });
}

/*
   Computes  the factors of the lines of all levels
   Threads   a block per column of both colours, along the whole line; a thread has entries of a block
   Bytes     per cell 10 b^2 sizeof(Real)
   Order     deterministic: along the line, each entry by one thread
*/
template <class Real>
__global__ void __launch_bounds__(GridTuning::general_threads) grid_general_factor_kernel(const GridLevel<Real> *levels, int count, GridReport *report)
{
  extern __shared__ double memory[];
  const GridTogether       team;
  std::size_t              place = blockIdx.x;

  for (int l = 0; l < count; l++) {
    const GridLevel<Real> L = levels[l];

    if (place < 2 * L.columns) {
      const GridFactorRoom<> room(reinterpret_cast<Scalar *>(memory), L.unknowns);

      for (int k = 0; k < L.K; k++) {
        const std::size_t c = L.at(k, place >= L.columns, place % L.columns);

        if (!grid_factor_cell(L, c, k == 0, room, team) && team.lane == 0) grid_note(report, 1u << grid_singular, c);
      }
      return;
    }
    place -= 2 * L.columns;
  }
}

} // namespace

template <class Real>
cudaError_t launch_grid_general_lines(const GridSystem<Real> &S, const GridStep &s, int *launches, cudaStream_t stream)
{
  const GridLevel<Real> &L = S.levels[s.level], &C = S.levels[s.correct ? s.level + 1 : s.level];
  const unsigned         blocks = blocks_for(L.columns, columns), layers = static_cast<unsigned>(std::min(L.K, 65535));
  const int              threads = columns * S.B;
  const std::size_t      of_row  = sizeof(Real) * columns * static_cast<std::size_t>(S.B);

  const double b = S.B, cells = grid_cells(L) / 2;
  cudaError_t  err = cudaSuccess;

  *launches += 2;
  {
    const MetricsPass metrics(true, [&] {
      return DeclaredPass{grid_text(S, s) + ", right-hand sides", sizeof(Real) * cells * ((s.zero ? 1 : 5) * b * b + 2 * b)};
    });
    err = launch_chained_with(5 * of_row, grid_general_sides_kernel<Real>, dim3(blocks, layers), threads, stream, blocks * layers <= GridTuning::early_blocks,
                              L, C, s);
  }
  if (err != cudaSuccess) return err;
  const MetricsPass metrics(true, [&] {
    return DeclaredPass{grid_text(S, s) + ", along the lines", sizeof(Real) * cells * (2 * b * b + (s.change ? 6 : 4) * b)};
  });
  return launch_chained_with(2 * of_row, grid_general_lines_kernel<Real>, blocks, threads, stream, blocks <= GridTuning::early_blocks, L, s.colour, s.change);
}

template <class Real>
cudaError_t launch_grid_general_restrict(const GridSystem<Real> &S, const GridStep &s, cudaStream_t stream)
{
  const GridLevel<Real> &L = S.levels[s.level], &C = S.levels[s.level + 1];
  const GridLaunch       over(C.columns, 2 * static_cast<std::size_t>(C.K));
  const dim3             blocks(over.blocks.x, over.blocks.y, S.B);

  return launch_chained(grid_general_restrict_kernel<Real>, blocks, over.threads, stream, blocks.x * blocks.y * blocks.z <= GridTuning::early_blocks, L, C,
                        s.change);
}

template <class Real>
cudaError_t launch_grid_general_coarsen(const GridLevel<Real> &F, const GridLevel<Real> &C, cudaStream_t stream)
{
  const GridLaunch over(C.columns, 2 * static_cast<std::size_t>(C.K));

  grid_general_coarsen_kernel<<<dim3(over.blocks.x, over.blocks.y, C.unknowns), over.threads, 0, stream>>>(F, C);
  return cudaGetLastError();
}

template <class Real>
cudaError_t launch_grid_general_factor(int B, const std::vector<GridLevel<Real>> &levels, const GridLevel<Real> *there, GridReport *report, cudaStream_t stream)
{
  const int   threads    = std::min((B * B + 31) / 32 * 32, GridTuning::general_threads);
  std::size_t columns_of = 0;

  for (const GridLevel<Real> &L : levels) columns_of += 2 * L.columns;
  grid_general_factor_kernel<<<static_cast<unsigned>(columns_of), threads, GridFactorRoom<>::bytes(B), stream>>>(there, static_cast<int>(levels.size()),
                                                                                                                 report);
  return cudaGetLastError();
}

#define HEPTANE_GRID_GENERAL(Real) \
  template cudaError_t launch_grid_general_lines<Real>(const GridSystem<Real> &, const GridStep &, int *, cudaStream_t); \
  template cudaError_t launch_grid_general_restrict<Real>(const GridSystem<Real> &, const GridStep &, cudaStream_t); \
  template cudaError_t launch_grid_general_coarsen<Real>(const GridLevel<Real> &, const GridLevel<Real> &, cudaStream_t); \
  template cudaError_t launch_grid_general_factor<Real>(int, const std::vector<GridLevel<Real>> &, const GridLevel<Real> *, GridReport *, cudaStream_t);
HEPTANE_GRID_GENERAL(float)
HEPTANE_GRID_GENERAL(double)
#undef HEPTANE_GRID_GENERAL

} // namespace heptane

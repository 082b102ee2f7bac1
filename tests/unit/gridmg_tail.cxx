/*
   The last levels of a cycle in one thread block or several, with threads of the host in place of those of the device, against the host executor: cycles of all kinds.
*/
#include "of_double.hpp"
#include "gridmg_block.hpp"
#include "pc/gridmg/host/host.hpp"

#if PetscDefined(USE_REAL_DOUBLE) /* these systems are in double precision, as matrices of such builds */

namespace
{

/* Levels of a seven-point matrix with random couplings, in one piece of memory as the library has them */
struct System {
  GridSystem<double>  S;
  std::vector<double> memory;
  std::size_t         n;

  System(int nx, int ny, int nz, GridOptions options)
  {
    std::mt19937                           engine(11);
    std::uniform_real_distribution<double> number(-1, -0.1);
    GridShape                              shape;
    GridMeans                              means;
    GridMatrix                             A;
    GridReport                             report;
    const int                              extent[] = {nx, ny, nz};
    std::size_t                            total    = 0;

    for (int a = 0; a < 3; a++) {
      shape.extent[a] = extent[a];
      if (a) shape.stride[a] = shape.stride[a - 1] * extent[a - 1];
      means.sum[a] = means.count[a] = 1;
    }
    n      = shape.cells();
    S.plan = grid_plan_levels(shape, options, means);
    grid_plan_steps(options, std::vector<bool>(S.plan.levels.size(), false), &S.plan);
    S.levels = grid_shape_levels<double>(S.plan);
    for (const GridLevel<double> &L : S.levels) total += L.cells * (grid_slots + 3);
    S.remainder.resize(S.levels.size());
    memory.assign(total, 0);
    Place(memory.data());
    std::vector<double> values(7 * n);
    for (int a = 0; a < 3; a++) {
      A.stride[a] = S.natural.stride[a] = shape.stride[S.plan.axis[a]];
      for (int side = 0; side < 2; side++) A.diagonal[1 + 2 * a + side] = 1 + 2 * S.plan.axis[a] + side;
    }
    A.diagonal[0] = 0;
    A.values      = values.data();
    A.ld          = n;
    for (std::size_t c = 0; c < n; c++)
      for (int a = 0; a < 3; a++)
        if (c / shape.stride[a] % extent[a] + 1 < static_cast<std::size_t>(extent[a])) {
          const double      v = number(engine);
          const std::size_t d = c + shape.stride[a];

          values[(2 + 2 * a) * n + c] = values[(1 + 2 * a) * n + d] = v;
          values[c] -= v;
          values[d] -= v;
        }
    for (std::size_t c = 0; c < n; c++) values[c] += 0.01;
    grid_setup_host(A, nullptr, S, &report);
  }
  /* The pointers of the levels into a copy of the memory */
  void Place(double *at)
  {
    for (GridLevel<double> &L : S.levels) {
      L.coef = at;
      L.x    = L.coef + grid_slots * L.cells;
      L.b    = L.x + L.cells;
      L.d    = L.b + L.cells;
      at     = L.d + L.cells;
    }
    S.end = at;
  }
};

constexpr int warps = 2;

/* Blocks that see each other's memory, in which no number is at first, and their warps */
struct Shared {
  struct Warp {
    BlockOfThreads together{32};
    double         values[2][32]; /* in turns, so that nobody writes what others still read */
  };
  std::vector<std::vector<GridQuad>> rooms;
  std::deque<Warp>                   of_blocks;
  BlockOfThreads                     all;

  Shared(int blocks, std::size_t bytes)
    : rooms(blocks, std::vector<GridQuad>(bytes / sizeof(GridQuad) + 1,
                                          GridQuad{
                                            {~0u, ~0u, ~0u, ~0u}
  })),
      of_blocks(blocks * warps), all(32 * warps * blocks)
  {}
};

/* One of them, as its threads see the others: see pc/gridmg/device/tail.cuh */
struct OneOf {
  Shared *shared;
  int     rank;
  bool    alone;

  double From(double v, int lane) const
  {
    static thread_local int turn = 0;
    Shared::Warp           &warp = shared->of_blocks[rank * warps + threadIdx.x / 32];

    turn                                = 1 - turn;
    warp.values[turn][threadIdx.x % 32] = v;
    warp.together.Wait();
    return lane >= 0 && lane < 32 ? warp.values[turn][lane] : v;
  }
  double        Up(double v, int by) const { return From(v, threadIdx.x % 32 - by); }
  double        Down(double v, int by) const { return From(v, threadIdx.x % 32 + by); }
  double        Of(double v, int lane) const { return From(v, lane); }
  int           Rank() const { return rank; }
  const double *Base(int block, unsigned n) const
  {
    if (alone && block != rank) return nullptr;
    return reinterpret_cast<const double *>(shared->rooms[block].data()) + n;
  }
  double Load(const double *base, int k) const { return base[k]; }
  template <int THREADS>
  void CopyAsync(double *to, const double *from, std::size_t n) const
  {
    grid_copy<THREADS>(to, from, n);
  }
  void  WaitCopies() const {}
  void  Together() const { shared->all.Wait(); }
  OneOf Alone() const { return {shared, rank, true}; }
};

/* A cycle with levels from `first` on in so many blocks against the host's */
void compare_tail(int nx, int ny, int nz, GridCycle cycle, int smooths, int first, int blocks)
{
  GridOptions options;

  options.cycle   = cycle;
  options.smooths = smooths;
  System                             s(nx, ny, nz, options);
  std::vector<double>                r(s.n), y(s.n), theirs(s.n), image;
  std::vector<GridTailLevel<double>> levels;
  std::vector<int>                   number;
  GridTail<double>                   T      = grid_tail_levels(s.S.levels, first, blocks, s.S.plan.changes, &levels);
  const std::vector<GridTailStep>    steps  = grid_tail_steps(T, levels, s.S.plan, &number);
  const std::vector<GridStep>       &all    = s.S.plan.steps;
  const GridLevel<double>            L      = s.S.levels[0];
  const auto                         tailed = [&](std::size_t k) { return all[k].level >= first; };

  for (std::size_t c = 0; c < s.n; c++) r[c] = std::sin(1.0 + 3.0 * static_cast<double>(c));
  grid_cycle_host(s.S, r.data(), theirs.data());
  T.level = levels.data();
  image.resize(T.blocks * T.image_of());
  T.image = image.data();
  with_lane_cells(L.K, [&](auto cells) {
    for (int b = 0; b < T.blocks; b++)
      for (std::size_t n = 0; n < T.image_of(); n++) image[b * T.image_of() + n] = grid_tail_coefficient<cells()>(T, levels.data(), b, n);
  });
  for (const GridLevel<double> &level : s.S.levels) std::fill_n(level.x, (level.d - level.x) + level.cells, level.x == L.x && first == 0 ? 0.0 : 1e30);
  for (int k = 0; k < L.K; k++)
    for (int colour = 0; colour < 2; colour++)
      for (std::size_t column = 0; column < L.columns; column++) grid_import<1>(L, s.S.natural, r.data(), k, colour, column);
  for (std::size_t k = 0; k < all.size();) {
    if (!tailed(k)) {
      grid_steps_host(s.S, k, k + 1);
      k++;
      continue;
    }
    GridTail<double> part = T;
    std::size_t      end  = k;
    while (end < all.size() && tailed(end)) end++;
    part.step  = steps.data() + number[k];
    part.steps = number[end] - number[k];
    k          = end;
    Shared shared(T.blocks, grid_tail_bytes(T));
    with_lane_cells(L.K, [&](auto cells) {
      run_blocks(T.blocks, 32 * warps, [&](int b) { grid_run_tail<cells(), warps>(part, shared.rooms[b].data(), OneOf{&shared, b, false}, [] {}); });
    });
  }
  int differ = 0;
  for (int k = 0; k < L.K; k++)
    for (int colour = 0; colour < 2; colour++)
      for (std::size_t column = 0; column < L.columns; column++) grid_export<1>(L, s.S.natural, s.S.scale, y.data(), k, colour, column);
  for (std::size_t c = 0; c < s.n; c++) differ += !(std::fabs(y[c] - theirs[c]) < 1e-10); /* what is no number does */
  EXPECT_EQ(differ, 0) << nx << " x " << ny << " x " << nz << ", " << smooths << " sweeps, levels from " << first << " in " << blocks << " blocks";
  EXPECT_GT(std::fabs(theirs[0]), 1e-3);
}

TEST(GridTail, CyclesInOneBlock)
{
  compare_tail(6, 5, 7, GridCycle::v, 1, 0, 1);
  compare_tail(6, 5, 7, GridCycle::v, 2, 0, 1);
  compare_tail(3, 4, 35, GridCycle::w, 1, 0, 1);
  compare_tail(5, 9, 3, GridCycle::f, 1, 1, 1);
  compare_tail(1, 1, 9, GridCycle::v, 1, 0, 1);
  compare_tail(2, 1, 300, GridCycle::v, 2, 0, 1); /* panels */
}

TEST(GridTail, CyclesInSeveralBlocks)
{
  compare_tail(12, 11, 4, GridCycle::v, 1, 0, 3);
  compare_tail(13, 9, 5, GridCycle::v, 1, 1, 3);
  compare_tail(13, 9, 5, GridCycle::w, 1, 0, 2);
  compare_tail(11, 12, 3, GridCycle::v, 2, 1, 2);
  compare_tail(12, 7, 70, GridCycle::v, 1, 0, 3);
  compare_tail(9, 9, 100, GridCycle::f, 1, 0, 2);
}

} // namespace

#else
SKIPPED_IN_SINGLE(GridTail)
#endif

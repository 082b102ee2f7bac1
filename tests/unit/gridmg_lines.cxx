/*
   What a thread block of the structured multigrid does, with threads of the host in place of those of the device: lines of every number of chunks and panels, both colours, padding, changes of
   x (gridmg_lines.cuh) against the recurrences along the line; the last levels of a cycle (gridmg_tail.cuh) against the host executor.
*/
#include <condition_variable>
#include <mutex>

namespace
{

/* Threads of a block: all arrive before any goes on */
class BlockOfThreads {
public:
  explicit BlockOfThreads(int n) : threads(n) {}
  void Wait()
  {
    std::unique_lock<std::mutex> lock(mutex);
    const int                    turn = turns;

    if (++arrived == threads) {
      arrived = 0;
      turns++;
      all.notify_all();
    } else all.wait(lock, [&] { return turns != turn; });
  }

private:
  std::mutex              mutex;
  std::condition_variable all;
  const int               threads;
  int                     arrived = 0, turns = 0;
};

BlockOfThreads *block;
struct Index {
  int x;
};
thread_local Index threadIdx;

} // namespace

#define __device__
#define __forceinline__ inline
#define __syncthreads() block->Wait()
#include "pc/gridmg/gridmg_tail.cuh"
#undef __device__
#undef __forceinline__
#undef __syncthreads
#include "pc/gridmg/gridmg_host.hpp"
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

using namespace heptane;

namespace
{

struct Level {
  GridLevel<double>   L;
  std::vector<double> memory;

  /* Factors as of matrices with dominant diagonals, padding of zeros */
  Level(int K, int J, int I)
  {
    std::mt19937                           engine(7);
    std::uniform_real_distribution<double> number(-0.5, 0.5);

    L.K       = K;
    L.J       = J;
    L.I       = I;
    L.H       = (I + 1) / 2;
    L.columns = static_cast<std::size_t>(J) * L.H;
    L.cells   = 2 * L.columns * K;
    memory.assign(L.cells * (grid_slots + 3), 0);
    L.coef = memory.data();
    L.x    = L.coef + grid_slots * L.cells;
    L.b    = L.x + L.cells;
    L.d    = L.b + L.cells;
    for (int k = 0; k < K; k++)
      for (int j = 0; j < J; j++)
        for (int i = 0; i < I; i++)
          for (int a = 0; a < grid_slots + 2; a++) memory[a * L.cells + L.of_cell(k, j, i)] = number(engine);
  }
  Level(const Level &from) : L(from.L), memory(from.memory)
  {
    L.coef = memory.data();
    L.x    = L.coef + grid_slots * L.cells;
    L.b    = L.x + L.cells;
    L.d    = L.b + L.cells;
  }
};

/* One column by the recurrences */
void solve(Level &l, bool zero, bool change, int colour, std::size_t column)
{
  const GridLevel<double>     &L = l.L;
  const GridNeighbours<double> N = {L, nullptr};
  const GridColumn             C(L, colour, column);
  std::vector<double>          z(L.K);
  double                       g[1];

  if (!C.exists) return;
  for (int k = 0; k < L.K; k++) {
    grid_line_rhs<1>(N, zero, k, colour, column, C, g);
    z[k] = g[0] - (k ? L.entry<1>(grid_below, 0, 0)[L.at(k, colour, column)] * z[k - 1] : 0);
  }
  for (int k = L.K - 2; k >= 0; k--) z[k] -= L.entry<1>(grid_above, 0, 0)[L.at(k, colour, column)] * z[k + 1];
  for (int k = 0; k < L.K; k++) {
    const std::size_t c = L.at(k, colour, column);

    if (change) L.d[c] = z[k] - L.x[c];
    L.x[c] = z[k];
  }
}

/* f in each of the threads of a block */
template <class F>
void run_block(int threads, F f)
{
  BlockOfThreads           together(threads);
  std::vector<std::thread> all;

  block = &together;
  for (int t = 0; t < threads; t++)
    all.emplace_back([&, t] {
      threadIdx.x = t;
      f();
    });
  for (auto &t : all) t.join();
}

void compare(int K, int J, int I, bool zero, bool change)
{
  for (int colour = 0; colour < 2; colour++) {
    Level ours(K, J, I), theirs(ours);

    with_chunks(K, [&](auto cells, auto chunks) {
      GridScan<double, chunks()> scan;

      run_block(GridTuning::columns * chunks(), [&] {
        const GridNeighbours<double> N = {ours.L, nullptr};

        for (std::size_t first = 0; first < ours.L.columns; first += GridTuning::columns)
          grid_solve_lines<cells(), chunks()>(N, zero, change, colour, first, scan);
      });
    });
    for (std::size_t column = 0; column < theirs.L.columns; column++) solve(theirs, zero, change, colour, column);
    double most = 0;
    for (std::size_t k = 0; k < ours.memory.size(); k++) most = std::max(most, std::fabs(ours.memory[k] - theirs.memory[k]));
    EXPECT_LT(most, 1e-12) << K << " cells, " << J << " x " << I << " columns, colour " << colour << (zero ? ", from zero" : "")
                           << (change ? ", with the change" : "");
  }
}

TEST(GridLines, EveryNumberOfChunksAndPanels)
{
  for (int K : {1, 2, 15, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 256, 257, 520}) compare(K, 3, 5, false, K % 2);
}

TEST(GridLines, MoreColumnsThanABlockHas)
{
  compare(20, 7, 9, false, false);
  compare(20, 7, 9, true, true);
  compare(300, 5, 8, false, true);
  compare(9, 1, 2, true, false);
}

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
    for (const GridExtent &e : S.plan.levels) {
      GridLevel<double> L;

      L.K       = e.K;
      L.J       = e.J;
      L.I       = e.I;
      L.H       = (e.I + 1) / 2;
      L.pair_j  = e.pair_j;
      L.pair_i  = e.pair_i;
      L.columns = static_cast<std::size_t>(L.J) * L.H;
      L.cells   = 2 * L.columns * L.K;
      total += L.cells * (grid_slots + 3);
      S.levels.push_back(L);
    }
    S.links.resize(S.levels.size());
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

/* A whole cycle in one block against the host's */
void compare_tail(int nx, int ny, int nz, GridCycle cycle, int smooths)
{
  GridOptions options;

  options.cycle   = cycle;
  options.smooths = smooths;
  System              s(nx, ny, nz, options);
  std::vector<double> r(s.n), y(s.n), memory(s.memory), finest;
  for (std::size_t c = 0; c < s.n; c++) r[c] = std::sin(1.0 + 3.0 * static_cast<double>(c));
  grid_cycle_host(s.S, r.data(), y.data());
  const std::vector<double> theirs(s.memory);
  GridTail<double>          tail = {s.S.levels.data(),
                                    s.S.plan.steps.data(),
                                    s.memory.data(),
                                    s.memory.size(),
                                    0,
                                    static_cast<int>(s.S.levels.size()),
                                    static_cast<int>(s.S.plan.steps.size()),
                                    true};
  const GridLevel<double>   L    = s.S.levels[0];
  for (std::size_t k = 0; k < L.cells; k++) memory[L.b - s.memory.data() + k] = L.b[k];
  s.memory = memory; /* in the same place: nothing is left of the cycle before */
  std::vector<GridQuad> room((s.memory.size() * sizeof(double) + s.S.levels.size() * sizeof(GridLevel<double>)) / sizeof(GridQuad) + 1);
  with_chunks(L.K, [&](auto cells, auto chunks) {
    GridScan<double, chunks()> scan;

    run_block(GridTuning::columns * chunks(), [&] { grid_run_tail<cells(), chunks()>(tail, room.data(), scan); });
  });
  double most = 0;
  for (std::size_t k = 0; k < L.cells; k++) most = std::max(most, std::fabs(L.x[k] - theirs[L.x - s.memory.data() + k]));
  EXPECT_LT(most, 1e-10) << nx << " x " << ny << " x " << nz << ", " << smooths << " sweeps";
}

TEST(GridTail, AWholeCycle)
{
  compare_tail(6, 5, 7, GridCycle::v, 1);
  compare_tail(6, 5, 7, GridCycle::v, 2);
  compare_tail(7, 6, 20, GridCycle::w, 1);
  compare_tail(5, 9, 3, GridCycle::f, 1);
  compare_tail(12, 11, 4, GridCycle::v, 1); /* more columns than are solved at a time */
  compare_tail(1, 1, 9, GridCycle::v, 1);
}

} // namespace

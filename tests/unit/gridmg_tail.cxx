/*
   The last levels of a cycle in one thread block, with threads of the host in place of those of the device, against the host executor: whole cycles of all kinds.
*/
#include "gridmg_block.hpp"
#include "pc/gridmg/gridmg_host.hpp"
#include <gtest/gtest.h>
#include <random>

using namespace heptane;

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
                                    0,
                                    true};
  for (const GridLevel<double> &level : s.S.levels) tail.columns += static_cast<int>(2 * level.columns);
  const GridLevel<double> L = s.S.levels[0];
  for (std::size_t k = 0; k < L.cells; k++) memory[L.b - s.memory.data() + k] = L.b[k];
  s.memory = memory; /* in the same place: nothing is left of the cycle before */
  std::vector<GridQuad> room(grid_tail_bytes(tail) / sizeof(GridQuad) + 1);
  with_chunks(L.K, [&](auto cells, auto chunks) {
    GridScan<double, chunks()> scan;

    run_block(GridTuning::columns * chunks(), [&] { grid_run_tail<cells(), chunks()>(tail, room.data(), scan, [] {}); });
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

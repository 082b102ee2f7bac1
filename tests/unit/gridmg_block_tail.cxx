/*
   The last levels of a cycle with several unknowns per cell in one thread block or several, with threads of the host in place of those of the device, against the host executor: all kinds of steps,
   with entries beside the diagonals.
*/
#include "gridmg_block.hpp"
#include "pc/gridmg/gridmg_host.hpp"
#include <gtest/gtest.h>
#include <random>

using namespace heptane;

namespace
{

/* Levels with random factors, small enough that nothing grows, and random links: what steps do is the same whatever they are */
template <int B>
struct System {
  GridSystem<double>                     S;
  std::vector<double>                    memory;
  std::deque<std::vector<std::int64_t>>  places;
  std::deque<std::vector<int>>           numbers;
  std::deque<std::vector<double>>        of_links;
  std::mt19937                           engine{5};
  std::uniform_real_distribution<double> number{-0.3 / B, 0.3 / B};

  System(int nx, int ny, int nz, const GridOptions &options, bool linked)
  {
    GridShape   shape;
    GridMeans   means;
    std::size_t total     = 0;
    const int   extents[] = {nx, ny, nz};

    for (int a = 0; a < 3; a++) {
      shape.extent[a] = extents[a];
      if (a) shape.stride[a] = shape.stride[a - 1] * extents[a - 1];
      means.sum[a] = means.count[a] = 1;
    }
    S.B    = B;
    S.plan = grid_plan_levels(shape, options, means);
    grid_plan_steps(options, std::vector<bool>(S.plan.levels.size(), linked), &S.plan);
    S.levels = grid_shape_levels<double>(S.plan);
    S.links.resize(S.levels.size());
    for (const GridLevel<double> &L : S.levels) total += L.cells * (grid_slots * B * B + 3 * B);
    memory.assign(total, 0);
    double *at = memory.data();
    for (GridLevel<double> &L : S.levels) {
      L.coef = at;
      L.x    = L.coef + grid_slots * B * B * L.cells;
      L.b    = L.x + B * L.cells;
      L.d    = L.b + B * L.cells;
      at     = L.d + B * L.cells;
      Fill(L);
    }
    for (std::size_t l = 0; linked && l < S.levels.size(); l++) Link(static_cast<int>(l));
  }

private:
  void Fill(const GridLevel<double> &L)
  {
    for (int k = 0; k < L.K; k++)
      for (int j = 0; j < L.J; j++)
        for (int i = 0; i < L.I; i++)
          for (int p = 0; p < B; p++) {
            const std::size_t c = L.of_cell(k, j, i);

            for (double *v : {L.x, L.b, L.d}) v[p * L.cells + c] = number(engine);
            for (int s = 0; s < B; s++) {
              const double across[] = {i > 0 ? number(engine) : 0, i + 1 < L.I ? number(engine) : 0, j > 0 ? number(engine) : 0,
                                       j + 1 < L.J ? number(engine) : 0};

              L.template store_across<B>(p, s, c, across);
              for (int slot : {grid_below, grid_above, grid_pivot}) L.template entry<B>(slot, p, s)[c] = number(engine);
            }
          }
  }
  std::int64_t PlaceOf(const GridLevel<double> &L, int n) const
  {
    const int cell = n * 5 % (L.K * L.J * L.I);

    return static_cast<std::int64_t>((n % B) * L.cells + L.of_cell(cell % L.K, cell / L.K % L.J, cell / L.K / L.J));
  }
  /* Rows in order of colour, each with some entries; and the residuals of all of them to one place and another of the level behind */
  void Link(int l)
  {
    const GridLevel<double>   &L   = S.levels[l];
    GridLinks<double>         &K   = S.links[l];
    std::vector<std::int64_t> &row = places.emplace_back(), &col = places.emplace_back(), &to = places.emplace_back();
    std::vector<int>          &ptr = numbers.emplace_back(1, 0), &to_ptr = numbers.emplace_back(1, 0), &source = numbers.emplace_back();
    std::vector<double>       &value = of_links.emplace_back();

    for (int colour = 0; colour < 2; colour++)
      for (int n = 0; n < 6; n++) {
        const std::int64_t place = PlaceOf(L, n), red = static_cast<std::int64_t>(static_cast<std::size_t>(place) % L.cells / L.columns % 2 == 0);

        if (red == colour || std::find(row.begin(), row.end(), place) != row.end()) continue;
        row.push_back(place);
        K.reds += colour == 0;
        for (int e = 0; e < 3 + 7 * n; e++) {
          col.push_back(PlaceOf(L, n + e));
          value.push_back(number(engine));
        }
        ptr.push_back(static_cast<int>(col.size()));
      }
    K.rows    = static_cast<int>(row.size());
    K.entries = static_cast<int>(col.size());
    K.row     = row.data();
    K.col     = col.data();
    K.ptr     = ptr.data();
    K.value   = value.data();
    K.b       = of_links.emplace_back(row.size(), 0.).data();
    if (l + 1 == static_cast<int>(S.levels.size())) return;
    for (int t = 0; t < 2; t++) {
      to.push_back(static_cast<std::int64_t>(t * S.levels[l + 1].cells + S.levels[l + 1].of_cell(0, 0, 0)));
      for (int r = t; r < K.rows; r += 2) source.push_back(r);
      to_ptr.push_back(static_cast<int>(source.size()));
    }
    S.links[l + 1].right_side = {2, to.data(), to_ptr.data(), source.data()};
  }
};

/* One of several blocks, of whose threads each is a warp of its own */
struct OneOf {
  BlockOfThreads *all;
  int             rank, count, threads;

  int      Rank() const { return rank; }
  int      Count() const { return count; }
  int      Threads() const { return threads; }
  int      Group() const { return rank * threads + threadIdx.x; }
  int      Groups() const { return count * threads; }
  GridLane Lane() const { return {}; }
  double   Sum(double part) const { return part; }
  void     Together() const { all->Wait(); }
};

template <int B>
void compare(int nx, int ny, int nz, GridCycle cycle, int smooths, bool linked, int blocks)
{
  GridOptions options;

  options.cycle     = cycle;
  options.smooths   = smooths;
  options.line_axis = 2;
  System<B>                             ours(nx, ny, nz, options, linked), theirs(nx, ny, nz, options, linked);
  const int                             threads = GridTuning::block_columns * GridBlockShape<B, double>::chunks(nz);
  std::vector<GridBlockScan<B, double>> scan(static_cast<std::size_t>(blocks));
  BlockOfThreads                        all(blocks * threads);
  const std::vector<GridStep>          &steps = ours.S.plan.steps;
  double                                most  = 0;

  run_blocks(blocks, threads, [&](int b) {
    GridBlockTail<double> T;

    T.level = ours.S.levels.data();
    T.links = ours.S.links.data();
    T.step  = steps.data();
    T.steps = static_cast<int>(steps.size());
    grid_run_block_tail(T, scan[static_cast<std::size_t>(b)], OneOf{&all, b, blocks, threads});
  });
  grid_steps_host(theirs.S, 0, steps.size());
  for (std::size_t k = 0; k < ours.memory.size(); k++) {
    const double difference = std::fabs(ours.memory[k] - theirs.memory[k]);

    most = difference <= most ? most : difference; /* also where it is no number */
  }
  EXPECT_LT(most, 1e-12) << B << " unknowns, " << nx << " x " << ny << " x " << nz << ", " << smooths << " sweeps" << (linked ? ", links" : "") << ", "
                         << blocks << " blocks";
}

TEST(GridBlockTail, Cycles)
{
  for (int blocks = 1; blocks < 4; blocks += 2)
    for (int linked = 0; linked < 2; linked++) {
      compare<2>(5, 4, 3, GridCycle::v, 1, linked, blocks);
      compare<3>(9, 7, 4, GridCycle::v, 1, linked, blocks);
      compare<3>(3, 4, 5, GridCycle::w, 1, linked, blocks);
      compare<4>(4, 6, 3, GridCycle::f, 2, linked, blocks);
      compare<3>(2, 3, 13, GridCycle::v, 2, linked, blocks);
    }
}

} // namespace

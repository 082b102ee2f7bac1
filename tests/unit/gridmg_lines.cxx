/*
   How a thread block solves lines of the structured multigrid, with threads of the host in place of those of the device: lines of every number of chunks and panels, both colours, padding,
   changes of x, against the recurrences along the line.
*/
#include "gridmg_block.hpp"
#include <gtest/gtest.h>
#include <random>

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
          for (int a = 0; a < grid_slots + 2; a++) {
            const bool none = (a == grid_west && i == 0) || (a == grid_east && i + 1 == I) || (a == grid_south && j == 0) || (a == grid_north && j + 1 == J);

            memory[a * L.cells + L.of_cell(k, j, i)] = none ? 0 : number(engine); /* no coupling with what is not there */
          }
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

void compare(int K, int J, int I, bool zero, bool change)
{
  for (int colour = 0; colour < 2; colour++) {
    Level ours(K, J, I), theirs(ours);

    with_chunks(K, [&](auto cells, auto chunks) {
      GridScan<double, chunks()> scan;

      run_block(GridTuning::columns * chunks(), [&] {
        GridStep   s{GridOp::solve, 0, colour};
        GridStored source;
        GridKept   sink = {change};

        s.zero   = zero;
        s.change = change;
        for (std::size_t first = 0; first < ours.L.columns; first += GridTuning::columns)
          grid_solve_lines<cells(), chunks()>(
            ours.L, ours.L, source, sink, s, first, scan, [] { return true; }, [] {});
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

/* Lines of B unknowns per cell in one thread against the recurrences, both ways */
template <int B>
void compare_blocks(int K)
{
  std::mt19937                           engine(5);
  std::uniform_real_distribution<double> number(-0.5 / B, 0.5 / B);
  GridLevel<double>                      L;

  L.K       = K;
  L.J       = 2;
  L.I       = 3;
  L.H       = 2;
  L.columns = 4;
  L.cells   = 8 * static_cast<std::size_t>(K);
  std::vector<double> coef(L.cells * grid_slots * B * B), x(L.cells * B);
  for (double &v : coef) v = number(engine);
  for (double &v : x) v = number(engine);
  std::vector<double> expected(x);
  L.coef = coef.data();
  for (int pass = 0; pass < 2; pass++) {
    double z[B] = {}, before[B];

    for (int q = 0; q < K; q++) {
      const std::size_t c = L.at(pass ? K - 1 - q : q, 1, 3);

      for (int p = 0; p < B; p++) {
        before[p] = z[p];
        z[p]      = expected[p * L.cells + c];
      }
      grid_line_step<B>(L, pass ? grid_above : grid_below, c, before, z);
      for (int p = 0; p < B; p++) expected[p * L.cells + c] = z[p];
    }
  }
  L.x = x.data();
  grid_go_along<B>(L, grid_below, 1, 3, 0, 1);
  grid_go_along<B>(L, grid_above, 1, 3, K - 1, -1);
  EXPECT_EQ(x, expected) << K << " cells of " << B;
}

TEST(GridLines, SeveralUnknowns)
{
  for (int K : {1, 2, 3, 4, 5, 6, 7, 12, 13, 30}) {
    compare_blocks<2>(K);
    compare_blocks<3>(K);
    compare_blocks<4>(K);
    compare_blocks<5>(K);
    compare_blocks<8>(K);
  }
}

TEST(GridLines, MoreColumnsThanABlockHas)
{
  compare(20, 7, 9, false, false);
  compare(20, 7, 9, true, true);
  compare(300, 5, 8, false, true);
  compare(9, 1, 2, true, false);
}

} // namespace

/*
   How a thread block solves lines of the structured multigrid, with threads of the host in place of those of the device: lines of every number of chunks and panels, both colours, padding,
   changes of x, against the recurrences along the line.
*/
#include "gridmg_block.hpp"
#include "pc/gridmg/host/host.hpp"

namespace
{

struct Level {
  GridLevel<double>   L;
  int                 B;
  std::vector<double> memory;

  /* Factors as of matrices with dominant diagonals, padding of zeros */
  Level(int K, int J, int I, int unknowns = 1) : B(unknowns)
  {
    std::mt19937                           engine(7);
    std::uniform_real_distribution<double> number(-0.5 / B, 0.5 / B);

    L = grid_level_of<double>(K, J, I);
    memory.assign(L.cells * (grid_slots * B * B + 3 * B), 0);
    Locate();
    for (int k = 0; k < K; k++)
      for (int j = 0; j < J; j++)
        for (int i = 0; i < I; i++)
          for (int a = 0; a < grid_slots * B * B + 2 * B; a++) {
            const int  slot = a / (B * B), at = slot < grid_slots ? L.stored(slot) * B * B + a % (B * B) : a;
            const bool none =
              (slot == grid_west && i == 0) || (slot == grid_east && i + 1 == I) || (slot == grid_south && j == 0) || (slot == grid_north && j + 1 == J);

            memory[at * L.cells + L.of_cell(k, j, i)] = none ? 0 : number(engine); /* no coupling with what is not there */
          }
  }
  Level(const Level &from) : L(from.L), B(from.B), memory(from.memory) { Locate(); }

private:
  void Locate()
  {
    L.coef = memory.data();
    L.x    = L.coef + grid_slots * B * B * L.cells;
    L.b    = L.x + B * L.cells;
    L.d    = L.b + B * L.cells;
  }
};

/* The lines of a colour by the recurrences. coarse: its x is added to that of the other colour; may be null */
template <int B>
void solve(Level &l, const GridLevel<double> *coarse, bool zero, bool change, int colour)
{
  const GridLevel<double>     &L = l.L;
  const GridNeighbours<double> N = {L, coarse};
  std::vector<double>          before(L.x, L.x + B * L.cells);

  grid_solve_lines_host<B>(L, colour, [&](int k, std::size_t column, double(&z)[B]) {
    const GridColumn C(L, colour, column);

    if (C.exists) grid_line_rhs<B>(N, zero, k, colour, column, C, z);
    return C.exists;
  });
  for_grid_layers(L, colour, 0, 1, [&](int, std::size_t column, std::size_t c) {
    for (int p = 0; change && p < B && GridColumn(L, colour, column).exists; p++) L.d[p * L.cells + c] = L.x[p * L.cells + c] - before[p * L.cells + c];
  });
}

double largest_difference(const Level &a, const Level &b)
{
  double most = 0;

  for (std::size_t k = 0; k < a.memory.size(); k++) most = std::max(most, std::fabs(a.memory[k] - b.memory[k]));
  return most;
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
    solve<1>(theirs, nullptr, zero, change, colour);
    EXPECT_LT(largest_difference(ours, theirs), 1e-12)
      << K << " cells, " << J << " x " << I << " columns, colour " << colour << (zero ? ", from zero" : "") << (change ? ", with the change" : "");
  }
}

TEST(GridLines, EveryNumberOfChunksAndPanels)
{
  for (int K : {1, 2, 15, 16, 17, 32, 33, 64, 65, 96, 97, 128, 129, 256, 257, 520}) compare(K, 3, 5, false, K % 2);
}

/* The same for several unknowns per cell, of which blocks have other shapes */
template <int B>
void compare_blocks(int K, int J, int I, bool zero, bool correct, bool change)
{
  using Shape = GridBlockShape<B, double>;

  for (int colour = 0; colour < 2; colour++) {
    Level                    ours(K, J, I, B);
    GridStep                 s{GridOp::solve, 0, colour};
    GridBlockScan<B, double> scan;

    ours.L.pair_j = ours.L.pair_i = correct;
    Level theirs(ours), coarse(K, (J + 1) / 2, (I + 1) / 2, B);
    s.zero    = zero;
    s.correct = correct;
    s.change  = change;
    run_block(Shape::block(K), [&] {
      for (std::size_t first = 0; first < ours.L.columns; first += Shape::columns)
        grid_solve_block_lines<B, double>(
          ours.L, coarse.L, s, first, scan, [] {}, [] {});
    });
    solve<B>(theirs, correct ? &coarse.L : nullptr, zero, change, colour);
    EXPECT_LT(largest_difference(ours, theirs), 1e-12) << K << " cells of " << B << ", " << J << " x " << I << " columns, colour " << colour
                                                       << (zero ? ", from zero" : "") << (correct ? ", corrected" : "") << (change ? ", with the change" : "");
  }
}

TEST(GridLines, SeveralUnknowns)
{
  for (int K : {1, 2, 3, 4, 5, 31, 64, 65, 96, 97, 128, 129, 200}) {
    compare_blocks<2>(K, 3, 2, false, K % 2, K % 3);
    compare_blocks<3>(K, 2, 3, false, K % 2, K % 3);
  }
  for (int K : {1, 2, 9, 16, 33, 70}) {
    compare_blocks<4>(K, 2, 3, false, K % 2, false);
    compare_blocks<5>(K, 3, 3, false, K % 2, true);
    compare_blocks<7>(K, 3, 2, true, false, K % 2);
    compare_blocks<8>(K, 2, 3, false, K % 2, true);
  }
  compare_blocks<3>(85, 5, 8, false, true, false);
  compare_blocks<3>(10, 7, 9, true, false, false);
  compare_blocks<3>(100, 1, 6, true, false, true);
}

/* The right-hand side of a colour of the level behind, left by the solution of its lines, against the restriction */
void compare_restriction(int K, int J, int I, bool pair_j, bool pair_i, bool change)
{
  Level fine(K, J, I), ours(K, pair_j ? (J + 1) / 2 : J, pair_i ? (I + 1) / 2 : I);

  fine.L.pair_j = pair_j;
  fine.L.pair_i = pair_i;
  for (std::size_t c = 0; c < fine.L.cells; c++) fine.L.d[c] = fine.L.x[c] + 1;
  std::fill_n(ours.L.b, ours.L.cells, 7.);
  Level theirs(ours);
  for (int k = 0; k < K; k++)
    for (std::size_t column = 0; column < theirs.L.columns; column++)
      if (GridColumn(theirs.L, 0, column).exists) grid_restrict<1>(false, fine.L, theirs.L, change ? fine.L.d : nullptr, k, 0, column);
  solve<1>(theirs, nullptr, true, false, 0);
  with_chunks(K, [&](auto cells, auto chunks) {
    GridScan<double, chunks()> scan;

    run_block(GridTuning::columns * chunks(), [&] {
      GridStep               s{GridOp::solve, 0, 0};
      GridRestricted<double> source = {fine.L, change ? fine.L.d : fine.L.x};
      GridKept               sink   = {false};

      s.zero = true;
      for (std::size_t first = 0; first < ours.L.columns; first += GridTuning::columns)
        grid_solve_lines<cells(), chunks()>(
          ours.L, ours.L, source, sink, s, first, scan, [] { return true; }, [] {});
    });
  });
  EXPECT_LT(largest_difference(ours, theirs), 1e-12) << K << " cells, " << J << " x " << I << " columns" << (pair_j ? ", pairs along j" : "")
                                                     << (pair_i ? ", pairs along i" : "");
}

TEST(GridLines, Restrictions)
{
  for (int K : {3, 20, 70, 128, 130})
    for (int pairs = 1; pairs < 4; pairs++) compare_restriction(K, 5, 7, pairs & 1, pairs & 2, K % 3);
  compare_restriction(20, 8, 12, true, true, false);
  compare_restriction(90, 1, 9, false, true, true);
}

TEST(GridLines, MoreColumnsThanABlockHas)
{
  compare(20, 7, 9, false, false);
  compare(20, 7, 9, true, true);
  compare(300, 5, 8, false, true);
  compare(9, 1, 2, true, false);
}

} // namespace

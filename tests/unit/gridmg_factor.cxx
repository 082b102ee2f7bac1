/*
   The factors of a cell of a line by several threads, with threads of the host in place of those of the device: against one thread that does all, and against GridLine.
*/
#include "gridmg_block.hpp"
#include "pc/gridmg/rows/factor_rows.hpp"
#include "pc/gridmg/rows/setup_rows.hpp"
#include <atomic>

namespace
{

/* Threads of the host that factor a line together: see GridOneThread */
struct Together {
  int               lane = threadIdx.x, lanes;
  std::atomic<int> *some;

  Together(int n, std::atomic<int> *shared) : lanes(n), some(shared) {}
  void sync() const { block_of_threads->Wait(); }
  bool any(bool value) const
  {
    sync();
    if (lane == 0) *some = 0;
    sync();
    *some += value;
    sync();
    return *some > 0;
  }
  template <class F>
  unsigned largest(int begin, int end, F key) const
  {
    return GridOneThread().largest(begin, end, key);
  }
};

/* A level of b unknowns before it is factored, of dominant diagonals; every seventh cell has no couplings and a block of zeros: its pivot is missing if it has a coupling all the same */
template <class Real>
struct Level {
  GridLevel<Real>   L;
  std::vector<Real> memory;

  Level(int K, int J, int I, int b, bool half = false)
  {
    std::mt19937                         engine(7);
    std::uniform_real_distribution<Real> number(-1, 1);

    L          = grid_level_of<Real>(K, J, I);
    L.unknowns = b;
    L.half     = half;
    memory.assign(L.cells * (grid_slots * b * b + 3 * b), 0);
    Locate();
    for (int k = 0; k < K; k++)
      for (int j = 0; j < J; j++)
        for (int i = 0; i < I; i++) {
          const std::size_t c = L.of_cell(k, j, i);

          for (int p = 0; p < b; p++)
            for (int s = 0; s < b; s++) Fill(c, p, s, number(engine), i, j, [&] { return number(engine) / b; });
          for (int p = 0; p < 3 * b; p++) L.x[p * L.cells + c] = number(engine);
        }
  }
  Level(const Level &from) : L(from.L), memory(from.memory) { Locate(); }

private:
  void Locate()
  {
    const std::size_t b = static_cast<std::size_t>(L.unknowns);

    L.coef = memory.data();
    L.x    = L.coef + grid_slots * b * b * L.cells;
    L.b    = L.x + b * L.cells;
    L.d    = L.b + b * L.cells;
  }
  template <class F>
  void Fill(std::size_t c, int p, int s, Real diagonal, int i, int j, F coupling) const
  {
    const bool none = c % 7 == 3, last = p == 0 && s == L.unknowns - 1 && c % 14 == 3; /* nothing, or one coupling without a pivot */
    const Real across[] = {i > 0 ? coupling() : 0, i + 1 < L.I ? coupling() : 0, j > 0 ? coupling() : 0, j + 1 < L.J ? coupling() : 0}, zero[4] = {0, 0, 0, 0};

    L.template store_across<0>(p, s, c, none ? zero : across);
    L.template entry<0>(grid_below, p, s)[c] = none && !last ? 0 : coupling();
    L.template entry<0>(grid_above, p, s)[c] = none ? 0 : coupling();
    L.template entry<0>(grid_pivot, p, s)[c] = none ? 0 : diagonal + (p == s) * 3 + (p == (s + 1) % L.unknowns) * 9; /* pivots off the diagonal */
  }
};

template <class Real>
double largest_difference(const Level<Real> &a, const Level<Real> &b)
{
  double most = 0;

  for (std::size_t k = 0; k < a.memory.size(); k++) {
    const double difference = std::fabs(static_cast<double>(a.memory[k]) - static_cast<double>(b.memory[k]));

    most = difference <= most ? most : difference; /* also where it is no number */
  }
  return most;
}

/* Lines factored by so many threads; the cells without a pivot. B: see GridFactorRoom */
template <int B = 0, class Real>
int factor(Level<Real> &l, int threads)
{
  Vector                  memory(GridFactorRoom<B>::bytes(l.L.unknowns) / sizeof(Scalar) + 1, NAN);
  const GridFactorRoom<B> room(memory.data(), l.L.unknowns);
  std::atomic<int>        some{0}, found{0};
  const auto              all = [&](const auto &team) {
    for (int colour = 0; colour < 2; colour++)
      for (std::size_t column = 0; column < l.L.columns; column++)
        for (int k = 0; k < l.L.K; k++) found += !grid_factor_cell(l.L, l.L.at(k, colour, column), k == 0, room, team) && team.lane == 0;
  };

  if (threads == 1) all(GridOneThread());
  else run_block(threads, [&] { all(Together(threads, &some)); });
  return found;
}

/* Against GridLine */
template <int B, class Real>
void compare_line(bool half)
{
  const double rounding = 100 * std::max<double>(std::numeric_limits<Real>::epsilon(), std::numeric_limits<Scalar>::epsilon());
  Level<Real>  ours(6, 3, 4, B, half), theirs(ours);
  int          expected = 0;

  for (int colour = 0; colour < 2; colour++)
    for (std::size_t column = 0; column < theirs.L.columns; column++) {
      GridLine<B>     line;
      GridLineCell<B> cell;

      for (int k = 0; k < theirs.L.K; k++) {
        cell.load(theirs.L, theirs.L.at(k, colour, column));
        expected += !line.factor(theirs.L, theirs.L.at(k, colour, column), cell);
      }
    }
  Level<Real> by_warps(ours);
  EXPECT_EQ(factor<B>(by_warps, 32), expected) << B;
  EXPECT_EQ(factor(ours, 1), expected) << B;
  EXPECT_EQ(largest_difference(ours, by_warps), 0) << B;
  EXPECT_GT(expected, 0);
  EXPECT_LT(largest_difference(ours, theirs), rounding) << B;
}

TEST(GridFactor, AsOfALine)
{
  compare_line<2, double>(false);
  compare_line<3, double>(false);
  compare_line<4, double>(false);
  compare_line<5, double>(false);
  compare_line<6, float>(true);
  compare_line<7, double>(false);
  compare_line<8, double>(false);
  compare_line<8, float>(true);
  compare_line<3, float>(true);
}

TEST(GridFactor, ByThreads)
{
  for (int b : {2, 7, 12}) {
    Level<double> ours(5, 2, 3, b), theirs(ours);

    EXPECT_EQ(factor(ours, b == 12 ? 32 : 7), factor(theirs, 1));
    EXPECT_EQ(largest_difference(ours, theirs), 0) << b;
  }
}

} // namespace

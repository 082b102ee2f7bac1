/*
   The factors of lines by a thread block, with threads of the host in place of those of the device, against the recurrence from cell to cell: lines of every number of chunks and panels, cells
   without couplings, singular lines, couplings of any sign. The matrix of CG without red columns, loaded with the finest level of the cycle, against that loaded alone.
*/
#include "of_double.hpp"
#include "gridmg_block.hpp"
#include "pc/gridmg/rows/reduced_rows.hpp"
#include <atomic>

#if PetscDefined(USE_REAL_DOUBLE) /* these systems are in double precision, as matrices of such builds */

namespace
{

/* A seven-point matrix on K layers, J x I columns, and a level with its cells; what: of the couplings and cells */
enum Kind { dominant, inactive, neumann, any_sign };

template <class Real>
struct Case {
  GridMatrix          A;
  GridLevel<Real>     L;
  std::vector<double> values;
  std::vector<Real>   memory;

  Case(int K, int J, int I, Kind kind, double scale)
  {
    std::mt19937                           engine(3);
    std::uniform_real_distribution<double> number(-1, -0.01), part(0, 1);
    const std::size_t                      n         = static_cast<std::size_t>(K) * J * I;
    const int                              extent[3] = {K, J, I};
    std::vector<bool>                      off(n);

    A.ld        = n;
    A.scale     = scale;
    A.stride[0] = static_cast<std::size_t>(J) * I;
    A.stride[1] = I;
    A.stride[2] = 1;
    for (int r = 0; r < 7; r++) A.diagonal[r] = r;
    values.assign(7 * n, 0);
    for (std::size_t c = 0; c < n; c++) off[c] = kind == inactive && part(engine) < 0.3;
    for (std::size_t c = 0; c < n; c++) {
      for (int a = 0; a < 3; a++) {
        if (c / A.stride[a] % extent[a] + 1 == static_cast<std::size_t>(extent[a])) continue;
        const std::size_t d = c + A.stride[a];
        const double      v = off[c] || off[d] || (kind == neumann && a > 0) ? 0 : number(engine) * (kind == any_sign && part(engine) < 0.5 ? -1 : 1);

        values[(2 + 2 * a) * n + c] = values[(1 + 2 * a) * n + d] = v;
        values[c] -= v;
        values[d] -= v;
      }
    }
    for (std::size_t c = 0; c < n; c++)
      if (kind == any_sign) values[c] += 2.5 * number(engine);
      else if (kind != neumann) values[c] += off[c] ? 1 : 1e-6;
    A.values = values.data();
    L        = grid_level_of<Real>(K, J, I);
    memory.assign(L.cells * grid_slots, 0);
    L.coef = memory.data();
  }
  Case(const Case &from) = delete;

  void Load()
  {
    for (int k = 0; k < L.K; k++)
      for (int colour = 0; colour < 2; colour++)
        for (std::size_t column = 0; column < L.columns; column++) EXPECT_EQ(grid_load_cell<1>(A, L, k, colour, column) & ~(1u << grid_fixed_rows), 0u);
  }
};

/* Differences of coefficients, relative where they are large; and the cells without a pivot */
template <class Real>
void compare(int K, int J, int I, Kind kind, double tolerance)
{
  Case<Real>             ours(K, J, I, kind, 0.5), theirs(K, J, I, kind, 0.5);
  std::atomic<int>       found{0};
  int                    expected = 0;
  double                 most     = 0;
  const GridLevel<Real> &L        = theirs.L;

  ours.Load();
  theirs.Load();
  for (int colour = 0; colour < 2; colour++)
    for (std::size_t column = 0; column < L.columns; column++) {
      GridLine<1>     line;
      GridLineCell<1> cell;

      for (int k = 0; k < K; k++) {
        cell.load(L, L.at(k, colour, column));
        expected += !line.factor(L, L.at(k, colour, column), cell);
      }
    }
  with_pivot_chunks(K, [&](auto cells, auto chunks) {
    GridPivotScan<chunks()> scan;

    std::fill_n(&scan.a[0][0], sizeof(scan) / sizeof(double), NAN);
    run_block(GridTuning::columns * chunks(), [&] {
      for (int colour = 0; colour < 2; colour++)
        for (std::size_t first = 0; first < L.columns; first += GridTuning::columns)
          grid_factor_lines<cells()>(ours.L, colour, first, scan, [&](std::size_t) { found++; });
    });
  });
  for (std::size_t k = 0; k < ours.memory.size(); k++) {
    const double a = ours.memory[k], b = theirs.memory[k], difference = std::fabs(a - b) / (1 + std::fabs(b));

    most = difference <= most ? most : difference; /* also where it is no number */
  }
  EXPECT_LT(most, tolerance) << K << " cells, " << J << " x " << I << " columns, kind " << kind;
  EXPECT_EQ(found, expected) << K << " cells, " << J << " x " << I << " columns, kind " << kind;
  EXPECT_TRUE(kind != neumann || expected > 0);
}

TEST(GridPivots, EveryNumberOfChunksAndPanels)
{
  for (int K : {1, 2, 17, 33, 64, 96, 97, 129, 257}) compare<double>(K, 3, 5, dominant, 1e-12);
  compare<double>(20, 7, 9, dominant, 1e-12);
  compare<float>(85, 3, 4, dominant, 1e-6);
  compare<float>(140, 2, 3, dominant, 1e-6);
}

TEST(GridPivots, CellsWithoutCouplings)
{
  for (int K : {5, 40, 96, 150}) compare<double>(K, 4, 3, inactive, 1e-12);
}

/* The last cell of each line has no pivot; behind it, in another panel, there is nothing */
TEST(GridPivots, SingularLines)
{
  for (int K : {4, 64, 85, 128, 200}) compare<double>(K, 2, 3, neumann, 1e-12);
}

/* Some lines have pivots near zero, and are factored by one thread */
TEST(GridPivots, CouplingsOfAnySign)
{
  for (int K : {12, 70, 128, 160}) compare<double>(K, 5, 5, any_sign, 1e-7);
}

TEST(GridReduced, LoadedWithTheCycle)
{
  for (Kind kind : {dominant, inactive}) {
    Case<float>             cycle(9, 5, 7, kind, 0.25), alone(9, 5, 7, kind, 0.25);
    Case<double>            exact(9, 5, 7, kind, 1), both(9, 5, 7, kind, 1);
    GridReduced<float>      R;
    const GridLevel<float> &L = cycle.L;

    R.exact = exact.L;
    for (int k = 0; k < L.K; k++)
      for (int colour = 0; colour < 2; colour++)
        for (std::size_t column = 0; column < L.columns; column++) grid_reduced_load(exact.A, R, k, colour, column);
    R.exact = both.L;
    R.level = cycle.L;
    alone.Load();
    for (int k = 0; k < L.K; k++)
      for (int colour = 0; colour < 2; colour++)
        for (std::size_t column = 0; column < L.columns; column++) EXPECT_EQ(grid_reduced_load_both(cycle.A, R, k, colour, column), 0u);
    EXPECT_EQ(both.memory, exact.memory);
    EXPECT_EQ(cycle.memory, alone.memory);
    EXPECT_NE(std::count(both.memory.begin(), both.memory.end(), 0.), static_cast<long>(both.memory.size()));
  }
}

} // namespace

#else
SKIPPED_IN_SINGLE(GridPivots)
SKIPPED_IN_SINGLE(GridReduced)
#endif

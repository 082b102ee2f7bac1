/*
   The matrix of CG without red columns, loaded with the finest level of the cycle, against that loaded alone.
*/
#include "of_double.hpp"
#include "pc/gridmg/rows/reduced_rows.hpp"

#if PetscDefined(USE_REAL_DOUBLE) /* these systems are in double precision, as matrices of such builds */

namespace
{

/* A seven-point matrix on K layers, J x I columns, and a level with its cells */
enum Kind { dominant, inactive };

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
        const double      v = off[c] || off[d] ? 0 : number(engine);

        values[(2 + 2 * a) * n + c] = values[(1 + 2 * a) * n + d] = v;
        values[c] -= v;
        values[d] -= v;
      }
    }
    for (std::size_t c = 0; c < n; c++) values[c] += off[c] ? 1 : 1e-6;
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
SKIPPED_IN_SINGLE(GridReduced)
#endif

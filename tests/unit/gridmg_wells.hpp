/*
   A level of lines with wells for the tests of the structured multigrid.
*/
#pragma once

#include "pc/gridmg/hierarchy/dense_lines.hpp"
#include "pc/gridmg/host/host.hpp"

namespace heptane
{

/* Lines along the last axis, with a well of every second cell in each of some columns, and random coefficients with dominant diagonals, or with row sums of zero */
class Wells {
public:
  GridSystem<double> S;

  Wells(int K, int J, int I, int B, const std::vector<int> &columns, bool singular = false)
  {
    std::mt19937                           engine(5);
    std::uniform_real_distribution<double> number(-1, 0);
    std::size_t                            reals = 0;

    S.B           = B;
    S.plan.levels = {
      {K, J, I, false, false}
    };
    S.levels             = grid_shape_levels<double>(S.plan);
    GridLevel<double> &L = S.levels[0];
    L.unknowns           = B;
    for (int column : columns)
      for (int k = 0; k < K; k += 2)
        for (int m = 0; m < K; m += 2)
          if (std::abs(k - m) > 1)
            for (int p = 0; p < B; p++)
              entries.push_back({
                {p,           k, column / I, column % I},
                {(p + 1) % B, m, column / I, column % I}
              });
    std::vector<GridEntry> remainder;
    lists = {grid_remainder_level(grid_level_of<float>(K, J, I), B, entries, false, &remainder)};
    S.remainder.resize(1);
    GridRemainder<double> &of = S.remainder[0];
    of.rows                   = static_cast<int>(lists[0].row.size());
    of.entries                = static_cast<int>(lists[0].col.size());
    of.reds                   = lists[0].reds;
    of.row                    = lists[0].row.data();
    of.col                    = lists[0].col.data();
    of.ptr                    = lists[0].ptr.data();
    values.resize(lists[0].col.size());
    for (double &v : values) v = number(engine);
    of.value = values.data();
    reals    = L.cells * static_cast<std::size_t>(grid_slots * B * B + 3 * B);
    memory.assign(reals, 0);
    L.coef = memory.data();
    L.x    = L.coef + static_cast<std::size_t>(grid_slots * B * B) * L.cells;
    L.b    = L.x + static_cast<std::size_t>(B) * L.cells;
    L.d    = L.b + static_cast<std::size_t>(B) * L.cells;
    for (int k = 0; k < K; k++)
      for (int j = 0; j < J; j++)
        for (int i = 0; i < I; i++) {
          const std::size_t c     = L.of_cell(k, j, i);
          const bool        has[] = {k > 0, k + 1 < K, i > 0, i + 1 < I, j > 0, j + 1 < J};

          for (int slot = 0; slot < grid_pivot; slot++)
            for (int e = 0; e < B * B; e++)
              if (has[slot]) L.entry<0>(slot, e / B, e % B)[c] = (singular && slot >= grid_west ? 0 : 1) * number(engine);
          for (int e = 0; e < B; e++) L.entry<0>(grid_pivot, e, e)[c] = singular ? 0 : 0.5;
          for (int p = 0; p < B; p++) L.x[static_cast<std::size_t>(p) * L.cells + c] = L.b[static_cast<std::size_t>(p) * L.cells + c] = number(engine);
        }
    /* the sum of a block row has no part of the couplings: what others take from the diagonal is given back, and dominance with it */
    for (std::size_t c = 0; B > 1 && c < L.cells; c++)
      for (int e = 0; e < B; e++) L.entry<0>(grid_pivot, e, e)[c] += 6 * B;
    for (std::size_t r = 0; r < lists[0].row.size(); r++)
      for (int e = lists[0].ptr[r]; e < lists[0].ptr[r + 1]; e++) {
        const std::size_t p = static_cast<std::size_t>(lists[0].row[r]) / L.cells;

        L.entry<0>(grid_pivot, static_cast<int>(p), static_cast<int>(p))[static_cast<std::size_t>(lists[0].row[r]) % L.cells] -=
          values[static_cast<std::size_t>(e)];
      }
    EXPECT_EQ(dense.Place(Where::host, {1}, lists, &S), PETSC_SUCCESS);
  }
  const GridLevel<double> &Level() const { return S.levels[0]; }
  std::vector<double>      Memory() const { return memory; }
  void                     Restore(const std::vector<double> &from) { std::copy(from.begin(), from.end(), memory.begin()); }

private:
  std::vector<GridEntry>         entries;
  std::vector<GridRemainderList> lists;
  std::vector<double>            values, memory;
  GridDenseLines<double>         dense;
};

} // namespace heptane

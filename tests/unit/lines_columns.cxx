/*
   The columns that are left where red ones are eliminated: their numbers, and where the levels of lines have them.
*/
#include "pc/lines/lines_rows.hpp"
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace heptane;

namespace
{

/* All black columns of a grid, and every third red one kept */
struct Columns {
  LinesPlaces      places;
  std::vector<int> kept;

  Columns(int K, int J, int I)
  {
    RemainingColumns &of = places.of;
    int               n  = 0;

    places.remaining = true;
    of.K             = K;
    of.J             = J;
    of.I             = I;
    of.black         = static_cast<unsigned>(J * I / 2);
    for (int j = 0; j < J; j++)
      for (int i = j & 1; i < I; i += 2)
        if (n++ % 3 == 0) kept.push_back(j * ((I + 1) / 2) + i / 2);
    of.lines       = of.black + static_cast<unsigned>(kept.size());
    of.kept_column = kept.data();
  }
};

} // namespace

TEST(LinesColumns, BlackOnesAreNumberedAlongTheRows)
{
  for (int J = 1; J < 7; J++)
    for (int I = 1; I < 8; I++) {
      const Columns c(3, J, I);
      unsigned      next = 0;

      for (int j = 0; j < J; j++)
        for (int i = 1 - (j & 1); i < I; i += 2) {
          int at_j = -1, at_i = -1;

          EXPECT_EQ(next, c.places.of.of_black(j, i / 2)) << J << " x " << I << ": " << j << ", " << i;
          c.places.of.locate(next++, at_j, at_i);
          EXPECT_EQ(j, at_j);
          EXPECT_EQ(i, at_i);
        }
      EXPECT_EQ(c.places.of.black, next);
    }
}

TEST(LinesColumns, KeptOnesFollow)
{
  for (int J = 1; J < 7; J++)
    for (int I = 1; I < 8; I++) {
      const Columns                 c(3, J, I);
      std::set<std::pair<int, int>> seen;

      for (unsigned q = 0; q < c.places.of.lines; q++) {
        int j, i;

        c.places.of.locate(q, j, i);
        EXPECT_TRUE(j >= 0 && j < J && i >= 0 && i < I);
        EXPECT_EQ(q < c.places.of.black, ((i + j) & 1) == 1);
        EXPECT_TRUE(seen.insert({j, i}).second);
      }
    }
}

/* Every unknown that is left has one place in the level of its lines, and one in the vectors */
TEST(LinesColumns, LevelHasThemAll)
{
  for (int J = 1; J < 7; J++)
    for (int I = 1; I < 8; I++) {
      const Columns           c(3, J, I);
      const GridLevel<double> L = lines_level<double>(c.places);
      std::set<std::size_t>   seen;

      for (int colour = 0; colour < 2; colour++)
        for (std::size_t column = 0; column < L.columns; column++) {
          int j, i;

          EXPECT_EQ(GridColumn(L, colour, column).exists, c.places.locate(L, colour, column, j, i));
          if (!c.places.locate(L, colour, column, j, i)) continue;
          for (int k = 0; k < L.K; k++) EXPECT_TRUE(seen.insert(c.places.first(L, colour, column) + k * c.places.along()).second);
        }
      EXPECT_EQ(c.places.of.at(1, 0, 0), seen.size());
      if (!seen.empty()) EXPECT_EQ(c.places.component() - 1, *seen.rbegin());
    }
}

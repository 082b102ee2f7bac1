/*
   The order of the tiles of a product in which some rows wait for ghosts: every tile once, first those without, and the run of rows that decides it.
*/
#include "pass/product/halo_tiles.hpp"

namespace
{

/* The longest run by looking at every row */
RowRun longest_run(const std::vector<bool> &waits)
{
  RowRun longest;
  int    first = 0;

  for (int row = 0; row <= static_cast<int>(waits.size()); row++)
    if (row == static_cast<int>(waits.size()) || waits[row]) {
      if (row - first > longest.end - longest.first) longest = {first, row};
      first = row + 1;
    }
  return longest;
}

/* The order with these rows, which a kernel of so many blocks goes through in two loops: inner tiles hold no row that waits, all tiles are gone through once */
void check(const std::vector<int> &list, int rows, int per_tile, bool backward, int blocks)
{
  std::vector<bool> waits(rows, false);
  for (int row : list) waits[row] = true;
  const RowRun    run = longest_run_outside(list.data(), list.size(), rows), expected = longest_run(waits);
  const HaloTiles order(rows, per_tile, run, backward);
  const auto      any = [&](int tile) {
    return std::any_of(waits.begin() + tile * per_tile, waits.begin() + std::min((tile + 1) * per_tile, rows), [](bool w) { return w; });
  };
  std::vector<int> turn(order.tiles, -1);

  ASSERT_EQ(run.first, expected.first);
  ASSERT_EQ(run.end, expected.end);
  ASSERT_EQ(order.tiles, (rows + per_tile - 1) / per_tile);
  for (int block = 0; block < blocks; block++) {
    int k = block, at = 0;
    for (; k < order.inner; k += blocks, at++) {
      ASSERT_EQ(turn.at(order(k)), -1);
      turn[order(k)] = at;
      ASSERT_FALSE(any(order(k))) << "tile " << order(k) << " of " << rows << " rows in tiles of " << per_tile;
    }
    for (; k < order.tiles; k += blocks, at++) {
      ASSERT_EQ(turn.at(order(k)), -1);
      turn[order(k)] = at;
    }
  }
  ASSERT_EQ(std::count(turn.begin(), turn.end(), -1), 0);
  for (int tile = 0; tile < order.tiles; tile++) { /* no tile of the run is left to the others */
    const bool inside = tile * per_tile >= run.first && std::min((tile + 1) * per_tile, rows) <= run.end;
    ASSERT_EQ(inside, order.inner > 0 && tile >= order.first && tile < order.first + order.inner) << "tile " << tile;
  }
  for (int k = 1; k < order.tiles; k++) /* neighbours follow each other in either part, but for the run between the others */
    if (k != order.inner) {
      const int step = backward ? order(k - 1) - order(k) : order(k) - order(k - 1);
      ASSERT_TRUE(step == 1 || (k > order.inner && step == 1 + order.inner)) << k;
    }
}

std::vector<int> range(int first, int end)
{
  std::vector<int> rows;
  for (int row = first; row < end; row++) rows.push_back(row);
  return rows;
}
std::vector<int> operator+(std::vector<int> a, const std::vector<int> &b)
{
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(HaloTiles, EveryTileOnceAndThoseWithoutGhostsFirst)
{
  for (int rows : {1, 7, 8, 9, 63, 64, 65, 1000})
    for (int per_tile : {1, 6, 8, 64})
      for (bool backward : {false, true})
        for (int blocks : {1, 3, 200}) {
          check({}, rows, per_tile, backward, blocks);                                                               /* the run is all rows */
          check(range(0, rows), rows, per_tile, backward, blocks);                                                   /* there is none */
          check(range(0, rows / 5), rows, per_tile, backward, blocks);                                               /* the last rank of slabs */
          check(range(rows - rows / 5, rows), rows, per_tile, backward, blocks);                                     /* the first */
          check(range(0, rows / 7) + range(rows - rows / 5, rows), rows, per_tile, backward, blocks);                /* one in the middle */
          check({rows / 2}, rows, per_tile, backward, blocks);                                                       /* two runs */
          check(range(rows / 4, rows / 3) + range(rows / 2, rows / 2 + rows / 8), rows, per_tile, backward, blocks); /* three */
          for (int every : {2, 3}) {
            std::vector<int> some;
            for (int row = every - 1; row < rows; row += every) some.push_back(row);
            check(some, rows, per_tile, backward, blocks);
          }
        }
}

TEST(HaloTiles, ARunThatBeginsAndEndsInsideTiles)
{
  const HaloTiles order(100, 10, RowRun{13, 78}, false), back(100, 10, RowRun{13, 78}, true), last(95, 10, RowRun{13, 95}, false),
    none(100, 10, RowRun{13, 25}, false);

  EXPECT_EQ(order.first, 2);
  EXPECT_EQ(order.inner, 5);
  const int forward[] = {2, 3, 4, 5, 6, 0, 1, 7, 8, 9}, backward[] = {6, 5, 4, 3, 2, 9, 8, 7, 1, 0};
  for (int k = 0; k < 10; k++) {
    EXPECT_EQ(order(k), forward[k]);
    EXPECT_EQ(back(k), backward[k]);
    EXPECT_EQ(none(k), k);
  }
  EXPECT_EQ(last.tiles, 10);
  EXPECT_EQ(last.inner, 8);
  EXPECT_EQ(none.inner, 0);
}

} // namespace

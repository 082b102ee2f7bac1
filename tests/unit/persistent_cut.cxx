/*
   How rows are cut into the blocks of a persistent kernel: each row in one block, few in those at the ends, and the blocks that a block has to wait for, against a search by rows.
*/
#include "mat/bdiagh/fused/persistent_cut.hpp"
#include <set>

namespace
{

/* Every row in one block, in their order, of at most `most` rows and not empty at the ends */
void check_rows(const BdiaghCut &cut, int most)
{
  ASSERT_EQ(cut.first(0), 0);
  ASSERT_EQ(cut.first(cut.blocks), cut.rows);
  for (int b = 0; b < cut.blocks; b++) {
    ASSERT_LE(cut.first(b), cut.first(b + 1));
    ASSERT_LE(cut.first(b + 1) - cut.first(b), most);
    for (int row = cut.first(b); row < cut.first(b + 1); row++) ASSERT_EQ(cut.block_of(row), b);
  }
}

/* Row by row, by the blocks' first rows alone */
std::vector<int> partners_by_rows(const BdiaghCut &cut, const std::vector<int> &offset)
{
  std::vector<int> of_row(cut.rows);
  std::set<int>    found;

  for (int b = 0; b < cut.blocks; b++)
    for (int row = cut.first(b); row < cut.first(b + 1); row++) of_row[row] = b;
  for (int row = 0; row < cut.rows; row++)
    for (int d : offset)
      if (row + d >= 0 && row + d < cut.rows && of_row[row + d] != of_row[row]) {
        found.insert(of_row[row + d] - of_row[row]);
        found.insert(of_row[row] - of_row[row + d]);
      }
  return {found.begin(), found.end()};
}

TEST(PersistentCut, RowsAndPartners)
{
  struct Case {
    int  rows, blocks, line, plane, edge, most;
    bool below, above, ends; /* other ranks' columns; whether the ends have blocks of their own */
  };

  for (const Case &c : {
         Case{500000,  132, 100, 10000, 2048, 4096, false, true,  true },
         Case{500000,  132, 100, 10000, 2048, 4096, true,  true,  true },
         Case{1048576, 132, 128, 16384, 4096, 8192, true,  false, true },
         Case{1048576, 132, 128, 16384, 4096, 8000, true,  false, false}, /* no room in the others */
         Case{260000,  132, 52,  2704,  2048, 4096, false, true,  false}, /* the others would have fewer rows */
         Case{300001,  101, 50,  2500,  2048, 4096, true,  true,  true },
         Case{20000,   3,   20,  400,   4096, 8192, true,  true,  false}, /* one block between the ends */
         Case{14000,   3,   20,  400,   4096, 8192, true,  true,  true },
         Case{500000,  132, 100, 10000, 2048, 4096, false, false, false}
  }) {
    const int              multiple = 16;
    const BdiaghCut        cut      = bdiagh_cut(c.rows, c.blocks, multiple, c.below ? c.plane : 0, c.above ? c.plane : 0, c.edge, c.most);
    const std::vector<int> offset   = {0, -1, 1, -c.line, c.line, -c.plane, c.plane};

    SCOPED_TRACE(std::to_string(c.rows) + " rows, at most " + std::to_string(c.most));
    EXPECT_EQ(cut.edge != 0, c.ends);
    check_rows(cut, std::max(c.most, round_up_to((c.rows + c.blocks - 1) / c.blocks, multiple)));
    if (c.ends) {
      EXPECT_GE(cut.low * cut.edge, c.below ? c.plane : 0);
      EXPECT_GE(cut.high * cut.edge, c.above ? c.plane : 0);
      EXPECT_EQ(cut.first(1), c.below ? c.edge : cut.chunk);
      EXPECT_EQ(cut.rows - cut.first(cut.blocks - 1) == c.edge, c.above);
    }
    EXPECT_EQ(bdiagh_cut_partners(cut, offset.data(), static_cast<int>(offset.size())), partners_by_rows(cut, offset));
  }
}

/* Blocks begin with a cell, also those at the ends and behind the last row */
TEST(PersistentCut, WholeCells)
{
  for (int cells : {131072, 12345, 3003, 801})
    for (int blocks : {132, 17, 4, 3})
      for (int plane : {0, 4096, 180}) {
        const int       multiple = 48, rows = 3 * cells, edge = 2016;
        const BdiaghCut cut = bdiagh_cut(rows, blocks, multiple, 3 * plane, 3 * plane, edge, 2 * edge);

        check_rows(cut, std::max(2 * edge, round_up_to((rows + blocks - 1) / blocks, multiple)));
        for (int b = 0; b <= cut.blocks; b++) EXPECT_EQ(cut.first(b) % 3, 0) << cells << " cells, block " << b << " of " << blocks;
      }
}

} // namespace

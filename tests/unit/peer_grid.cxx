/*
   Sums over all blocks of the kernels of all ranks, each block a thread here, by the functions that kernels use: random delays, more blocks than cores, every sum compared; and
   that a block that runs ahead and a rank that never comes are noticed.
*/
#include "peer_grids.hpp"
#include <atomic>

namespace
{

double part_of(int rank, int block, int k, std::uint64_t number)
{
  return 3. * k + 16. * rank + 256. * block + 4096. * static_cast<double>(number % 1000003); /* sums are exact in any order */
}

/* Three kernels after each other, one sum and two in turn */
TEST(Peer, SumsOverAllBlocksOfAllRanks)
{
  for (const std::vector<int> &blocks : {
         std::vector<int>{1,  1},
         {3,  2},
         {2,1, 2},
         {1,  2, 1, 3},
         {7}
  }) {
    Grids                                  S(blocks, 41);
    const std::vector<std::pair<int, int>> all    = everyone(blocks);
    const int                              rounds = all.size() == 2 ? 10000 : 300;
    std::atomic<int>                       wrong(0);

    for (int kernel = 0; kernel < 3; kernel++)
      on_ranks(static_cast<int>(all.size()), [&](int i) {
        const auto [rank, block] = all[i];
        Delay  delay(i + 100 * kernel);
        Reduce reduce(S.G[rank], block, 1 + block % 3);
        for (int n = 0; n < rounds; n++) {
          double one[1] = {part_of(rank, block, 0, reduce.number + 1)}, two[2], sum[1], sums[2], expected[3] = {0, 0, 0};
          delay();
          reduce.sum(one, sum);
          for (int k = 0; k < 2; k++) two[k] = part_of(rank, block, k, reduce.number + 1);
          delay();
          reduce.sum(two, sums);
          for (auto [r, b] : all)
            for (int k = 0; k < 3; k++) expected[k] += part_of(r, b, k == 2, reduce.number - (k == 0));
          wrong += sum[0] != expected[0] || sums[0] != expected[1] || sums[1] != expected[2];
        }
        reduce.end();
      });
    EXPECT_EQ(wrong, 0) << blocks.size() << " ranks";
    for (std::uint64_t formed : S.formed) EXPECT_EQ(formed, 41u + 6u * rounds);
  }
}

/* Parts left three times without the sums in between: who comes later does not take them for those of the first, and the failed wait is seen by all */
TEST(Peer, ABlockThatRunsAheadIsNoticed)
{
  Grids        S({1, 1}, 0, second / 100);
  Reduce       ahead(S.G[0], 0, 1), late(S.G[1], 0, 1);
  const double one[1] = {1};
  double       sum[1];

  for (int n = 0; n < 3; n++) ahead.publish(one);
  late.sum(one, sum);
  EXPECT_TRUE(std::isnan(sum[0]));
  EXPECT_EQ(S.failed, (std::vector<int>{1, 1}));
  late.end();
  EXPECT_EQ(S.formed[1], 3u); /* as far as another block may have been */
}

TEST(Peer, BlocksOfARankThatNeverComes)
{
  Grids            S({2, 1, 1}, 0, second / 5);
  std::atomic<int> nothing(0);

  on_ranks(3, [&](int i) { /* rank 2 does not */
                           Reduce       reduce(S.G[i / 2], i % 2, 1);
                           const double one[1] = {1};
                           double       sum[1];

                           for (int n = 0; n < 3; n++) {
                             reduce.sum(one, sum);
                             nothing += std::isnan(sum[0]);
                           }
  });
  EXPECT_EQ(nothing, 9);
  EXPECT_EQ(S.failed, (std::vector<int>{1, 1, 1}));
}

} // namespace

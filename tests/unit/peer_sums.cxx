/*
   Sums between ranks, each a thread here, by the functions that processes and kernels use: random delays, more ranks than cores, every total compared; and that a sum that is
   not totalled and a rank that never comes are noticed.
*/
#include "comm/peer_sums.hpp"
#include "../comm/parts.hpp"
#include "peer_threads.hpp"
#include <atomic>

namespace
{

/* In the order of the ranks */
double expected_total(int ranks, int k, std::uint64_t epoch)
{
  double total = part_of(0, k, epoch);

  for (int r = 1; r < ranks; r++) total += part_of(r, k, epoch);
  return total;
}

/* The sums areas of all ranks */
class Sums {
public:
  explicit Sums(int ranks, std::uint64_t limit = 60 * second) : memory(ranks, std::vector<PeerWord>(PeerSums::words)), P(ranks), published(ranks), failed(ranks)
  {
    for (int r = 0; r < ranks; r++) {
      P[r].ranks = ranks;
      P[r].rank  = r;
      for (int s = 0; s < ranks; s++) P[r].at[s] = memory[s].data();
      published[r].resize(PeerSums::most_sums);
      P[r].local     = memory[r].data();
      P[r].published = published[r].data();
      P[r].limit     = {limit, &failed[r]};
    }
  }
  std::vector<std::vector<PeerWord>>      memory;
  std::vector<PeerSums>                   P;
  std::vector<std::vector<std::uint64_t>> published;
  std::vector<int>                        failed;
};

TEST(Peer, OneSumAgainAndAgain)
{
  const struct {
    int ranks, rounds;
  } cases[] = {
    {1, 1000  },
    {2, 500000},
    {3, 60000 },
    {4, 40000 },
    {8, 15000 }
  };

  for (auto [ranks, rounds] : cases) {
    Sums             S(ranks);
    std::atomic<int> wrong(0);

    on_ranks(ranks, [&S, &wrong, ranks = ranks, rounds = rounds](int r) {
      Delay delay(r);
      for (int e = 1; e <= rounds; e++) {
        delay();
        peer_publish(S.P[r], 3, part_of(r, 3, e));
        delay();
        wrong += peer_total(S.P[r], 3) != expected_total(ranks, 3, e);
      }
    });
    EXPECT_EQ(wrong, 0) << ranks << " ranks";
  }
}

/* As in CG: sum 2 by the product, taken by the update, which leaves sums 0 and 1, taken by the next direction; the second of them is taken twice, later */
TEST(Peer, SumsInThePatternOfCG)
{
  for (int ranks : {2, 3, 4}) {
    const int        rounds = ranks == 2 ? 120000 : 20000;
    Sums             S(ranks);
    std::atomic<int> wrong(0);

    on_ranks(ranks, [&](int r) {
      Delay delay(r);
      for (int e = 1; e <= rounds; e++) {
        const double both[2] = {part_of(r, 0, e), part_of(r, 1, e)};
        peer_publish(S.P[r], 2, part_of(r, 2, e));
        delay();
        wrong += peer_total(S.P[r], 2) != expected_total(ranks, 2, e);
        peer_publish(S.P[r], 0, both);
        delay();
        for (int k : {1, 0, 1}) wrong += peer_total(S.P[r], k) != expected_total(ranks, k, e);
      }
    });
    EXPECT_EQ(wrong, 0) << ranks << " ranks";
  }
}

/* A rank that leaves a sum twice more, without totals in between, overwrites what another has still to read: noticed by the limit, not taken for a total */
TEST(Peer, SumThatIsNotTotalledInBetweenIsMissed)
{
  Sums S(2, second / 100);

  for (int e = 1; e <= 3; e++) peer_publish(S.P[0], 0, part_of(0, 0, e));
  peer_publish(S.P[1], 0, part_of(1, 0, 1));
  EXPECT_TRUE(std::isnan(peer_total(S.P[1], 0)));
  EXPECT_EQ(S.failed[1], 1);
}

TEST(Peer, RankThatNeverComes)
{
  const std::uint64_t limit = second / 5;
  Sums                S(4, limit);
  std::atomic<int>    wrong(0);

  on_ranks(4, [&](int r) {
    if (r == 2) return;
    const std::uint64_t begun = peer_clock();
    peer_publish(S.P[r], 0, 1.);
    wrong += !std::isnan(peer_total(S.P[r], 0));
    const std::uint64_t first = peer_clock() - begun;
    for (int more = 0; more < 100; more++) {
      peer_publish(S.P[r], 1, 1.);
      wrong += !std::isnan(peer_total(S.P[r], 1));
    }
    const std::uint64_t all = peer_clock() - begun;
    wrong += first < limit || first > 10 * limit || all - first > limit;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(S.failed, (std::vector<int>{1, 1, 0, 1}));
}

/* Rank 1 never comes: the wait of rank 0 fails, and rank 2, which waits without a limit of its own, ends with it; so does the next wait of rank 1 */
TEST(Peer, AFailedWaitEndsThoseOfAllRanks)
{
  Sums               S(3, 60 * second);
  std::vector<int *> flags = {&S.failed[0], &S.failed[1], &S.failed[2]};

  for (PeerSums &P : S.P) {
    P.limit.failed_flags = flags.data();
    P.limit.ranks        = 3;
  }
  S.P[0].limit.nanoseconds = second / 10;
  on_ranks(3, [&](int r) {
    if (r == 1) return;
    peer_publish(S.P[r], 0, 1.);
    EXPECT_TRUE(std::isnan(peer_total(S.P[r], 0)));
  });
  EXPECT_EQ(S.failed, (std::vector<int>{1, 1, 1}));
  EXPECT_TRUE(std::isnan(peer_total(S.P[1], 1, 1)));
}

/* As lanes of the device do it: a word for each rank by itself, parts added in the order of the ranks; in turns with sums of one thread */
TEST(Peer, SumsByAWordForEachRank)
{
  for (int ranks = 1; ranks <= 5; ranks += 2) {
    Sums             S(ranks);
    std::atomic<int> wrong(0);

    on_ranks(ranks, [&](int r) {
      const PeerSums &P = S.P[r];
      Delay           delay(r);

      for (int n = 0; n < 20000 / ranks; n++) {
        const std::uint64_t    epoch = peer_next(P, 3);
        std::vector<PeerSlots> slots;
        double                 total = 0;

        for (int s = 0; s < ranks; s++) slots.push_back(peer_slots(P, 3, s));
        for (int s = 0; s < ranks; s++) peer_publish_to(slots[s], part_of(r, 3, epoch));
        peer_published(P, 3, epoch);
        delay();
        for (int s = 0; s < ranks; s++) total = s ? total + peer_part(P.limit, slots[s]) : peer_part(P.limit, slots[s]);
        wrong += total != expected_total(ranks, 3, epoch);
        if (n % 3) continue;
        peer_publish(P, 4, part_of(r, 4, peer_next(P, 4)));
        wrong += peer_total(P, 4) != expected_total(ranks, 4, peer_next(P, 4) - 1);
      }
    });
    EXPECT_EQ(wrong, 0) << ranks << " ranks";
  }
}

} // namespace

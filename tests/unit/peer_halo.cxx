/*
   Ghosts between ranks, each a thread here, by the functions that processes and kernels use: random delays and graphs, no sum in between, every value compared; and that a
   broken rule (one buffer, no empty word) is noticed.
*/
#include "pass/product/halo_rows.hpp"
#include "peer_threads.hpp"
#include <atomic>

namespace
{

/*
   needs[a][b]: how many values of b rank a needs. Lists made by hand: with an empty word for whoever sends and needs nothing. stride 0: both buffers are one. unread: a rank none of whose rows reads
   any ghost, -1: none.
*/
class Halos {
public:
  Halos(const std::vector<std::vector<int>> &table, bool empty_words = true, bool two_buffers = true, std::uint64_t limit = 60 * second,
        int without_reader = -1)
    : needs(table), ranks(static_cast<int>(table.size())), unread(without_reader), memory(ranks), send_row(ranks), neighbour(ranks), other(ranks), H(ranks),
      rounds(ranks), failed(ranks)
  {
    std::vector<std::vector<int>> place(ranks, std::vector<int>(ranks)), words = needs;

    for (int a = 0; a < ranks; a++) {
      PeerHalo &h = H[a];
      for (int b = 0; b < ranks; b++) {
        place[a][b] = h.ghosts;
        if (empty_words && a == unread && needs[a][b]) other[a].push_back(h.ghosts);
        h.ghosts += needs[a][b];
      }
      int empties = 0;
      for (int b = 0; b < ranks; b++)
        if (empty_words && needs[b][a] && !needs[a][b]) {
          place[a][b] = h.ghosts + empties++;
          words[a][b] = 1;
          other[a].push_back(place[a][b]);
        }
      memory[a].resize(2 * (h.ghosts + empties) + 1);
      h.stride = two_buffers ? h.ghosts + empties : 0;
      h.others = static_cast<int>(other[a].size());
      h.other  = other[a].data();
      h.ghost  = memory[a].data();
      h.rounds = &rounds[a];
      h.limit  = {limit, &failed[a]};
    }
    for (int a = 0; a < ranks; a++) {
      for (int b = 0; b < ranks; b++) {
        if (words[b][a]) neighbour[a].push_back({static_cast<int>(send_row[a].size()), H[b].stride, memory[b].data() + place[b][a]});
        for (int i = 0; i < words[b][a]; i++) send_row[a].push_back(needs[b][a] ? 10 * b + i : -1);
      }
      H[a].sends      = static_cast<int>(send_row[a].size());
      H[a].send_row   = send_row[a].data();
      H[a].neighbours = static_cast<int>(neighbour[a].size());
      H[a].neighbour  = neighbour[a].data();
    }
  }

  /* The vector of rank a in that round */
  struct Values {
    int           a;
    std::uint64_t round;
    double        operator[](int row) const { return 1e6 * a + row + 0.25 * static_cast<double>(round); }
  };
  /* One product of rank a, the ghosts in groups where that is possible; how many are wrong */
  int Round(int a, Delay &delay)
  {
    const std::uint64_t round = peer_round(H[a]);
    int                 wrong = 0, j = 0;

    for (int part = 0; part < 2; part++) peer_push(H[a], round, Values{a, round}, part, 2);
    delay();
    for (int b = 0; b < ranks && a != unread; b++)
      for (int i = 0; i < needs[a][b]; i++, j++) {
        const double expected = Values{b, round}[10 * a + i];
        wrong += peer_ghost(H[a], round, j) != expected;
        if (i == 0 && needs[a][b] >= 3) {
          const int order[4] = {j + 2, j, j + 1};
          double    three[4];
          peer_ghosts(H[a], round, order, 3, three);
          wrong += three[0] != expected + 2 || three[1] != expected || three[2] != expected + 1;
        }
      }
    peer_end_round(H[a], round);
    return wrong;
  }
  /* Of all ranks, so many rounds each */
  int Run(int products)
  {
    std::atomic<int> wrong(0);

    on_ranks(ranks, [&](int a) {
      Delay delay(a);
      for (int n = 0; n < products; n++) wrong += Round(a, delay);
    });
    return wrong;
  }

  std::vector<std::vector<int>>           needs;
  int                                     ranks, unread;
  std::vector<std::vector<PeerWord>>      memory;
  std::vector<std::vector<int>>           send_row;
  std::vector<std::vector<PeerNeighbour>> neighbour;
  std::vector<std::vector<int>>           other;
  std::vector<PeerHalo>                   H;
  std::vector<std::uint64_t>              rounds;
  std::vector<int>                        failed;
};

TEST(Peer, HaloOfARing)
{
  EXPECT_EQ(Halos({
                    {0, 4},
                    {3, 0}
  })
              .Run(150000),
            0);
  EXPECT_EQ(Halos({
                    {0, 2, 2},
                    {1, 0, 1},
                    {2, 1, 0}
  })
              .Run(20000),
            0);
  EXPECT_EQ(Halos({
                    {0, 1, 0, 5},
                    {3, 0, 2, 0},
                    {0, 1, 0, 1},
                    {4, 0, 4, 0}
  })
              .Run(10000),
            0);
}

/* Any graph, also where one rank needs values of another that needs none of its own, and ranks without neighbours */
TEST(Peer, HaloOfRandomGraphs)
{
  std::minstd_rand random(5);

  for (int graph = 0; graph < 25; graph++) {
    const int                     ranks = 2 + static_cast<int>(random() % 5);
    std::vector<std::vector<int>> needs(ranks, std::vector<int>(ranks));

    for (int a = 0; a < ranks; a++)
      for (int b = 0; b < ranks; b++)
        if (a != b && random() % 3) needs[a][b] = static_cast<int>(random() % 6);
    EXPECT_EQ(Halos(needs).Run(1000), 0) << "graph " << graph;
    EXPECT_EQ(Halos(needs, true, true, 60 * second, graph % ranks).Run(1000), 0) << "graph " << graph;
  }
}

/* Rank 1 pushes its first round, rank 0 goes on as far as it can, and then rank 1 looks: whether it finds what rank 0 pushed in the first round */
bool ahead(Halos &&halo)
{
  Delay none(0);

  peer_push(halo.H[1], 1, Halos::Values{1, 1}, 0, 1);
  for (int n = 0; n < 3 && !halo.failed[0]; n++) halo.Round(0, none);
  return peer_ghost(halo.H[1], 1, 0) == Halos::Values{0, 1}[10];
}

/* Tables in which rank 1 needs values of rank 0, and the reverse or not */
TEST(Peer, BrokenRulesOfTheHaloAreNoticed)
{
  const std::vector<std::vector<int>> both =
                                        {
                                          {0, 1},
                                          {1, 0}
  },
                                      one_way = {{0, 0}, {1, 0}};
  const std::uint64_t limit                   = second / 100;

  EXPECT_TRUE(ahead(Halos(both, true, true, limit)));
  EXPECT_TRUE(ahead(Halos(one_way, true, true, limit)));
  EXPECT_FALSE(ahead(Halos(both, true, false, limit)));
  EXPECT_FALSE(ahead(Halos(one_way, false, true, limit)));
  EXPECT_TRUE(ahead(Halos(both, true, true, limit, 0)));
  EXPECT_FALSE(ahead(Halos(both, false, true, limit, 0)));
}

/* Rows 1 and 3 have columns of the other rank: the last of its ghosts, and all of them, more than are waited for at once */
TEST(Peer, RowsWaitForTheirColumns)
{
  Halos            halo({
               {0, 9},
               {6, 0}
  });
  std::atomic<int> wrong(0);

  on_ranks(2, [&](int a) {
    const int           ghosts = halo.needs[a][1 - a], base = 0, ptr[3] = {0, 1, 1 + ghosts};
    const std::uint32_t mask = 0b1010;
    std::vector<int>    col(1, ghosts - 1);
    Vector              values(1, Scalar(2));
    Delay               delay(a);

    for (int j = 0; j < ghosts; j++) {
      col.push_back(j);
      values.push_back(Scalar(1) / Scalar(3 + j));
    }
    const RemainderRows R        = {&mask, &base, ptr, col.data(), values.data(), ghosts};
    const std::uint32_t masks[2] = {0b1, 0b100001};
    const int           bases[2] = {0, 1}, cols[6] = {0, 0, 0, ghosts - 1, 0, ghosts - 1};
    const Scalar        entries[6] = {9, 9, 1, 3, 2, 4};
    const RemainderRows even       = {masks, bases, nullptr, cols, entries, 2}; /* rows 0, 32 and 37 */
    for (int n = 0; n < 20000; n++) {
      const std::uint64_t round = peer_round(halo.H[a]);
      Scalar              all   = 0;

      peer_push(halo.H[a], round, Halos::Values{a, round}, 0, 1);
      delay();
      for (int j = 0; j < ghosts; j++) all += values[1 + j] * Scalar(Halos::Values{1 - a, round}[10 * a + j]);
      wrong += halo_row(R, halo_word(R, 3), halo.H[a], round, 3) != all;
      wrong += halo_row(R, halo_word(R, 1), halo.H[a], round, 1) != 2 * Scalar(Halos::Values{1 - a, round}[10 * a + ghosts - 1]);
      wrong += halo_row(R, halo_word(R, 2), halo.H[a], round, 2) != 0 || halo_row(RemainderRows(), halo_word(RemainderRows(), 3), halo.H[a], round, 3) != 0;
      for (int k = 0; k < 2; k++) { /* as many entries each, found without ptr[] */
        const Scalar expected =
          Scalar(1 + k) * Scalar(Halos::Values{1 - a, round}[10 * a]) + Scalar(3 + k) * Scalar(Halos::Values{1 - a, round}[10 * a + ghosts - 1]);
        wrong += halo_row(even, halo_word(even, 32 + 5 * k), halo.H[a], round, 32 + 5 * k) != expected;
      }
      peer_end_round(halo.H[a], round);
    }
  });
  EXPECT_EQ(wrong, 0);
}

} // namespace

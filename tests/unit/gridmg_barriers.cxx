/*
   Where processes meet without their hosts, with threads in place of processes: nobody goes on before all have come, groups are apart, a process that does not come ends the wait of all. And copies of
   pieces of lines.
*/
#include "pc/gridmg/device/copies.hpp"
#include <atomic>
#include <thread>

namespace
{

struct Processes {
  std::vector<std::vector<PeerWord>> words;
  std::vector<int>                   failed;
  std::vector<int *>                 failed_flags;
  std::vector<GridBarrier>           barrier;

  Processes(int count, double seconds) : words(count, std::vector<PeerWord>(GridBarrier::words, PeerWord{0, 0})), failed(count, 0), barrier(count)
  {
    for (int &f : failed) failed_flags.push_back(&f);
    for (int r = 0; r < count; r++) {
      barrier[r].rank = r;
      for (int p = 0; p < count; p++) barrier[r].at[p] = words[p].data();
      barrier[r].limit = {static_cast<std::uint64_t>(1e9 * seconds), failed_flags[r], failed_flags.data(), count};
    }
  }
  /* As a kernel has a thread for each other process */
  bool Barrier(int rank, int group, int count, std::uint64_t epoch) const
  {
    bool good = true;

    for (int other = 0; other < count; other++)
      if (other != rank) peer_store(barrier[rank].at[other] + group * GridBarrier::most + rank, 0., epoch);
    for (int other = 0; other < count; other++)
      if (other != rank) good = grid_barrier(barrier[rank], group, epoch, other) && good;
    return good;
  }
};

TEST(GridBarrier, NobodyGoesOnBeforeAllHaveCome)
{
  constexpr int rounds = 300;

  for (int count : {2, 3, 8}) {
    const Processes               all(count, 60);
    std::vector<std::atomic<int>> come(count);
    std::vector<std::thread>      threads;
    std::atomic<int>              early{0}, late{0};

    for (int r = 0; r < count; r++)
      threads.emplace_back([&, r] {
        for (int e = 1; e <= rounds; e++) {
          come[r] = e;
          late += !all.Barrier(r, 0, count, static_cast<std::uint64_t>(e));
          for (int p = 0; p < count; p++) early += come[p] < e;
          if (r < count - 1 && e % 3 == 0)
            late += !all.Barrier(r, 1, count - 1, static_cast<std::uint64_t>(e / 3)); /* the last one is in the first group alone */
        }
      });
    for (std::thread &t : threads) t.join();
    EXPECT_EQ(early, 0) << count;
    EXPECT_EQ(late, 0) << count;
  }
}

TEST(GridBarrier, EndsWhereOneDoesNotCome)
{
  const Processes all(3, 0.05);

  EXPECT_FALSE(all.Barrier(0, 0, 3, 1));
  EXPECT_EQ(all.failed, (std::vector<int>{1, 1, 1}));
  EXPECT_FALSE(all.Barrier(1, 0, 3, 1)); /* at once: that of process 2 is missing */
}

TEST(GridCopies, PiecesInTwoPlaces)
{
  std::vector<double> from(60), to(80, -1);
  GridCopy<double>    copy;

  for (std::size_t k = 0; k < from.size(); k++) from[k] = static_cast<double>(k);
  copy.to         = to.data();
  copy.from       = from.data() + 30;
  copy.width      = 3;
  copy.height     = 4;
  copy.to_pitch   = 10;
  copy.from_pitch = 5;
  copy.count      = 2;
  copy.to_step    = 40;
  copy.from_step  = -30; /* the other place lies before */
  ASSERT_EQ(copy.lines(), 8u);
  for (std::size_t line = 0; line < copy.lines(); line++)
    for (std::size_t e = 0; e < copy.width; e++) copy.move(line, e);
  for (std::size_t k = 0; k < to.size(); k++) {
    const std::size_t place = k / 40, line = k % 40 / 10, e = k % 10;

    EXPECT_EQ(to[k], e < 3 ? static_cast<double>((place ? 0 : 30) + 5 * line + e) : -1) << k;
  }
}

TEST(GridCopies, EmptyOnesAreLeftOut)
{
  GridCopies<float> copies;
  GridCopy<float>   copy;
  float             number = 3, to = 0;

  copies.Add(copy);
  EXPECT_EQ(copies.count, 0);
  copy.to    = &to;
  copy.from  = &number;
  copy.width = copy.height = 1;
  copies.Add(copy);
  ASSERT_EQ(copies.count, 1);
  copies.copy[0].move(0, 0);
  EXPECT_EQ(to, 3);
}

TEST(GridResults, SolutionAndResidualFromTheBoxes)
{
  Vector     x = {1, 2, 3, 4}, r(4, -1), of_x = {10, 20, 30, 40, 50, 60}, of_r = {0, 1, 2, 3, 4, 5};
  const auto pieces = [](Scalar *to, const Scalar *from) {
    GridCopies<Scalar> copies;

    copies.Add({to, from, 2, 2, 2, 3}); /* two of three numbers of each row of a box */
    return copies;
  };
  GridResults given;
  const auto  all = [&](bool failed) {
    for (std::size_t k = 0; k < 2; k++)
      for (std::size_t e = 0; e < 2; e++) given.move(0, k, e, failed);
  };

  given.x = pieces(x.data(), of_x.data());
  all(false);
  EXPECT_EQ(x, (Vector{10, 20, 40, 50}));
  EXPECT_EQ(r, Vector(4, -1)); /* there is none */
  given.r   = pieces(r.data(), of_r.data());
  given.add = true;
  all(false);
  EXPECT_EQ(x, (Vector{20, 40, 80, 100}));
  EXPECT_EQ(r, (Vector{0, 1, 3, 4}));
  all(true);
  for (Scalar v : x) EXPECT_TRUE(std::isnan(v));
}

} // namespace

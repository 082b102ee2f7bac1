/*
   Which block takes which groups where each multiprocessor has a range of them: all once, wherever the blocks run; and when ranges are chosen.
*/
#include "mat/csr/groups.hpp"
#include "mat/csr/ranges.hpp"
#include <atomic>
#include <thread>

namespace
{

/* The entries of a matrix whose row k has `each` columns column(k, i) */
struct Matrix {
  std::vector<int> ptr, col, group;

  template <class Column>
  Matrix(int rows, int each, const Column &column)
  {
    ptr.push_back(0);
    for (int k = 0; k < rows; k++) {
      for (int i = 0; i < each; i++) col.push_back(column(k, i));
      ptr.push_back(static_cast<int>(col.size()));
    }
    group = csr_groups(ptr);
  }
  bool Pay(int processors) const { return csr_ranges_pay(group, ptr, col.data(), processors); }
};

/* How often each group is taken by blocks that run on the multiprocessors where[0], where[1], ... */
std::vector<int> taken_groups(const std::vector<int> &where, int groups, int processors, int per)
{
  std::vector<unsigned> taken(processors, 0);
  std::vector<int>      times(groups, 0);

  for (int s : where) {
    const CsrTurns turns = csr_turns(csr_place(s, processors, per, [&](int at) { return taken[at]++; }), groups, processors, per);

    for (int g = turns.first; g < turns.end; g += turns.step) times.at(g)++;
  }
  return times;
}

} // namespace

TEST(CsrRanges, EachGroupOnce)
{
  std::mt19937 draw(3);

  for (int processors : {1, 2, 7, 132})
    for (int per : {1, 3, 8})
      for (int groups : {0, 1, processors - 1, processors, processors * per, processors * per + 1, 5000}) {
        std::vector<int> even, one(processors * per, processors - 1), any, beyond;

        for (int k = 0; k < processors * per; k++) {
          even.push_back(k % processors);
          any.push_back(static_cast<int>(draw() % processors));
          beyond.push_back(static_cast<int>(draw() % 1000)); /* numbers of multiprocessors may have gaps */
        }
        for (const auto &where : {even, one, any, beyond})
          EXPECT_EQ(taken_groups(where, groups, processors, per), std::vector<int>(groups, 1)) << processors << " multiprocessors, " << per << " blocks each";
      }
}

TEST(CsrRanges, EachPlaceOnceBetweenThreads)
{
  constexpr int                      processors = 5, per = 3;
  std::vector<std::atomic<unsigned>> taken(processors);
  std::vector<std::atomic<int>>      place(processors * per);

  for (int round = 0; round < 200; round++) {
    std::vector<std::thread> blocks;

    for (auto &t : taken) t = 0;
    for (auto &p : place) p = 0;
    for (int k = 0; k < processors * per; k++) blocks.emplace_back([&, k] { place[csr_place(k % 2, processors, per, [&](int s) { return taken[s]++; })]++; });
    for (auto &b : blocks) b.join();
    for (auto &p : place) ASSERT_EQ(p, 1);
  }
}

TEST(CsrRanges, PlacesOfAMultiprocessorShareItsRange)
{
  const CsrTurns a = csr_turns(6, 100, 4, 3), b = csr_turns(8, 100, 4, 3); /* the first and the last of the third */

  EXPECT_EQ(a.first, 50);
  EXPECT_EQ(b.first, 52);
  EXPECT_EQ(a.end, 75);
  EXPECT_EQ(b.end, 75);
  EXPECT_EQ(a.step, 3);
}

TEST(CsrRanges, ChosenWhereNeighboursShareColumns)
{
  std::mt19937 draw(5);
  const int    n = 60000;

  EXPECT_TRUE(Matrix(n, 16, [&](int k, int) { return std::min(n - 1, std::max(0, k - 1000 + static_cast<int>(draw() % 2001))); }).Pay(16)) << "a band";
  EXPECT_FALSE(Matrix(n, 16, [&](int, int) { return static_cast<int>(draw() % n); }).Pay(16)) << "columns from everywhere";
  EXPECT_FALSE(Matrix(n, 16, [&](int, int i) { return i; }).Pay(16)) << "all the same columns, which any order finds again";
  EXPECT_FALSE(Matrix(n, 3, [&](int k, int i) { return std::min(n - 1, k + i); }).Pay(16)) << "a group has all that it reads";
  EXPECT_FALSE(Matrix(31, 16, [&](int k, int i) { return k + i; }).Pay(132)) << "fewer groups than multiprocessors";
  EXPECT_FALSE(Matrix(0, 0, [](int, int) { return 0; }).Pay(132));
}

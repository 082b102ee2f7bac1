/*
   Rows with many columns of other processes whose sums are formed beforehand: the lists of rows and sums give the rows' products, whatever the lengths, and no more sums than there are words.
*/
#include "mat/aij/halo/halo_shared.hpp"

namespace
{

/* Rows of these lengths, with `ghosts` columns of which `word` of others come first; words: that there are for sums */
void check(const std::vector<int> &lengths, int words)
{
  const int                                 ghosts = 61, word = 64;
  std::mt19937                              random(5);
  std::uniform_real_distribution<PetscReal> value(-1, 1);
  std::vector<int>                          first = {0}, column;
  Vector                                    values, x(word + lengths.size() + 1, Scalar(NAN));
  HaloSharedRows                            shared;
  FusedHalo                                 halo;
  int                                       number = 0;

  for (int j = 0; j < ghosts; j++) x[j] = value(random);
  for (int length : lengths) {
    for (int e = 0; e < length; e++) {
      column.push_back((7 * e + 3) % ghosts);
      values.push_back(value(random));
    }
    first.push_back(static_cast<int>(column.size()));
    number += length > HaloSharedRows::from;
  }
  number = std::min(number, words);
  shared.Make(first, column, word, words);
  ASSERT_EQ(shared.Any(), number > 0);
  if (!number) {
    EXPECT_EQ(shared.Entries(), 0u);
    return;
  }
  const std::size_t all = values.size();
  values.resize(all + shared.Entries(), Scalar(NAN));
  shared.Values(values.data(), values.data() + all);
  halo.rows.values = values.data();
  ASSERT_EQ(shared.Upload(Where::host), PETSC_SUCCESS);
  shared.Take(Where::host, all, &halo);
  ASSERT_EQ(halo.shared.count, number);
  for (int k = 0; k < number; k++) {
    Scalar sum = 0;

    EXPECT_GT(halo.shared.from[k + 1] - halo.shared.from[k], HaloSharedRows::from);
    for (int p = halo.shared.from[k]; p < halo.shared.from[k + 1]; p++) sum += halo.rows.values[p] * x[halo.rows.col[p]];
    x[word + k] = sum;
  }
  int longest = 0;
  for (std::size_t k = 0; k < lengths.size(); k++) {
    Scalar sum = 0, expected = 0;

    longest = std::max(longest, halo.rows.ptr[k + 1] - halo.rows.ptr[k]);
    for (int p = halo.rows.ptr[k]; p < halo.rows.ptr[k + 1]; p++) sum += halo.rows.values[p] * x[halo.rows.col[p]];
    for (int p = first[k]; p < first[k + 1]; p++) expected += values[p] * x[column[p]];
    EXPECT_EQ(sum, expected) << "row " << k;
  }
  EXPECT_EQ(halo.rows.longest, longest);
}

TEST(HaloShared, EveryLength)
{
  std::vector<int> lengths;

  check({}, 8);
  check({1, 16, 3}, 8);
  check({17}, 8);
  check({17}, 0);
  for (int length = 1; length <= 50; length++) lengths.push_back(length * 37 % 51 + 1);
  for (int words : {0, 1, 5, 32, 33, 34, 35, 100}) check(lengths, words);
}

TEST(HaloShared, MadeAgain)
{
  HaloSharedRows shared;

  shared.Make({0, 20}, std::vector<int>(20, 0), 20, 8);
  EXPECT_TRUE(shared.Any());
  shared.Make({0, 2}, {0, 1}, 20, 8);
  EXPECT_FALSE(shared.Any());
  EXPECT_EQ(shared.Entries(), 0u);
}

} // namespace

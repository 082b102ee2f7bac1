/*
   Whole matrices in compressed rows on the device: the groups of rows, and the sums of rows from their products, as the kernel forms them.
*/
#include "mat/csr/groups.hpp"
#include "patterns.hpp"

namespace
{

using Lengths = std::vector<int>;

/* Lengths that rows have in turns, no more than most but for the longer ones that are asked for */
std::vector<Lengths> shapes(int most, const Lengths &longer = {})
{
  std::vector<Lengths> all;

  for (int n : {0, 1, 3, 7, most}) all.push_back(Lengths(1, n));
  all.push_back(Lengths{0, 0, 5});
  all.push_back(Lengths{31, 32, 33});
  all.push_back(Lengths{300, 5});
  all.push_back(Lengths{most - 1, 1, most});
  all.push_back(Lengths{most - 1, 1, 2});
  for (int n : longer) {
    all.push_back(Lengths(1, n));
    all.push_back(Lengths{1, n, 0, 3});
    all.push_back(Lengths{most, n, n, 5});
  }
  return all;
}

/* Beginnings of rows of these lengths, in turns, until there are so many */
std::vector<int> begins(const Lengths &lengths, int rows)
{
  std::vector<int> ptr(1, 0);

  for (int k = 0; k < rows; k++) ptr.push_back(ptr.back() + lengths[k % lengths.size()]);
  return ptr;
}

/* The kernel's loops over one group, of rows and of cuts */
void multiply_group(const CsrRows &A, int first, int last, const Scalar *x, Vector &z, Vector &sums, std::vector<int> &written)
{
  const int begin = A.ptr[first], lanes = csr_group_lanes(last - first);
  Vector    product;

  for (int p = begin; p < A.ptr[last]; p++) product.push_back(A.values[p] * x[A.col[p]]);
  for (int some = first; some < last; some += csr_group_threads / lanes)
    for (int t = 0; t < csr_group_threads; t += lanes) {
      const int k   = some + t / lanes;
      Scalar    sum = 0;
      if (k >= last) continue;
      const int share = csr_group_long(A.ptr[k + 1] - A.ptr[k], lanes) ? 32 : lanes;
      for (int lane = 0; lane < share; lane++) sum += csr_group_sum(product.data(), A.ptr[k] - begin, A.ptr[k + 1] - begin, lane, share);
      if (A.row[k] < 0) sums[~A.row[k]] += sum;
      else {
        z[A.row[k]] = sum;
        written[A.row[k]]++;
      }
    }
}

} // namespace

TEST(CsrGroups, CoverAllRowsAndFit)
{
  for (const Lengths &lengths : shapes(csr_group_entries))
    for (int rows : {0, 1, 2, 127, 128, 129, 511, 512, 513, 1500}) {
      const auto ptr = begins(lengths, rows), group = csr_groups(ptr);

      ASSERT_EQ(group.front(), 0);
      ASSERT_EQ(group.back(), rows);
      for (std::size_t g = 0; g + 1 < group.size(); g++) {
        EXPECT_TRUE(group[g] < group[g + 1] || !rows) << "an empty group";
        EXPECT_LE(ptr[group[g + 1]] - ptr[group[g]], csr_group_entries);
        EXPECT_LE(group[g + 1] - group[g], csr_group_rows);
      }
      if (lengths[0] == 1 && rows == 1500) {
        EXPECT_EQ(group.size(), 4u) << "rows of one entry: three groups of at most 512";
      }
    }
}

TEST(CsrGroups, CutsFitAndFollow)
{
  for (const Lengths &lengths : shapes(csr_group_entries, {csr_group_entries + 1, 2 * csr_group_entries, 2 * csr_group_entries + 1, 9 * csr_group_entries - 1}))
    for (int rows : {0, 1, 2, 33}) {
      const auto       ptr = begins(lengths, rows);
      std::vector<int> row(rows);
      int              whole = 0, cuts = 0;

      for (int k = 0; k < rows; k++) row[k] = 2 * k + 1; /* a list need not have all rows */
      const CsrCuts c = csr_cuts(row, ptr);
      ASSERT_EQ(c.ptr.size(), c.row.size() + 1);
      ASSERT_EQ(c.first.size(), c.long_row.size() + 1);
      EXPECT_EQ(c.ptr.front(), 0);
      EXPECT_EQ(c.ptr.back(), ptr.back());
      for (std::size_t k = 0; k < c.row.size(); k++) {
        EXPECT_LE(c.ptr[k + 1] - c.ptr[k], csr_group_entries);
        if (c.row[k] >= 0) {
          whole++;
        } else {
          EXPECT_EQ(~c.row[k], cuts) << "cuts come in their order";
          cuts++;
        }
      }
      EXPECT_EQ(c.first.back(), cuts);
      ASSERT_EQ(c.owner.size(), static_cast<std::size_t>(cuts));
      for (int i = 0; i < cuts; i++) EXPECT_TRUE(c.first[c.owner[i]] <= i && i < c.first[c.owner[i] + 1]);
      EXPECT_EQ(whole + static_cast<int>(c.long_row.size()), rows);
      for (std::size_t j = 0; j < c.long_row.size(); j++) EXPECT_GE(c.first[j + 1] - c.first[j], 2);
      if (!cuts) {
        EXPECT_EQ(c.row, row);
        EXPECT_EQ(c.ptr, ptr);
      }
    }
}

TEST(CsrGroups, Sums)
{
  for (const Lengths &lengths : shapes(csr_group_entries / 2, {csr_group_entries + 1, 3 * csr_group_entries}))
    for (int rows : {1, 2, 7, 8, 9, 33, 500}) {
      const auto       ptr = begins(lengths, rows);
      std::vector<int> row(rows), col(ptr.back()), written(2 * rows, 0);
      const auto       a = random_vector(ptr.back()), x = random_vector(97, 3);
      Vector           z(2 * rows, 0);

      for (int k = 0; k < rows; k++) row[k] = 2 * k + 1;
      for (int p = 0; p < ptr.back(); p++) col[p] = p * 31 % 97;
      const CsrCuts c     = csr_cuts(row, ptr);
      const auto    group = csr_groups(c.ptr);
      Vector        sums(c.first.back(), 0);
      const CsrRows A = {static_cast<int>(c.row.size()), c.row.data(), c.ptr.data(), col.data(), nullptr, a.data()};
      for (std::size_t g = 0; g + 1 < group.size(); g++) multiply_group(A, group[g], group[g + 1], x.data(), z, sums, written);
      for (std::size_t j = 0; j < c.long_row.size(); j++) {
        for (int i = c.first[j]; i < c.first[j + 1]; i++) z[c.long_row[j]] += sums[i];
        written[c.long_row[j]]++;
      }
      const CsrRows twin = {rows, row.data(), ptr.data(), col.data(), nullptr, a.data()};
      for (int k = 0; k < rows; k++) {
        EXPECT_EQ(written[row[k]], 1);
        EXPECT_NEAR(z[row[k]], csr_row(twin, x.data(), k, 0, 1), (ptr[k + 1] - ptr[k] + 1) * std::numeric_limits<Scalar>::epsilon());
      }
    }
}

TEST(CsrGroups, Lanes)
{
  EXPECT_EQ(csr_group_lanes(1), 32);
  EXPECT_EQ(csr_group_lanes(4), 32);
  EXPECT_EQ(csr_group_lanes(5), 16);
  EXPECT_EQ(csr_group_lanes(64), 2);
  EXPECT_EQ(csr_group_lanes(65), 1);
  EXPECT_EQ(csr_group_lanes(512), 1);
  for (int rows = 1; rows <= csr_group_rows; rows++)
    EXPECT_FALSE(csr_group_long(csr_group_entries / rows, csr_group_lanes(rows))) << "rows of one length: no warp waits for others";
  EXPECT_FALSE(csr_groups_uneven(begins({16}, 1000), csr_groups(begins({16}, 1000))));
  EXPECT_FALSE(csr_groups_uneven(begins({512}, 3), csr_groups(begins({512}, 3))));
  EXPECT_TRUE(csr_groups_uneven(begins({1, 1, 1, 1, 1, 200}, 500), csr_groups(begins({1, 1, 1, 1, 1, 200}, 500))));
  EXPECT_TRUE(csr_group_long(csr_group_turns + 1, 1));
  EXPECT_FALSE(csr_group_long(csr_group_turns, 1));
  EXPECT_FALSE(csr_groups_uneven(begins({12, 15, 21}, 500), csr_groups(begins({12, 15, 21}, 500)))) << "blocks of three on a grid with boundaries";
  EXPECT_FALSE(csr_group_long(csr_group_entries, 32));
}

/*
   Whole matrices in compressed rows on the device: the groups of rows, and the sums of rows from their products, as the kernel forms them.
*/
#include "mat/aij/csr_groups.hpp"
#include "patterns.hpp"
#include <limits>
#include <gtest/gtest.h>

using namespace heptane;

namespace
{

using Lengths = std::vector<int>;

/* Lengths that rows have in turns, at most so many entries */
std::vector<Lengths> shapes(int most)
{
  std::vector<Lengths> all;

  for (int n : {0, 1, 3, 7, most}) all.push_back(Lengths(1, n));
  all.push_back(Lengths{0, 0, 5});
  all.push_back(Lengths{31, 32, 33});
  all.push_back(Lengths{300, 5});
  all.push_back(Lengths{most - 1, 1, most});
  all.push_back(Lengths{most - 1, 1, 2});
  return all;
}

/* Beginnings of rows of these lengths, in turns, until there are so many */
std::vector<int> begins(const Lengths &lengths, int rows)
{
  std::vector<int> ptr(1, 0);

  for (int k = 0; k < rows; k++) ptr.push_back(ptr.back() + lengths[k % lengths.size()]);
  return ptr;
}

/* The kernel's loops over one group */
void multiply_group(const CsrRows &A, int first, int last, const Scalar *x, std::vector<Scalar> &z, std::vector<int> &written)
{
  const int           begin = A.ptr[first], lanes = csr_group_lanes(last - first);
  std::vector<Scalar> product;

  for (int p = begin; p < A.ptr[last]; p++) product.push_back(A.values[p] * x[A.col[p]]);
  for (int some = first; some < last; some += csr_group_threads / lanes)
    for (int t = 0; t < csr_group_threads; t += lanes) {
      const int k   = some + t / lanes;
      Scalar    sum = 0;
      if (k >= last) continue;
      for (int lane = 0; lane < lanes; lane++) sum += csr_group_sum(product.data(), A.ptr[k] - begin, A.ptr[k + 1] - begin, lane, lanes);
      z[A.row[k]] = sum;
      written[A.row[k]]++;
    }
}

} // namespace

TEST(CsrGroups, CoverAllRowsAndFit)
{
  for (const Lengths &lengths : shapes(csr_group_entries))
    for (int rows : {0, 1, 2, 255, 256, 257, 1023, 1024, 1025, 3000}) {
      const auto ptr = begins(lengths, rows), group = csr_groups(ptr);

      ASSERT_EQ(group.front(), 0);
      ASSERT_EQ(group.back(), rows);
      for (std::size_t g = 0; g + 1 < group.size(); g++) {
        EXPECT_TRUE(group[g] < group[g + 1] || !rows) << "an empty group";
        EXPECT_LE(ptr[group[g + 1]] - ptr[group[g]], csr_group_entries);
        EXPECT_LE(group[g + 1] - group[g], csr_group_rows);
      }
      if (lengths[0] == 1 && rows == 3000) EXPECT_EQ(group.size(), 4u) << "rows of one entry: three groups of at most 1024";
    }
}

TEST(CsrGroups, Sums)
{
  for (const Lengths &lengths : shapes(1024))
    for (int rows : {1, 2, 7, 8, 9, 33, 500}) {
      const auto          ptr = begins(lengths, rows), group = csr_groups(ptr);
      std::vector<int>    row(rows), col(ptr.back()), written(2 * rows, 0);
      const auto          a = random_vector(ptr.back()), x = random_vector(97, 3);
      std::vector<Scalar> z(2 * rows, 0);

      for (int k = 0; k < rows; k++) row[k] = 2 * k + 1; /* a list need not have all rows */
      for (int p = 0; p < ptr.back(); p++) col[p] = p * 31 % 97;
      const CsrRows A = {rows, row.data(), ptr.data(), col.data(), nullptr, a.data()};
      for (std::size_t g = 0; g + 1 < group.size(); g++) multiply_group(A, group[g], group[g + 1], x.data(), z, written);
      for (int k = 0; k < rows; k++) {
        EXPECT_EQ(written[row[k]], 1);
        EXPECT_NEAR(z[row[k]], csr_row(A, x.data(), k, 0, 1), 2000 * std::numeric_limits<Scalar>::epsilon());
      }
    }
}

TEST(CsrGroups, Lanes)
{
  EXPECT_EQ(csr_group_lanes(1), 32);
  EXPECT_EQ(csr_group_lanes(8), 32);
  EXPECT_EQ(csr_group_lanes(9), 16);
  EXPECT_EQ(csr_group_lanes(128), 2);
  EXPECT_EQ(csr_group_lanes(129), 1);
  EXPECT_EQ(csr_group_lanes(1024), 1);
}

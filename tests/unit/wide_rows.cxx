/*
   Few rows of wide blocks, each divided among several threads: how many threads, which of them takes what, and the sums, as the device adds them.
*/
#include "device/row_shares.hpp"
#include "mat/bdiagh/format/wide_rows.hpp"
#include "mat/sellp/format/wide_rows.hpp"
#include "sellp_checks.hpp"
#include "stored.hpp"
#include <set>
#include <utility>

namespace
{

constexpr int U = RowShares::together;

/* Shares ascending, as add_shares_of_block() adds them */
template <class Share>
Scalar add_shares(int shares, const Share &share)
{
  Scalar sum = share(0);

  for (int s = 1; s < shares; s++) sum += share(s);
  return sum;
}

void check_rows(const Matrix &A, PetscInt b, const std::string &what)
{
  const Stored      D(A, b);
  const auto        x = random_vector(A.cols), expected = multiply(A, x, false);
  const SellpLayout L = sellp_find_layout(A.csr(), b, false, {});
  Vector            values(L.values());

  ASSERT_EQ(L.block, b) << what;
  ASSERT_TRUE(L.remainder_row.empty()) << what;
  sellp_fill(L, A.csr(), A.a.data(), values.data());
  const SellpSlices S = slices_of(L, values);
  for (int shares = 1; shares <= RowShares::most; shares *= 2) {
    for (int row = 0; row < A.rows; row++) {
      const Scalar sum = add_shares(shares, [&](int share) { return bdiagh_row_share(D.D, x.data(), row, share, shares); });
      ASSERT_NEAR(sum, expected[row], tolerance) << what << ", " << shares << " shares, row " << row;
    }
    for (int place = 0; place < L.cells; place++)
      for (int i = 0; i < b; i++) {
        const int    slice = place / L.slice, row = L.cell_at(place) * static_cast<int>(b) + i;
        const Scalar sum = add_shares(
          shares, [&](int share) { return sellp_row_share(S, x.data(), L.head[slice], slice, place % L.slice * static_cast<int>(b) + i, share, shares); });
        ASSERT_NEAR(sum, expected[row], tolerance) << what << ", sellp, " << shares << " shares, row " << row;
      }
  }
}

} // namespace

TEST(RowShares, FillTheDeviceAndNoMore)
{
  EXPECT_EQ(row_shares(4096, 3584), 32);
  EXPECT_EQ(row_shares(8192, 1792), 16);
  EXPECT_EQ(row_shares(16384, 896), 8);
  EXPECT_EQ(row_shares(32768, 448), 4);
  EXPECT_EQ(row_shares(1000000, 448), 1);
  EXPECT_EQ(row_shares(0, 448), 16) << "no rows: nothing is launched";
  EXPECT_EQ(row_shares(100, 0), 1);
  EXPECT_EQ(row_shares(100, RowShares::groups * U * 2 - 1), 1) << "a share has some groups";
  EXPECT_EQ(row_shares(100, RowShares::groups * U * 2), 2);
  for (std::size_t rows = 1; rows < 200000; rows += 977)
    for (std::size_t columns : {17u, 119u, 1000u, 100000u}) {
      const int n = row_shares(rows, columns);

      ASSERT_EQ(n & (n - 1), 0);
      ASSERT_LE(n * RowShares::rows, 1024) << "threads of a block";
      ASSERT_TRUE(n == 1 ||
                  (n * (rows + RowShares::rows - 1) / RowShares::rows * RowShares::rows <= RowShares::threads && columns / n >= RowShares::groups * U));
    }
}

/* Every component of every block once, and by one share */
TEST(RowShares, EveryComponentOnce)
{
  for (int width : {0, 1, 2, 7})
    for (int b : {1, 7, 8, 9, 17, 64, 100})
      for (int shares = 1; shares <= RowShares::most; shares *= 2) {
        std::set<std::pair<int, int>> seen;

        for (int share = 0; share < shares; share++) {
          std::pair<int, int> before(-1, 0);

          each_group_of_share(width, b, share, shares, [&](int k, int s) {
            ASSERT_LT(before, std::make_pair(k, s)) << "ascending";
            before = {k, s};
            ASSERT_LT(s, b);
            for (int c = s; c < std::min(s + U, b); c++) ASSERT_TRUE(seen.emplace(k, c).second);
          });
        }
        ASSERT_EQ(seen.size(), static_cast<std::size_t>(width) * b) << width << " blocks of " << b << ", " << shares << " shares";
      }
}

TEST(WideRows, EqualTheProduct)
{
  for (PetscInt b : {1, 17, 24, 33, 64}) {
    check_rows(blocks(20, 20, b, {-12, -4, -1, 0, 1, 4, 12}), b, "block size " + std::to_string(b));
    check_rows(blocks(12, 27, b, {0, 3, 25}), b, "rectangle, block size " + std::to_string(b));
  }
}

TEST(WideRows, Sorted)
{
  for (PetscInt b : {17, 40}) {
    const Matrix A = uneven(40, b, 9);
    const auto   x = random_vector(A.cols), expected = multiply(A, x, false);

    for (PetscInt window : {1, 64})
      for (PetscInt index : {0, 16, 32}) {
        const auto        limits = sellp_limits(b, index, window);
        const SellpLayout L      = sellp_find_layout(A.csr(), b, false, limits);
        Vector            values(L.values());

        sellp_fill(L, A.csr(), A.a.data(), values.data());
        const SellpSlices S = slices_of(L, values);
        for (int r = 0; r < A.rows; r++) {
          const int place = r / L.block, slice = place / L.slice, row = L.cell_at(place) * L.block + r % L.block;

          ASSERT_NEAR(add_shares(8, [&](int share) { return sellp_row_share(S, x.data(), L.head[slice], slice, r - slice * L.slice * L.block, share, 8); }),
                      expected[row], tolerance)
            << "block size " << b << ", index " << index << ", row " << row;
        }
      }
  }
}

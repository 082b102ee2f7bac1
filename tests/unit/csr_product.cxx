/*
   Whole matrices in compressed rows with rows of similar lengths: lanes of a row, and the sums that they form, as the kernel adds them.
*/
#include "mat/csr/product.hpp"
#include "patterns.hpp"

namespace
{

/* The kernel's butterfly */
Scalar product_of_row(const CsrMatrix &A, const Scalar *x, int k, int lanes)
{
  Vector sum(lanes);

  for (int lane = 0; lane < lanes; lane++) sum[lane] = csr_lane_sum(A, x, k, lane, lanes);
  for (int d = lanes / 2; d > 0; d /= 2) {
    const Vector before = sum;
    for (int lane = 0; lane < lanes; lane++) sum[lane] = before[lane] + before[lane ^ d];
  }
  for (int lane = 0; lane < lanes; lane++) EXPECT_EQ(sum[lane], sum[0]) << "all lanes have the sum";
  return sum[0];
}

} // namespace

TEST(CsrProduct, LanesFollowTheMeanLength)
{
  int before = 1;

  EXPECT_EQ(csr_lanes(0, 0), 1);
  EXPECT_EQ(csr_lanes(5, 0), 1);
  EXPECT_EQ(csr_lanes(1, 2000000000), 32);
  EXPECT_EQ(csr_lanes(2000000000, 2000000000), 1);
  for (int mean = 1; mean < 400; mean++) {
    const int lanes = csr_lanes(1000, 1000 * mean);

    EXPECT_GE(lanes, before);
    EXPECT_LE(lanes, 32);
    EXPECT_EQ(lanes & (lanes - 1), 0) << "a power of two";
    EXPECT_TRUE(csr_lanes_suit(lanes, 1000 * mean, mean) || mean > 512) << "rows of one length are for them";
    before = lanes;
  }
  EXPECT_EQ(csr_lanes(1122000, 3831053), 2);
  EXPECT_EQ(csr_lanes(1122000, 7780000), 4);
  EXPECT_EQ(csr_lanes(101561, 3253555), 8);
  EXPECT_EQ(csr_lanes(8011, 918491), 32);
  EXPECT_TRUE(csr_lanes_suit(4, 1000, 64));
  EXPECT_FALSE(csr_lanes_suit(4, 1000, 65));
  EXPECT_FALSE(csr_lanes_suit(4, 8000000, 7));
}

/* Every entry once, whatever the length, with values of which every subset has another sum */
TEST(CsrProduct, EveryEntryOnce)
{
  for (int lanes : {1, 2, 4, 8, 16, 32})
    for (int length : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 129}) {
      std::vector<int> ptr{3, 3 + length}, col(3 + length + 70, 0);
      Vector           values(col.size(), Scalar(1e30)), x(length + 1), expected(1, 0);

      for (int p = 0; p < length; p++) {
        col[3 + p]    = length - p;
        values[3 + p] = Scalar(p + 1);
      }
      for (int c = 0; c <= length; c++) x[c] = c ? Scalar(1 + c % 7) : Scalar(1e30);
      for (int p = 0; p < length; p++) expected[0] += values[3 + p] * x[col[3 + p]];
      const CsrMatrix A{1, ptr.data(), col.data(), values.data()};
      EXPECT_EQ(product_of_row(A, x.data(), 0, lanes), expected[0]) << lanes << " lanes, " << length << " entries"; /* integers: no rounding */
    }
}

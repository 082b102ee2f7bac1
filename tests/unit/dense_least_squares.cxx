/*
   Least squares with dense blocks on the host: blocks without full rank are reported, and their solutions are no numbers.
*/
#include "pc/dense/host.hpp"
#include "pc/dense/least_squares.hpp"

namespace
{

TEST(DenseLeastSquares, MissingRankIsReported)
{
  for (int m : {1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 32, 33, 64, 97, dense_largest_block}) {
    const int   n = (m + 1) / 2;
    Vector      a = random_vector((std::size_t)4 * m * n, 7 + m), b((std::size_t)4 * m, 1);
    DenseReport report;

    for (int i = 0; i < m; i++) a[((std::size_t)2 * n + n - 1) * m + i] = 0; /* a column of zeros stays one */
    dense_least_squares_host({4, m, n, a.data(), b.data()}, &report);
    EXPECT_EQ(report.zeros, 1u) << m;
    EXPECT_EQ(report.zero_row, 3ull * n - 1) << m;
    EXPECT_FALSE(std::isfinite((double)b[2 * m + n - 1]) && std::isfinite((double)b[2 * m])) << m;
    EXPECT_TRUE(std::isfinite((double)b[3 * m])) << m;
  }
}

} // namespace

/*
   LU and QR of dense blocks on the host: solves, also transposed, by their backward error; rows that must be exchanged; singular blocks.
*/
#include "pc/dense/factor.hpp"
#include "pc/dense/host.hpp"

namespace
{

constexpr double eps = std::numeric_limits<Scalar>::epsilon();

const int block_sizes[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 48, 56, 64, 97, dense_largest_block};

struct Factored {
  Vector           values, tau;
  std::vector<int> pivot;
  DenseFactors     F;
  DenseReport      report;

  Factored(DenseMethod method, bool pivoting, const Vector &blocks, std::size_t count, int b)
    : values(dense_inverse_ld(count * b) * b, std::numeric_limits<Scalar>::quiet_NaN()), tau(count * b), pivot(count * b)
  {
    F = {method, count, b, dense_inverse_ld(count * b), values.data(), pivot.data(), tau.data()};
    dense_factor_host(DenseBlocks::row_major(count, b, blocks.data()), pivoting, F, &report);
  }
};

/* |A y - x| <= c eps |A| |y| with norms of the block; transposed likewise */
void expect_solves(DenseMethod method, bool pivoting, const Vector &blocks, std::size_t count, int b, const char *what)
{
  Factored     f(method, pivoting, blocks, count, b);
  const Vector x = random_vector(count * b, 3);

  EXPECT_EQ(f.report.zeros + f.report.nonfinite, 0u);
  for (bool transpose : {false, true}) {
    Vector y(count * b);

    dense_solve_host(f.F, transpose, x.data(), y.data());
    for (std::size_t c = 0; c < count; c++) {
      const Scalar *A      = &blocks[c * b * b];
      double        size_A = 0, size_y = 0;

      for (int k = 0; k < b * b; k++) size_A = std::max(size_A, std::fabs((double)A[k]));
      for (int i = 0; i < b; i++) size_y = std::max(size_y, std::fabs((double)y[c * b + i]));
      for (int i = 0; i < b; i++) {
        double sum = 0;

        for (int s = 0; s < b; s++) sum += (double)(transpose ? A[s * b + i] : A[i * b + s]) * y[c * b + s];
        ASSERT_NEAR(sum, x[c * b + i], 8.0 * b * b * eps * size_A * size_y) << what << ", block size " << b << (transpose ? ", transposed" : "");
      }
    }
  }
}

TEST(DenseFactor, Solves)
{
  for (int b : block_sizes) {
    const std::size_t count  = 5;
    Vector            blocks = random_vector(count * b * b, b);

    expect_solves(DenseMethod::lu, true, blocks, count, b, "LU");
    expect_solves(DenseMethod::qr, true, blocks, count, b, "QR");
    for (std::size_t row = 0; row < count * b; row++) blocks[row * b + row % b] += b;
    expect_solves(DenseMethod::lu, false, blocks, count, b, "LU without pivoting");
  }
}

TEST(DenseFactor, RowsAreExchanged)
{
  for (int b : block_sizes) {
    if (b == 1) continue;
    Vector cyclic((std::size_t)b * b);

    for (int i = 0; i < b; i++) cyclic[(std::size_t)i * b + (i + 1) % b] = Scalar(i + 1);
    expect_solves(DenseMethod::lu, true, cyclic, 1, b, "LU");
    expect_solves(DenseMethod::qr, true, cyclic, 1, b, "QR");
    EXPECT_EQ(Factored(DenseMethod::lu, false, cyclic, 1, b).report.zero_row, 0u) << "without pivoting the first pivot is zero";
  }
}

TEST(DenseFactor, SingularBlocksAreReported)
{
  for (int b : block_sizes) {
    Vector blocks = random_vector((std::size_t)3 * b * b, 9);

    for (int i = 0; i < b; i++) blocks[((std::size_t)b + i) * b + b - 1] = 0;
    for (DenseMethod method : {DenseMethod::lu, DenseMethod::qr}) {
      const Factored f(method, true, blocks, 3, b);

      EXPECT_EQ(f.report.zeros, 1u) << b;
      EXPECT_EQ(f.report.zero_row, 2ull * b - 1) << b;
    }
  }
}

} // namespace

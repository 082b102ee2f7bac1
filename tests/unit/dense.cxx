/*
   Inverses of dense blocks on the host, in both arithmetics that the kernels run, against LAPACK: every size, random and ill-conditioned blocks, rows that must be
   exchanged; what is reported of singular blocks and of values that are not finite; products with the inverses.
*/
#include "pc/dense/host.hpp"
#include <petscblaslapack.h>

namespace
{

constexpr double eps = std::numeric_limits<Scalar>::epsilon();

/* Every size of a thread and of a warp, and those around the sizes of a thread block's tiles */
std::vector<int> sizes()
{
  std::vector<int> b;

  for (int k = 1; k <= dense_warp_block + 1; k++) b.push_back(k);
  b.insert(b.end(), {47, 48, 49, 56, 64, 65, 80, 81, 96, 97, 111, dense_largest_block});
  return b;
}

/* Blocks one after another, row by row; condition: singular values fall from 1 to its inverse through products with random reflections, 0: uniform entries */
Vector random_blocks(std::size_t count, int b, double condition, unsigned seed)
{
  std::mt19937                           engine(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  Vector                                 all;

  for (std::size_t c = 0; c < count; c++) {
    std::vector<double> a((std::size_t)b * b);

    if (condition == 0) {
      for (double &v : a) v = value(engine);
    } else {
      for (int i = 0; i < b; i++) a[i * b + i] = std::pow(condition, b > 1 ? -double(i) / (b - 1) : 0);
      for (int side = 0; side < 4; side++) { /* reflections from the left and from the right */
        std::vector<double> u(b);
        double              norm = 0;

        for (double &v : u) v = value(engine), norm += v * v;
        for (int i = 0; i < b; i++) {
          double dot = 0;

          for (int k = 0; k < b; k++) dot += u[k] * (side % 2 ? a[i * b + k] : a[k * b + i]);
          for (int k = 0; k < b; k++) (side % 2 ? a[i * b + k] : a[k * b + i]) -= 2 * dot * u[k] / norm;
        }
      }
    }
    all.insert(all.end(), a.begin(), a.end());
  }
  return all;
}

/* LAPACK's inverse of a row-major block, row-major; its condition in the 1-norm */
Vector lapack_inverse(const Scalar *block, int b, double *condition)
{
  Vector                    a(block, block + (std::size_t)b * b), work((std::size_t)64 * b);
  std::vector<PetscBLASInt> pivot(b);
  PetscBLASInt              n = b, lwork = 64 * b, info;
  auto                      norm = [b](const Vector &m) {
    double most = 0;

    for (int i = 0; i < b; i++) {
      double sum = 0;

      for (int s = 0; s < b; s++) sum += std::fabs(m[(std::size_t)i * b + s]);
      most = std::max(most, sum);
    }
    return most;
  };
  const double before = norm(a);

  LAPACKgetrf_(&n, &n, a.data(), &n, pivot.data(), &info); /* of the transpose: its inverse is the transpose of ours */
  EXPECT_EQ(info, 0);
  LAPACKgetri_(&n, a.data(), &n, pivot.data(), work.data(), &lwork, &info);
  EXPECT_EQ(info, 0);
  *condition = before * norm(a);
  return a;
}

/* Largest error of the inverses over the largest entry of LAPACK's, in units of condition * b * eps */
void expect_like_lapack(const Vector &blocks, std::size_t count, int b)
{
  const std::size_t n = count * b, ld = dense_inverse_ld(n);
  const Scalar      hole = std::numeric_limits<Scalar>::quiet_NaN();
  Vector            inverse(ld * b, hole), columns(ld * b, hole), again(ld * b, hole);
  DenseReport       report;

  dense_invert_host(DenseBlocks::row_major(count, b, blocks.data()), inverse.data(), ld, &report);
  EXPECT_EQ(report.zeros + report.nonfinite, 0u);
  for (std::size_t row = 0; row < n; row++)
    for (int s = 0; s < b; s++) columns[s * ld + row] = blocks[row * b + s];
  dense_invert_host(DenseBlocks::value_columns(count, b, columns.data(), ld), again.data(), ld, &report);
  for (std::size_t c = 0; c < count; c++) {
    double       condition, most = 0, error = 0;
    const Vector expected = lapack_inverse(&blocks[c * b * b], b, &condition);

    for (Scalar v : expected) most = std::max(most, std::fabs((double)v));
    for (int i = 0; i < b; i++)
      for (int s = 0; s < b; s++) {
        const std::size_t place = s * ld + c * b + i;

        error = std::max(error, std::fabs((double)inverse[place] - expected[(std::size_t)i * b + s]));
        ASSERT_EQ(inverse[place], again[place]) << "block size " << b;
      }
    ASSERT_LE(error, 4 * b * eps * std::max(condition, 1.0) * most) << "block size " << b << ", block " << c << ", condition " << condition;
  }
}

TEST(Dense, InverseIsLapacks)
{
  for (int b : sizes()) {
    expect_like_lapack(random_blocks(7, b, 0, b), 7, b);
    for (double condition : {1e2, 1e-3 / eps}) expect_like_lapack(random_blocks(5, b, condition, 40 + b), 5, b);
  }
}

TEST(Dense, RowsAreExchanged)
{
  for (int b : sizes()) {
    if (b == 1) continue; /* permutations, exactly inverted: without pivoting the first pivot is zero */
    const std::size_t ld = dense_inverse_ld(b);
    Vector            a((std::size_t)b * b), inverse(ld * b);
    DenseReport       report;
    auto              place = [b](int i) { return ((b % 5 ? 5 : b % 7 ? 7 : 11) * i + 1) % b; };

    for (int i = 0; i < b; i++) a[(std::size_t)i * b + place(i)] = Scalar(1 << i % 5);
    dense_invert_host(DenseBlocks::row_major(1, b, a.data()), inverse.data(), ld, &report);
    EXPECT_EQ(report.zeros + report.nonfinite + report.smalls, 0u);
    for (int i = 0; i < b; i++)
      for (int s = 0; s < b; s++) EXPECT_EQ(inverse[i * ld + s], s == place(i) ? Scalar(1) / Scalar(1 << i % 5) : Scalar(0)) << b << " " << i << " " << s;
  }
}

TEST(Dense, TroubleIsReportedWithItsBlock)
{
  for (int b : sizes()) {
    const std::size_t count = 9, ld = dense_inverse_ld(count * b);
    Vector            a = random_blocks(count, b, 0, 90 + b), inverse(ld * b);
    DenseReport       report;
    auto              row = [&](std::size_t c, int i) { return &a[(c * b + i) * b]; };

    for (std::size_t c : {4, 7}) /* a column of zeros stays one, exactly */
      for (int i = 0; i < b; i++) row(c, i)[b - 1] = 0;
    row(2, b / 2)[b / 3] = std::numeric_limits<Scalar>::quiet_NaN();
    row(5, 0)[b - 1]     = std::numeric_limits<Scalar>::infinity();
    dense_invert_host(DenseBlocks::row_major(count, b, a.data()), inverse.data(), ld, &report);
    EXPECT_EQ(report.zeros, 2u) << b;
    EXPECT_EQ(report.zero_row, 4ull * b + b - 1) << b;
    EXPECT_EQ(report.nonfinite, 2u) << b;
    EXPECT_EQ(report.nonfinite_row / b, 2u) << b;
    for (std::size_t c : {2, 4, 7}) { /* never replaced by something that looks like an inverse */
      bool finite = true;

      for (int i = 0; i < b; i++)
        for (int s = 0; s < b; s++) finite = finite && std::isfinite(inverse[s * ld + c * b + i]);
      EXPECT_FALSE(finite) << b << " " << c;
    }
  }
}

TEST(Dense, NearlySingularBlocksAreCounted)
{
  for (int b : sizes()) {
    if (b == 1) continue;
    const std::size_t ld = dense_inverse_ld(3 * b);
    Vector            a(3 * (std::size_t)b * b), inverse(ld * b);
    DenseReport       report;

    for (int c = 0; c < 3; c++)
      for (int i = 0; i < b; i++) a[((std::size_t)c * b + i) * b + i] = c == 1 && i == b / 2 ? Scalar(eps / 2) : Scalar(1 + i % 2);
    dense_invert_host(DenseBlocks::row_major(3, b, a.data()), inverse.data(), ld, &report);
    EXPECT_EQ(report.zeros + report.nonfinite, 0u);
    EXPECT_EQ(report.smalls, 1u) << b;
    EXPECT_EQ(report.small_row / b, 1u) << b;
  }
}

TEST(Dense, Products)
{
  for (int b : {1, 2, 3, 8, 16, 17, 32, 40, 112}) {
    const std::size_t n = (std::size_t)11 * b, ld = n + 3;
    const Vector      inverse = random_blocks(ld, b, 0, 7), x = random_blocks(n, 1, 0, 8);
    Vector            y(n), z(n);

    dense_apply_host(n, b, inverse.data(), ld, false, x.data(), y.data());
    dense_apply_host(n, b, inverse.data(), ld, true, x.data(), z.data());
    for (std::size_t row = 0; row < n; row++) {
      const std::size_t first = row / b * b;
      double            sum = 0, transposed = 0;

      for (int s = 0; s < b; s++) {
        sum += (double)inverse[s * ld + row] * x[first + s];
        transposed += (double)inverse[(row - first) * ld + first + s] * x[first + s];
      }
      EXPECT_NEAR(y[row], sum, 4 * b * eps);
      EXPECT_NEAR(z[row], transposed, 4 * b * eps);
    }
  }
}

} // namespace

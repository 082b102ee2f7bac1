/*
   Least squares with dense blocks on the host against LAPACK's gels: all sizes of both kernels, square and tall, random and ill-conditioned; blocks without full rank.
*/
#include "pc/dense/dense_host.hpp"
#include "pc/dense/dense_least_squares.hpp"
#include <gtest/gtest.h>
#include <petscblaslapack.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace heptane;

namespace
{

using Vector = std::vector<Scalar>;

constexpr double eps = std::numeric_limits<Scalar>::epsilon();

/* count blocks of m x n; column s is scaled so that the last is `condition` times smaller than the first, and from the second on nearly the one before it as far as that asks */
Vector random_blocks(std::size_t count, int m, int n, double condition, unsigned seed)
{
  std::mt19937                           engine(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  Vector                                 a(count * m * n);

  for (std::size_t c = 0; c < count; c++)
    for (int s = 0; s < n; s++)
      for (int i = 0; i < m; i++) {
        const double own = value(engine), before = s ? static_cast<double>(a[(c * n + s - 1) * m + i]) : 0;

        a[(c * n + s) * m + i] = static_cast<Scalar>(condition > 1 && s ? before + own / condition : own);
      }
  return a;
}

/* LAPACK's answer in the place of b, and |R| from its factors: false where it gave up */
void lapack(Vector a, int m, int n, Scalar *b)
{
  PetscBLASInt rows = m, columns = n, one = 1, lwork = 64 * m, info;
  Vector       work(lwork);

  LAPACKgels_("N", &rows, &columns, &one, a.data(), &rows, b, &rows, work.data(), &lwork, &info);
  ASSERT_EQ(info, 0);
}

double norm(const Scalar *v, int n)
{
  double sum = 0;

  for (int i = 0; i < n; i++) sum += (double)v[i] * v[i];
  return std::sqrt(sum);
}

/* The answer x is exact for a block and a right-hand side that differ by rounding: A^T (b - A x) is small against |A| |b|, whatever the condition; and the residual is LAPACK's */
void expect_least_squares(int m, int n, double condition)
{
  const std::size_t                      count = 5;
  const Vector                           a     = random_blocks(count, m, n, condition, 100 * m + n);
  std::mt19937                           engine(m + n);
  std::uniform_real_distribution<double> value(-1, 1);
  Vector                                 b(count * m), x;
  DenseReport                            report;

  for (Scalar &v : b) v = static_cast<Scalar>(value(engine));
  x = b;
  dense_least_squares_host({count, m, n, a.data(), x.data()}, &report);
  EXPECT_EQ(report.zeros + report.nonfinite, 0u);
  for (std::size_t c = 0; c < count; c++) {
    const Scalar *A = &a[c * m * n], *answer = &x[c * m];
    Vector        expected(b.begin() + c * m, b.begin() + (c + 1) * m), residual(m);
    const double  size = norm(A, m * n), scale = norm(&b[c * m], m) + size * norm(answer, n);

    lapack(Vector(A, A + m * n), m, n, expected.data());
    for (int i = 0; i < m; i++) {
      double sum = b[c * m + i];

      for (int s = 0; s < n; s++) sum -= (double)A[s * m + i] * answer[s];
      residual[i] = static_cast<Scalar>(sum);
    }
    for (int s = 0; s < n; s++) {
      double product = 0;

      for (int i = 0; i < m; i++) product += (double)A[s * m + i] * residual[i];
      ASSERT_LE(std::fabs(product), 10 * m * eps * size * scale) << m << " x " << n << ", condition " << condition << ", block " << c;
    }
    ASSERT_NEAR(norm(answer + n, m - n), norm(&expected[n], m - n), 10 * m * eps * scale) << m << " x " << n << ", condition " << condition << ", block " << c;
    if (condition <= 1 && m >= 2 * n) { /* well-conditioned: the solution itself */
      for (int s = 0; s < n; s++) ASSERT_NEAR(answer[s], expected[s], 1e3 * m * eps) << m << " x " << n << ", block " << c;
    }
  }
}

const int row_counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 20, 24, 25, 29, 31, 32, 33, 40, 48, 49, 56, 64, 80, 96, 97, dense_largest_block};

TEST(DenseLeastSquares, IsLapacks)
{
  for (int m : row_counts)
    for (int n : {1, 2, m / 3, m / 2, m - 1, m}) {
      if (n < 1 || n > m) continue;
      expect_least_squares(m, n, 1);
      expect_least_squares(m, n, 1e3);
      expect_least_squares(m, n, 1e-2 / eps);
    }
}

TEST(DenseLeastSquares, ExactDataGivesTheSolution)
{
  for (int m : row_counts) {
    const int    n = (m + 1) / 2;
    const Vector a = random_blocks(3, m, n, 1, m);
    Vector       b((std::size_t)3 * m);
    DenseReport  report;

    for (int c = 0; c < 3; c++)
      for (int s = 0; s < n; s++)
        for (int i = 0; i < m; i++) b[c * m + i] += a[(c * n + s) * m + i] * Scalar(s + 1);
    dense_least_squares_host({3, m, n, a.data(), b.data()}, &report);
    for (int c = 0; c < 3; c++) {
      for (int s = 0; s < n; s++) EXPECT_NEAR(b[c * m + s], s + 1, 1e4 * m * eps) << m;
      for (int i = n; i < m; i++) EXPECT_NEAR(b[c * m + i], 0, 1e3 * m * eps) << m;
    }
  }
}

TEST(DenseLeastSquares, MissingRankIsReported)
{
  for (int m : row_counts) {
    const int   n = (m + 1) / 2;
    Vector      a = random_blocks(4, m, n, 1, 7 + m), b((std::size_t)4 * m, 1);
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

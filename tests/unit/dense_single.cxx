/*
   Inverses and factors of dense blocks stored in single precision: rounding and what does not go into it, products and solves with the rounded numbers against those with the same numbers as
   Scalars, parts of many blocks.
*/
#include "pc/dense/factor.hpp"
#include "pc/dense/host.hpp"
#include "pc/dense/rows.hpp"

namespace
{

using Singles = std::vector<Single>;

constexpr std::size_t count = 37;

/* Blocks one after another, row by row, their diagonal larger than the rest */
Vector blocks_of(int b, unsigned seed)
{
  Vector all = random_vector(count * b * b, seed);

  for (std::size_t c = 0; c < count; c++)
    for (int i = 0; i < b; i++) all[(c * b + i) * b + i] += Scalar(b + 1);
  return all;
}

/* Rounded, and these numbers again as Scalars */
void round_all(Vector &values, std::size_t ld, int b, Singles &rounded)
{
  rounded.assign(values.size(), Single(0));
  EXPECT_EQ(dense_round_host(count * b, b, values.data(), ld, rounded.data(), ld), 0u);
  for (std::size_t k = 0; k < values.size(); k++) values[k] = rounded[k];
}

TEST(DenseSingle, ProductsAreThoseOfTheSameNumbers)
{
  for (int b : {1, 2, 3, 5, 8, 9, 16, 17, 40}) {
    const Vector all = blocks_of(b, 3), x = blocks_of(b, 4);
    const auto   A  = DenseBlocks::row_major(count, b, all.data());
    const auto   ld = dense_inverse_ld(A.rows());
    Vector       inverse(ld * b), y(A.rows(), Scalar(NAN)), expected(A.rows(), Scalar(NAN));
    Singles      rounded;
    DenseReport  report;

    dense_invert_host(A, inverse.data(), ld, &report);
    round_all(inverse, ld, b, rounded);
    for (bool transpose : {false, true}) {
      dense_apply_host(A.rows(), b, inverse.data(), ld, transpose, x.data(), expected.data());
      dense_apply_host(A.rows(), b, rounded.data(), ld, transpose, x.data(), y.data());
      for (std::size_t i = 0; i < A.rows(); i++) ASSERT_NEAR(y[i], expected[i], 50 * b * std::numeric_limits<Scalar>::epsilon()) << "b " << b << " row " << i;
      for (std::size_t i = 0; i < A.rows(); i++) { /* the general path, as a kernel runs it */
        const Scalar row = transpose ? dense_row<0, true>(rounded.data(), ld, b, x.data(), i) : dense_row<0, false>(rounded.data(), ld, b, x.data(), i);
        ASSERT_NEAR(row, expected[i], 50 * b * std::numeric_limits<Scalar>::epsilon());
      }
    }
  }
}

TEST(DenseSingle, SolvesAreThoseWithTheSameFactors)
{
  for (DenseMethod method : {DenseMethod::lu, DenseMethod::qr})
    for (int b : {1, 3, 8, 17, 33, 50}) {
      const Vector     all = blocks_of(b, 5), x = blocks_of(b, 6);
      const auto       A  = DenseBlocks::row_major(count, b, all.data());
      const auto       ld = dense_inverse_ld(A.rows());
      Vector           values(ld * b), tau(A.rows()), y(A.rows()), expected(A.rows());
      std::vector<int> pivot(A.rows());
      Singles          rounded;
      DenseReport      report;

      const DenseFactors F = {method, count, b, ld, values.data(), pivot.data(), tau.data()};
      dense_factor_host(A, true, F, &report);
      round_all(values, ld, b, rounded);
      const DenseFactorsOf<Single> R = {method, count, b, ld, rounded.data(), pivot.data(), tau.data()};
      for (bool transpose : {false, true}) {
        dense_solve_host(F, transpose, x.data(), expected.data());
        dense_solve_host(R, transpose, x.data(), y.data());
        for (std::size_t i = 0; i < A.rows(); i++) ASSERT_NEAR(y[i], expected[i], 50 * b * std::numeric_limits<Scalar>::epsilon()) << "b " << b << " row " << i;
      }
    }
}

/* The largest of a row counts; what is no number stays none, and is told elsewhere */
TEST(DenseSingle, NumbersOutOfItsRangeAreCounted)
{
  const struct {
    Scalar row[3];
    bool   fits;
  } rows[] = {
    {{1, Scalar(1e-37), 0},                       true },
    {{Scalar(1e29), 1, 0},                        true },
    {{1, Scalar(-2e30), 0},                       false},
    {{Scalar(1e-31), Scalar(-1e-32), 0},          false},
    {{0, 0, 0},                                   true },
    {{Scalar(NAN), 1, 2},                         true },
    {{Scalar(INFINITY), Scalar(3), Scalar(1)},    true },
    {{Scalar(INFINITY), Scalar(2e30), Scalar(1)}, false},
  };

  for (const auto &r : rows) {
    Single to[3];

    EXPECT_EQ(dense_round_row(r.row, 1, to, 1, 3), r.fits) << r.row[0] << " " << r.row[1];
    for (int s = 0; s < 3; s++) EXPECT_EQ(std::isfinite(r.row[s]), std::isfinite(to[s]));
  }
}

/* Some blocks of many, wherever these lie */
TEST(DenseSingle, PartsAreThoseBlocks)
{
  const int                 b   = 3;
  const Vector              all = blocks_of(b, 7);
  std::vector<std::int64_t> offset(count);

  for (std::size_t c = 0; c < count; c++) offset[c] = static_cast<std::int64_t>((count - 1 - c) * b * b);
  for (const DenseBlocks &A : {DenseBlocks::row_major(count, b, all.data()), DenseBlocks::value_columns(count, b, all.data(), count * b),
                               DenseBlocks::columns_at(offset.data(), count, b, all.data(), b)}) {
    const DenseBlocks some = A.part(11, 5);

    EXPECT_EQ(some.count, 5u);
    for (std::size_t c = 0; c < some.count; c++)
      for (int i = 0; i < b; i++)
        for (int s = 0; s < b; s++) EXPECT_EQ(some.at(c, i, s), A.at(11 + c, i, s));
  }
}

} // namespace

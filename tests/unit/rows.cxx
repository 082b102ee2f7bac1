/*
   The arithmetic of rows, tiles and columns, and the host's products, against the product by the definition.
*/
#include "device/with_block.hpp"
#include "pass/pc_rows.hpp"
#include "mat/bdiagh/format/host.hpp"
#include "patterns.hpp"
#include "stored.hpp"

namespace
{

const Scalar tolerance = 500 * std::numeric_limits<Scalar>::epsilon();

void expect_near(const Vector &y, const Vector &expected, const std::string &what)
{
  ASSERT_EQ(y.size(), expected.size());
  for (std::size_t i = 0; i < y.size(); i++) ASSERT_NEAR(y[i], expected[i], tolerance) << what << ", row " << i;
}

/* Square, wide and tall; sizes below, at and above a host tile */
std::vector<Stored> cases(PetscInt b)
{
  std::vector<Stored> all;
  const PetscInt      tile = (b == 1 ? BdiaghTuning::host_tile<1> : BdiaghTuning::host_tile<2>) / b;

  for (PetscInt cells : {PetscInt(1), PetscInt(7), tile - 1, tile, tile + 1, 2 * tile + 3}) {
    if (cells < 1) continue;
    all.emplace_back(blocks(cells, cells, b, {-5, -1, 0, 2, 3}), b);
    all.emplace_back(blocks(cells, cells / 2 + 1, b, {-4, 0, 1}), b);
    all.emplace_back(blocks(cells, 2 * cells + 1, b, {-1, 0, cells}), b);
  }
  return all;
}

const PetscInt sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 24};

} // namespace

TEST(Rows, EveryBlockSize)
{
  for (PetscInt b : sizes)
    for (const Stored &S : cases(b)) {
      const auto x = random_vector(static_cast<std::size_t>(S.A.cols));
      Vector     y(static_cast<std::size_t>(S.A.rows)), z(y.size());
      with_block(S.L.block, [&](auto B) {
        for (int row = 0; row < S.L.rows; row++) {
          y[row] = bdiagh_row<B(), 1>(S.D, x.data(), row);
          z[row] = bdiagh_row<B(), 3>(S.D, x.data(), row);
          /* with the number of diagonals known to the compiler: the same bits */
          if (S.D.ndiag == 5) {
            EXPECT_EQ((bdiagh_row<B(), 3, 5>(S.D, x.data(), row)), z[row]);
          }
          if (S.D.ndiag == 3) {
            EXPECT_EQ((bdiagh_row<B(), 1, 3>(S.D, x.data(), row)), y[row]);
          }
        }
      });
      expect_near(y, multiply(S.A, x, false), "block size " + std::to_string(b));
      expect_near(z, y, "several diagonals in flight, block size " + std::to_string(b));
    }
}

TEST(Columns, EveryBlockSize)
{
  for (PetscInt b : sizes)
    for (const Stored &S : cases(b)) {
      const auto x = random_vector(static_cast<std::size_t>(S.A.rows));
      Vector     y(static_cast<std::size_t>(S.A.cols));
      with_block(S.L.block, [&](auto B) {
        for (int col = 0; col < S.L.cols; col++) y[col] = bdiagh_column<B()>(S.D, x.data(), col);
      });
      expect_near(y, multiply(S.A, x, true), "block size " + std::to_string(b));
    }
}

TEST(HostProducts, NewAndAdded)
{
  for (PetscInt b : sizes)
    for (const Stored &S : cases(b))
      for (bool transpose : {false, true}) {
        const std::size_t n = static_cast<std::size_t>(transpose ? S.A.cols : S.A.rows);
        const auto        x = random_vector(static_cast<std::size_t>(transpose ? S.A.rows : S.A.cols)), y = random_vector(n, 8);
        const auto        mult     = transpose ? bdiagh_mult_transpose_host : bdiagh_mult_host;
        auto              expected = multiply(S.A, x, transpose);
        const auto        what     = "block size " + std::to_string(b) + (transpose ? ", transpose" : "");

        Vector z(n, Scalar(NAN)), in_place = y;
        mult(S.D, x.data(), nullptr, z.data());
        expect_near(z, expected, what);
        for (std::size_t i = 0; i < n; i++) expected[i] += y[i];
        std::fill(z.begin(), z.end(), Scalar(NAN));
        mult(S.D, x.data(), y.data(), z.data());
        expect_near(z, expected, what + ", added");
        mult(S.D, x.data(), in_place.data(), in_place.data());
        expect_near(in_place, expected, what + ", in place");
      }
}

TEST(HostProducts, TheSameBitsTwice)
{
  for (PetscInt b : sizes)
    for (const Stored &S : cases(b)) {
      const auto x = random_vector(static_cast<std::size_t>(S.A.cols));
      Vector     y(static_cast<std::size_t>(S.A.rows)), z(y.size());
      bdiagh_mult_host(S.D, x.data(), nullptr, y.data());
      bdiagh_mult_host(S.D, x.data(), nullptr, z.data());
      EXPECT_EQ(y, z);
    }
}

/* A place whose column is outside the matrix must not read x: what lies before and behind x is NaN here */
TEST(Rows, NothingOutsideIsRead)
{
  for (PetscInt b : {1, 3, 8, 17}) {
    const Stored      S(blocks(40, 40, b, {-39, -5, 0, 5, 39}), b);
    const std::size_t n = static_cast<std::size_t>(S.A.cols), pad = 64 * static_cast<std::size_t>(b);
    Vector            x(n + 2 * pad, Scalar(NAN)), y(static_cast<std::size_t>(S.A.rows));
    std::fill(x.begin() + static_cast<std::ptrdiff_t>(pad), x.begin() + static_cast<std::ptrdiff_t>(pad + n), Scalar(1));
    bdiagh_mult_host(S.D, x.data() + pad, nullptr, y.data());
    for (Scalar v : y) ASSERT_FALSE(std::isnan(v)) << "block size " << b;
    bdiagh_mult_transpose_host(S.D, x.data() + pad, nullptr, y.data());
    for (Scalar v : y) ASSERT_FALSE(std::isnan(v)) << "transpose, block size " << b;
  }
}

TEST(Diagonal, IsThatOfTheMatrix)
{
  for (PetscInt b : {1, 2, 7, 16, 17}) {
    const Stored S(blocks(30, 30, b, {-2, 0, 1}), b);
    const int    r = S.L.main_diagonal();
    ASSERT_GE(r, 0);
    for (PetscInt i = 0; i < S.A.rows; i++)
      for (PetscInt k = S.A.ptr[i]; k < S.A.ptr[i + 1]; k++) {
        if (S.A.col[k] == i) {
          ASSERT_EQ(bdiagh_diagonal(S.D, r, static_cast<int>(i)), S.A.a[k]);
        }
      }
  }
}

/* A block diagonal that is left out is not even read: its values are NaN here, and were 0 in the product that is expected */
TEST(Rows, OneDiagonalLeftOut)
{
  for (PetscInt b : sizes)
    for (Stored &S : cases(b))
      for (int r = 0; r < S.D.ndiag; r++) {
        const auto x     = random_vector(static_cast<std::size_t>(S.A.cols));
        const auto first = S.values.begin() + static_cast<std::ptrdiff_t>(S.D.ld * b * r), last = first + static_cast<std::ptrdiff_t>(S.D.ld * b);
        const auto kept = Vector(first, last);
        const auto what = "block size " + std::to_string(b) + " without diagonal " + std::to_string(r);
        Vector     y(static_cast<std::size_t>(S.A.rows)), z(y.size()), expected(y.size());

        S.D.values = S.values.data();
        std::fill(first, last, Scalar(0));
        bdiagh_mult_host(S.D, x.data(), nullptr, expected.data());
        std::fill(first, last, Scalar(NAN));
        bdiagh_mult_rows_host(S.D, x.data(), 0, S.D.rows, r, y.data());
        with_block(S.L.block, [&](auto B) {
          for (int row = 0; row < S.L.rows; row++) z[row] = bdiagh_row<B(), 3>(S.D, x.data(), row, BdiaghNoTap(), r);
        });
        expect_near(y, expected, what);
        expect_near(z, expected, what + ", several in flight");
        std::copy(kept.begin(), kept.end(), first);
      }
}

TEST(Rows, TilesOfFusedProductsHaveWholeCells)
{
  for (int b : {1, 2, 3, 7, 16, 300, 8191, 8192, 8193, 100000}) {
    EXPECT_GE(bdiagh_fused_tile(b), b);
    EXPECT_EQ(bdiagh_fused_tile(b) % b, 0);
  }
}

TEST(Diagonal, ErrorOfItsInverse)
{
  for (int b : {2, 3, 8, 17}) {
    Stored            S(blocks(5, 5, b, {0, 1}), b);
    const int         r  = S.L.main_diagonal();
    const std::size_t ld = S.D.ld;
    Vector            inverse(ld * b);

    ASSERT_GE(r, 0);
    S.D.values = S.values.data();
    for (int row = 0; row < S.D.rows; row++)
      for (int s = 0; s < b; s++) { /* a permutation, whose inverse is its transpose */
        S.values[(static_cast<std::size_t>(r) * b + s) * ld + row] = s == (row % b + 1) % b ? Scalar(4) : Scalar(0);
        inverse[s * ld + row]                                      = row % b == (s + 1) % b ? Scalar(0.25) : Scalar(0);
      }
    for (int row = 0; row < S.D.rows; row++) EXPECT_EQ(bdiagh_inverse_error(S.D, r, inverse.data(), ld, row), Scalar(0)) << b;
    inverse[1 * ld + b] += Scalar(0.25); /* row b of the inverse, component 1: 4 * 0.25 beside the unit */
    EXPECT_EQ(bdiagh_inverse_error(S.D, r, inverse.data(), ld, b), Scalar(1)) << b;
    EXPECT_EQ(bdiagh_inverse_error(S.D, r, inverse.data(), ld, b + 1), Scalar(0)) << b;
    inverse[1 * ld + b] = Scalar(NAN);
    EXPECT_FALSE(bdiagh_inverse_error(S.D, r, inverse.data(), ld, b) <= block_inverse_tolerance) << b;
  }
}

/*
   Four neighbouring rows of a product with a copy in single precision, as the device takes them, and tiles of rows, as the host does, against rows one by one and sums in double precision.
*/
#include "of_double.hpp"
#include "mat/bdiagh/format/host.hpp"
#include "mat/bdiagh/format/single_rows.hpp"

namespace
{

class SingleRows : public OfDouble {};

/* Random values on these diagonals, zero where a column is none of the matrix; what lies behind the columns is no number, where it must not be read */
struct Random {
  std::vector<Single> values, q, v;
  BdiaghSingles       A = {};

  Random(int cells, int block, std::vector<int> offsets, bool upper) : q(room(cells * block)), v(q)
  {
    std::mt19937                           generator(7);
    std::uniform_real_distribution<double> number(-1, 1);
    const std::size_t                      ld = room(cells * block);

    values.assign(offsets.size() * block * ld, Single(0));
    A = {cells * block, cells * block, block, static_cast<int>(offsets.size()), ld, values.data(), {}};
    for (int r = 0; r < A.ndiag; r++) {
      A.offset[r] = offsets[r];
      for (int s = 0; s < block; s++)
        for (int row = 0; row < A.rows; row++)
          if (const int c = row / block + offsets[r]; c >= 0 && c < cells) values[(r * block + s) * ld + row] = static_cast<Single>(number(generator));
    }
    for (int i = 0; i < A.rows; i++) {
      q[i] = static_cast<Single>(number(generator));
      v[i] = static_cast<Single>(number(generator));
    }
    is_upper = upper;
  }
  static std::size_t room(int n) { return (n + 63) / 64 * 64; }
  bool               is_upper = false;

  /* The row in double precision, and the sum of the absolute values */
  void Exact(const std::vector<double> &u, int row, double *sum, double *size) const
  {
    const int b = A.block, cell = row / b;

    *sum = *size   = 0;
    const auto add = [&](double a, double x) {
      *sum += a * x;
      *size += std::fabs(a * x);
    };
    for (int r = 0; r < A.ndiag; r++) {
      const int c = cell + A.offset[r];
      for (int s = 0; s < b; s++)
        if (c >= 0 && c < A.cols / b) add(A.values[(r * b + s) * A.ld + row], u[c * b + s]);
      if (is_upper && row - A.offset[r] >= 0) add(A.values[r * A.ld + row - A.offset[r]], u[row - A.offset[r]]);
    }
  }
};

const double rounding = std::numeric_limits<Single>::epsilon();

template <class Quad, class Row>
void compare(const Random &R, Quad &&quad, Row &&row)
{
  const double alpha = 0.3141592653589793;

  for (bool minus : {false, true}) {
    std::vector<double> u(R.A.rows);
    const auto          check = [&](const auto &x) {
      for (int i = 0; i < R.A.rows; i++) u[i] = static_cast<double>(x[i]);
      for (int i = 0; i + 4 <= R.A.rows; i += 4) {
        const SingleQuad own = x.template pack<4>(i);
        SingleQuad       sum = {};

        quad(x, i, own, sum);
        for (int j = 0; j < 4; j++) {
          double exact, size;
          R.Exact(u, i + j, &exact, &size);
          EXPECT_NEAR(sum.v[j], exact, 8 * rounding * size) << "row " << i + j;
          EXPECT_EQ(sum.v[j], row(x, i + j)) << "row " << i + j;
        }
      }
    };
    if (minus) check(SingleGather<true>(R.q.data(), R.v.data(), alpha));
    else check(SingleGather<false>(R.q.data(), nullptr, 0));
    for (int i = 0; i < R.A.rows; i++) EXPECT_NEAR(u[i], minus ? R.q[i] - alpha * R.v[i] : R.q[i], 2 * rounding);
  }
}

TEST_F(SingleRows, Symmetric)
{
  for (int n : {4, 5, 63, 64, 66, 200})
    for (std::vector<int> k : {
           std::vector<int>{1, 4, 16 },
           {1, 5, 20 },
           {1, 6, 18 },
           {1, 7, 63 },
           {1, 8, 300}
    }) {
      const Random R(n, 1, k, true);
      const auto   row     = [&](const auto &x, int i) { return bdiagh_single_symmetric_row(R.A, x, i); };
      const bool   shifted = k[1] % 4 || k[2] % 4;

      compare(
        R, [&](const auto &x, int i, const SingleQuad &own, SingleQuad &sum) { bdiagh_symmetric_quad<3, true>(R.A, x, i, own, sum); }, row);
      if (!shifted)
        compare(
          R, [&](const auto &x, int i, const SingleQuad &own, SingleQuad &sum) { bdiagh_symmetric_quad<3, false>(R.A, x, i, own, sum); }, row);
    }
}

TEST_F(SingleRows, Plain)
{
  for (int n : {4, 7, 64, 65, 202})
    for (std::vector<int> k : {
           std::vector<int>{-16,  -4, -1, 1, 4, 16},
           {-20,  -5, -1, 1, 5, 20},
           {-18,  -7, -1, 1, 2, 63},
           {-300, -8, -1, 1, 8, 12}
    }) {
      std::vector<int> whole = k;
      whole.insert(whole.begin() + 3, 0);
      const Random R(n, 1, k, false), W(n, 1, whole, false);
      bool         shifted = false;

      for (int o : k) shifted = shifted || (std::abs(o) > 1 && o % 4);
      compare(
        R, [&](const auto &x, int i, const SingleQuad &own, SingleQuad &sum) { bdiagh_plain_quad<6, true>(R.A, x, i, own, sum); },
        [&](const auto &x, int i) { return bdiagh_single_row<1>(R.A, x, i); });
      if (!shifted)
        compare(
          W, [&](const auto &x, int i, const SingleQuad &own, SingleQuad &sum) { bdiagh_plain_quad<7, false>(W.A, x, i, own, sum); },
          [&](const auto &x, int i) { return bdiagh_single_row<1>(W.A, x, i); });
    }
}

template <int B>
void check_cells()
{
  for (int cells : {2, 5, 21, 64, 67}) {
    const Random R(cells, B, {-20, -5, -1, 1, 5, 20}, false);

    compare(
      R, [&](const auto &x, int i, const SingleQuad &, SingleQuad &sum) { bdiagh_cells_quad<B, 6>(R.A, x, i, sum); },
      [&](const auto &x, int i) { return bdiagh_single_row<B>(R.A, x, i); });
    compare(
      R, [&](const auto &x, int i, const SingleQuad &, SingleQuad &sum) { bdiagh_cells_quad<B, 0>(R.A, x, i, sum); },
      [&](const auto &x, int i) { return bdiagh_single_row<B>(R.A, x, i); });
  }
}

TEST_F(SingleRows, Cells)
{
  check_cells<2>();
  check_cells<3>();
  check_cells<4>();
  check_cells<8>();
}

/* One row per thread, as where there are other diagonals than seven, or a remainder: entries loaded together in single precision, their sums in double precision; all in double precision where u is formed */
template <int B, int U>
void check_groups(int cells)
{
  const Random        R(cells, B ? B : 5, {-20, -7, -5, -1, 0, 1, 5, 20, 31}, false);
  std::vector<double> u(R.q.begin(), R.q.end());
  double              exact, size;

  for (int i = 0; i < R.A.rows; i++) {
    R.Exact(u, i, &exact, &size);
    const SingleGather<false>        single(R.q.data(), nullptr, 0);
    const FusedGather<false, Single> given = {R.q.data(), nullptr, 0};
    EXPECT_NEAR((bdiagh_row<B, U>(R.A, single, i)), exact, 4 * rounding * size) << "row " << i;
    EXPECT_NEAR((bdiagh_row<B, U>(R.A, given, i)), exact, 1e-14 * size) << "row " << i;
    static_assert(std::is_same_v<EntryNumber<Single, SingleGather<false>>, Single> && std::is_same_v<EntryNumber<Single, FusedGather<false, Single>>, Scalar>,
                  "as this says");
  }
}

TEST_F(SingleRows, Groups)
{
  for (int cells : {3, 33, 64, 130}) {
    check_groups<0, 4>(cells);
    check_groups<1, 6>(cells);
    check_groups<2, 2>(cells);
    check_groups<3, 2>(cells);
    check_groups<8, 1>(cells);
  }
}

TEST_F(SingleRows, Host)
{
  for (int b : {1, 2, 3, 5, 8, 17})
    for (int cells : {3, 41, 700}) {
      const bool          upper = b == 1 && cells == 700;
      const Random        R(cells, b, upper ? std::vector<int>{1, 5, 20} : std::vector<int>{-20, -5, -1, 1, 5, 20}, upper);
      Vector              z(R.A.rows);
      std::vector<double> u(R.q.begin(), R.q.end());
      double              exact, size;

      if (upper) bdiagh_mult_symmetric_rows_host(R.A, R.q.data(), 0, R.A.rows, z.data());
      else bdiagh_mult_rows_host(R.A, R.q.data(), 0, R.A.rows, z.data());
      for (int i = 0; i < R.A.rows; i++) {
        R.Exact(u, i, &exact, &size);
        EXPECT_NEAR(z[i], exact, 8 * std::sqrt(6. * b) * rounding * size) << "row " << i;
      }
    }
}

} // namespace

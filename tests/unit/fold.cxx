/*
   Rows scaled by a preconditioner against products by the definition: from either side, by points and by blocks, with and without the main diagonal, the remainder;
   CG's vectors on their way to a scaled matrix and back, and its norms there.
*/
#include "pass/step_host.hpp"
#include "ksp/fusedcg/fusedcg_fold.hpp"
#include "device/with_block.hpp"
#include "mat/bdiagh/bdiagh_fold_rows.hpp"
#include "mat/bdiagh/bdiagh_host.hpp"
#include "patterns.hpp"
#include "stored.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>

using namespace heptane;

namespace
{

using Vector = std::vector<Scalar>;

const double tolerance = 500 * std::numeric_limits<Scalar>::epsilon();

/* Block diagonals of a square matrix, and inverses of its size: M^-1 has F.block columns of ld */
struct Case : Stored {
  Vector       inverse;
  FusedScaling F;

  Case(PetscInt cells, PetscInt b, FusedSide side, bool points) : Stored(blocks(cells, cells, b, {-3, -1, 0, 1, 4}), b)
  {
    F.side  = side;
    F.block = points ? 1 : L.block;
    F.ld    = static_cast<std::size_t>(L.rows) + 3;
    inverse.assign(F.ld * F.block, Scalar(NAN)); /* behind the rows nothing is read */
    for (int s = 0; s < F.block; s++)
      for (int i = 0; i < L.rows; i++) inverse[s * F.ld + i] = Scalar(0.5 + 0.03125 * ((7 * i + 3 * s) % 11));
    F.inverse = inverse.data();
  }
  double stored(PetscInt i, PetscInt j) const
  {
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++)
      if (A.col[k] == j) return A.a[k];
    return 0;
  }
  /* entry (i, j) of M^-1, or of its square root */
  double factor(PetscInt i, PetscInt j) const
  {
    if (i / F.block != j / F.block) return 0;
    const double a = inverse[(j % F.block) * F.ld + i];
    return F.side == FusedSide::both ? std::sqrt(a) : a;
  }
  double expected(PetscInt i, PetscInt j) const
  {
    const PetscInt b   = F.block;
    double         sum = 0;

    if (F.side == FusedSide::both) return factor(i, i) * stored(i, j) * factor(j, j);
    for (PetscInt k = 0; k < b; k++)
      sum += F.side == FusedSide::left ? factor(i, i / b * b + k) * stored(i / b * b + k, j) : stored(i, j / b * b + k) * factor(j / b * b + k, j);
    return sum;
  }
};

TEST(Fold, EverySideAndBlockSize)
{
  for (PetscInt b : {1, 2, 3, 5, 8, 16, 17})
    for (FusedSide side : {FusedSide::left, FusedSide::right, FusedSide::both})
      for (bool points : {true, false}) {
        if (side == FusedSide::both && !points) continue;
        const Case C(9, b, side, points);
        Vector     out(C.L.values(), Scalar(NAN));

        for (int r = -1; r < C.D.ndiag; r++) { /* each one left out, or none */
          with_block(C.D.block, [&](auto B) {
            for (int row = 0; row < C.D.rows; row++) {
              const int found = bdiagh_fold_row<B()>(C.D, C.F, r, row, out.data());
              EXPECT_EQ(found, r >= 0 ? scaled_not_unit : 0); /* these matrices are far from units */
            }
          });
          for (int q = 0, at = 0; q < C.D.ndiag; q++) {
            if (q == r) continue;
            for (int s = 0; s < b; s++)
              for (int row = 0; row < C.D.rows; row++) {
                const PetscInt column   = (row / b + C.D.offset[q]) * b + s;
                const double   expected = column >= 0 && column < C.D.cols ? C.expected(row, column) : 0;
                ASSERT_NEAR(out[(static_cast<std::size_t>(at) * b + s) * C.D.ld + row], expected, tolerance)
                  << "b " << b << " side " << static_cast<int>(side) << " points " << points << " without " << r << " row " << row << " diagonal " << q;
              }
            at++;
          }
        }
      }
}

/* With the inverses of the matrix's own blocks, here powers of two on a permutation, the main diagonal is the unit matrix; one bit more than rounding, and it is not */
TEST(Fold, TheUnitDiagonalIsRecognised)
{
  for (PetscInt b : {1, 2, 8, 17}) {
    Case      C(5, b, FusedSide::left, false);
    const int r = C.L.main_diagonal();

    ASSERT_GE(r, 0);
    for (int row = 0; row < C.D.rows; row++)
      for (int s = 0; s < b; s++) {
        C.values[(static_cast<std::size_t>(r) * b + s) * C.D.ld + row] = s == (row % b + 1) % b ? Scalar(4) : Scalar(0);
        C.inverse[s * C.F.ld + row]                                    = row % b == (s + 1) % b ? Scalar(0.25) : Scalar(0);
      }
    for (int turn = 0; turn < 3; turn++) {
      Vector out(C.L.values());
      int    found = 0;

      if (turn) C.inverse[C.F.ld * ((b - 1) % b) + b] *= turn == 1 ? 1 + Scalar(2e4) * std::numeric_limits<Scalar>::epsilon() : Scalar(NAN);
      with_block(C.D.block, [&](auto B) {
        for (int row = 0; row < C.D.rows; row++) found |= bdiagh_fold_row<B()>(C.D, C.F, r, row, out.data());
      });
      EXPECT_EQ(found, turn ? scaled_not_unit : 0) << "b " << b << " turn " << turn;
    }
  }
}

TEST(Fold, RowsWithoutSquareRoot)
{
  for (Scalar bad : {Scalar(0), Scalar(-1), Scalar(NAN), Scalar(INFINITY)}) {
    Case   C(4, 3, FusedSide::both, true);
    Vector out(C.L.values());

    C.inverse[7] = bad;
    for (int row = 0; row < C.D.rows; row++) EXPECT_EQ(bdiagh_fold_row<3>(C.D, C.F, -1, row, out.data()), row == 7 ? scaled_not_positive : 0) << bad;
  }
}

/* Symmetric entries stay the same to the last bit */
TEST(Fold, SymmetryIsKept)
{
  Case   C(40, 1, FusedSide::both, true);
  Vector out(C.L.values());

  for (Scalar &a : C.values) a = Scalar(0.3);
  for (Scalar &d : C.inverse) d = Scalar(std::fabs(std::sin(1.0 + 7.0 * static_cast<double>(&d - C.inverse.data()))) + 0.01);
  for (int row = 0; row < C.D.rows; row++) (void)bdiagh_fold_row<1>(C.D, C.F, -1, row, out.data());
  const int up = C.L.main_diagonal() + 1, down = C.L.main_diagonal() - 1; /* offsets 1 and -1 */
  for (int row = 0; row + 1 < C.D.rows; row++) EXPECT_EQ(out[up * C.D.ld + row], out[down * C.D.ld + row + 1]);
}

/* The diagonals above the main one of a symmetric matrix: those of the whole copy, and the same products to the last bit; one entry not as the one opposite, and it is told */
TEST(Fold, UpperHalf)
{
  for (PetscInt n : {1, 2, 5, 31, 32, 33, 511, 512, 513, 1200})
    for (const std::vector<PetscInt> &offsets : {
           std::vector<PetscInt>{-1,   0,  1},
           {  -30, -4,   -1, 0, 1, 4, 30},
           { -600,  -3, 0, 3, 600}
    }) {
      Stored       S(blocks(n, n, 1, offsets), 1);
      const int    main = S.L.main_diagonal();
      Vector       inverse(n), x(n);
      FusedScaling F;

      if (main <= 0 || !bdiagh_in_pairs(S.D, main)) continue;
      for (int r = 0; r <= main; r++)
        for (int row = 0; row < S.D.rows; row++) {
          const int across = row + S.D.offset[r];
          if (across >= 0) S.values[(2 * main - r) * S.D.ld + across] = S.values[r * S.D.ld + row];
        }
      for (PetscInt i = 0; i < n; i++) {
        const Scalar d              = Scalar(0.5 + 0.03125 * (7 * i % 11));
        inverse[i]                  = d;
        S.values[main * S.D.ld + i] = 1 / d;
        x[i]                        = Scalar(0.1 * (i % 13) - 0.5);
      }
      F.side    = FusedSide::both;
      F.inverse = inverse.data();
      Vector whole(2 * main * S.D.ld, Scalar(NAN)), upper(main * S.D.ld, Scalar(NAN));
      for (int row = 0; row < S.D.rows; row++) {
        EXPECT_EQ(bdiagh_fold_row<1>(S.D, F, main, row, whole.data()), 0);
        EXPECT_EQ(bdiagh_fold_upper_row(S.D, F, main, row, upper.data()), 0);
      }
      BdiaghDiagonals W = S.D, U = S.D;
      W.ndiag  = 2 * main;
      W.values = whole.data();
      std::copy(S.D.offset + main + 1, S.D.offset + S.D.ndiag, W.offset + main);
      U.ndiag  = main;
      U.values = upper.data();
      std::copy(S.D.offset + main + 1, S.D.offset + S.D.ndiag, U.offset);
      Vector y(n), tiles(n);
      bdiagh_mult_rows_host(W, x.data(), 0, S.D.rows, -1, y.data());
      bdiagh_mult_symmetric_rows_host(U, x.data(), 0, S.D.rows, tiles.data());
      EXPECT_EQ(y, tiles) << n;
      for (int row = 0; row < S.D.rows; row++) {
        EXPECT_EQ((bdiagh_symmetric_row<0>(U, x.data(), row)), (bdiagh_row<1, 1>(W, x.data(), row)));
        if (main == 3) {
          EXPECT_EQ((bdiagh_symmetric_row<3>(U, x.data(), row)), (bdiagh_row<1, 6>(W, x.data(), row)));
        }
      }

      for (int r = 0; r < main; r++) { /* the last row has an entry below the diagonal, if any has */
        Scalar &a = S.values[r * S.D.ld + n - 1];
        if (n - 1 + S.D.offset[r] < 0) continue;
        const Scalar before = a;
        a                   = std::nextafter(a, Scalar(10));
        EXPECT_EQ(bdiagh_fold_upper_row(S.D, F, main, static_cast<int>(n) - 1, upper.data()), scaled_not_symmetric);
        a = before;
      }
      inverse[n / 2] *= 2;
      EXPECT_EQ(bdiagh_fold_upper_row(S.D, F, main, static_cast<int>(n / 2), upper.data()), scaled_not_unit);
      inverse[n / 2] = -1;
      EXPECT_EQ(bdiagh_fold_upper_row(S.D, F, main, static_cast<int>(n / 2), upper.data()) & scaled_not_positive, scaled_not_positive);
    }
}

TEST(Fold, Remainder)
{
  const std::uint32_t mask[2] = {1u << 3 | 1u << 31, 1u << 2};
  const int           base[2] = {0, 2}, ptr[] = {0, 2, 3, 6}, col[] = {1, 33, 7, 0, 3, 20}, row_of[] = {3, 31, 34};
  const Vector        values = {1, 2, 3, 4, 5, 6};
  Vector              d(36), out(6, Scalar(NAN));

  for (std::size_t i = 0; i < d.size(); i++) d[i] = Scalar(0.25 * (1 + i));
  for (FusedSide side : {FusedSide::left, FusedSide::right, FusedSide::both}) {
    FusedScaling F;

    F.side    = side;
    F.inverse = d.data();
    for (int row = 0; row < 36; row++) fold_remainder_row({mask, base, ptr, col, values.data()}, F, row, out.data());
    for (int k = 0; k < 3; k++)
      for (int p = ptr[k]; p < ptr[k + 1]; p++) {
        const double l = d[row_of[k]], r = d[col[p]];
        EXPECT_NEAR(out[p], values[p] * (side == FusedSide::left ? l : side == FusedSide::right ? r : std::sqrt(l * r)), 100 * tolerance);
      }
  }
}

TEST(Fold, CgThereAndBack)
{
  const std::size_t n = 37;
  Vector            d(n), x(n), r(n), p(n);
  Scalar            sums[4];

  for (std::size_t i = 0; i < n; i++) {
    d[i] = Scalar(0.25 + i);
    x[i] = Scalar(1 + 0.5 * i);
    r[i] = Scalar(2 - 0.25 * i);
    p[i] = Scalar(3 + i);
  }
  const Vector x0 = x, r0 = r, p0 = p;
  for (bool has_p : {false, true}) {
    FusedScalars S = {};

    S.cg.b = has_p ? Scalar(0.5) : Scalar(0);
    x = x0, r = r0, p = p0;
    run_step_host(CgFold(d.data(), x.data(), r.data(), p.data(), false), n, false, 1, S, sums);
    for (std::size_t i = 0; i < n; i++) {
      const double s = std::sqrt(static_cast<double>(d[i]));

      EXPECT_NEAR(x[i], x0[i] / s, tolerance);
      EXPECT_NEAR(r[i], r0[i] * s, tolerance);
      EXPECT_NEAR(p[i], has_p ? p0[i] / s : p0[i], tolerance);
    }
    run_step_host(CgFold(d.data(), x.data(), r.data(), nullptr, true), n, false, 1, S, sums);
    for (std::size_t i = 0; i < n; i++) {
      EXPECT_NEAR(x[i], x0[i], tolerance);
      EXPECT_NEAR(r[i], r0[i], tolerance);
    }
  }
}

TEST(Fold, NormsOfCg)
{
  const std::size_t n = 41;
  Vector            d(n), r(n), w(n);

  for (std::size_t i = 0; i < n; i++) {
    d[i] = Scalar(0.5 + (i % 7));
    r[i] = Scalar(0.125 * (i % 5) - 0.25);
    w[i] = Scalar(0.0625 * (i % 3));
  }
  for (int norm = 0; norm < 3; norm++) { /* of z, of r, none */
    Vector       ri = r;
    FusedScalars S  = {};
    Scalar       sums[4];
    double       zr = 0, nn = 0;

    S.cg.a = Scalar(0.5);
    run_step_host(CgFoldedResidual(norm < 2 ? d.data() : nullptr, w.data(), ri.data(), norm == 1), n, false, 1, S, sums);
    for (std::size_t i = 0; i < n; i++) {
      const double a = r[i] - 0.5 * w[i], s = std::sqrt(static_cast<double>(d[i])), of = norm == 0 ? s * a : norm == 1 ? a / s : 0;

      EXPECT_NEAR(ri[i], a, tolerance);
      zr += a * a;
      nn += of * of;
    }
    EXPECT_NEAR(sums[0], zr, tolerance * n);
    EXPECT_NEAR(sums[1], nn, tolerance * n);
  }
}

} // namespace

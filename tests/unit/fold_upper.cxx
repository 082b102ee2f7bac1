/*
   The diagonals above the main one of a scaled symmetric matrix, in place of the whole copy.
*/
#include "mat/bdiagh/fused/fold_rows.hpp"
#include "mat/bdiagh/format/host.hpp"
#include "patterns.hpp"
#include "stored.hpp"

namespace
{

/* A symmetric matrix with the inverse of its main diagonal, and what scaling makes of it: the whole copy without that diagonal, and the half above it */
struct Symmetric : Stored {
  int          main;
  Vector       inverse, whole, upper;
  FusedScaling F;

  Symmetric(PetscInt n, const std::vector<PetscInt> &offsets) : Stored(blocks(n, n, 1, offsets), 1), main(L.main_diagonal()), inverse(n)
  {
    for (int r = 0; r <= main; r++)
      for (int row = 0; row < D.rows; row++) {
        const int across = row + D.offset[r];
        if (across >= 0) values[(2 * main - r) * D.ld + across] = values[r * D.ld + row];
      }
    for (PetscInt i = 0; main >= 0 && i < n; i++) {
      const Scalar d          = Scalar(0.5 + 0.03125 * (7 * i % 11));
      inverse[i]              = d;
      values[main * D.ld + i] = 1 / d;
    }
    F.side    = FusedSide::both;
    F.inverse = inverse.data();
  }
  int  fold_upper(int row) { return bdiagh_fold_upper_row(D, F, main, row, upper.data()); }
  void fold()
  {
    whole.assign(2 * main * D.ld, Scalar(NAN));
    upper.assign(main * D.ld, Scalar(NAN));
    for (int row = 0; row < D.rows; row++) {
      EXPECT_EQ(bdiagh_fold_row<1>(D, F, main, row, whole.data()), 0);
      EXPECT_EQ(fold_upper(row), 0);
    }
  }
  /* the diagonals of the whole copy, or of its half */
  BdiaghDiagonals folded(bool half) const
  {
    BdiaghDiagonals W = D;
    W.ndiag           = half ? main : 2 * main;
    W.values          = half ? upper.data() : whole.data();
    std::copy(D.offset + main + 1, D.offset + D.ndiag, half ? W.offset : W.offset + main);
    return W;
  }
};

/* Those of the whole copy, and the same products to the last bit */
void check_products(const Symmetric &S)
{
  const BdiaghDiagonals W = S.folded(false), U = S.folded(true);
  const int             n = S.D.rows;
  Vector                x(n), y(n), tiles(n);

  for (int i = 0; i < n; i++) x[i] = Scalar(0.1 * (i % 13) - 0.5);
  bdiagh_mult_rows_host(W, x.data(), 0, n, -1, y.data());
  bdiagh_mult_symmetric_rows_host(U, x.data(), 0, n, tiles.data());
  EXPECT_EQ(y, tiles) << n;
  for (int row = 0; row < n; row++) {
    EXPECT_EQ((bdiagh_symmetric_row<0>(U, x.data(), row)), (bdiagh_row<1, 1>(W, x.data(), row)));
    if (S.main == 3) {
      EXPECT_EQ((bdiagh_symmetric_row<3>(U, x.data(), row)), (bdiagh_row<1, 6>(W, x.data(), row)));
    }
  }
}

/* One entry not as the one opposite, a diagonal that is not 1 after scaling, one without square root: it is told */
void check_refusals(Symmetric &S)
{
  const int n = S.D.rows;

  for (int r = 0; r < S.main; r++) { /* the last row has an entry below the diagonal, if any has */
    Scalar &a = S.values[r * S.D.ld + n - 1];
    if (n - 1 + S.D.offset[r] < 0) continue;
    const Scalar before = a;
    a                   = std::nextafter(a, Scalar(10));
    EXPECT_EQ(S.fold_upper(n - 1), scaled_not_symmetric);
    a = before;
  }
  S.inverse[n / 2] *= 2;
  EXPECT_EQ(S.fold_upper(n / 2), scaled_not_unit);
  S.inverse[n / 2] = -1;
  EXPECT_EQ(S.fold_upper(n / 2) & scaled_not_positive, scaled_not_positive);
}

TEST(Fold, UpperHalf)
{
  for (PetscInt n : {1, 2, 5, 31, 32, 33, 511, 512, 513, 1200})
    for (const std::vector<PetscInt> &offsets : {
           std::vector<PetscInt>{-1,   0,  1},
           {  -30, -4,   -1, 0, 1, 4, 30},
           { -600,  -3, 0, 3, 600}
    }) {
      Symmetric S(n, offsets);

      if (S.main <= 0 || !bdiagh_in_pairs(S.D, S.main)) continue;
      S.fold();
      check_products(S);
      check_refusals(S);
    }
}

} // namespace

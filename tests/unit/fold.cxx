/*
   Rows scaled by a preconditioner against products by the definition: from either side, by points and by blocks, with and without the main diagonal.
*/
#include "device/with_block.hpp"
#include "mat/bdiagh/fused/fold_rows.hpp"
#include "patterns.hpp"
#include "scaled.hpp"
#include "stored.hpp"

namespace
{

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
  double expected(PetscInt i, PetscInt j) const
  {
    return scaled_entry(
      F, [this](long r, long c) { return stored(r, c); }, i, j);
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

} // namespace

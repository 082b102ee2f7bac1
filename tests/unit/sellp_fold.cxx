/*
   Slices scaled by a preconditioner, with and without their diagonal blocks, against products by the definition, for every kind of index.
*/
#include "mat/sellp/format/sellp.hpp"
#include "mat/sellp/format/host.hpp"
#include "sellp_singles.hpp"

namespace
{

/* M^-1 x, or M^-1/2 x with both sides */
Vector apply(const FusedScaling &F, const Vector &x)
{
  Vector y(x.size(), 0);

  for (std::size_t i = 0; i < x.size(); i++)
    for (int s = 0; s < F.block; s++) {
      const Scalar m = F.inverse[s * F.ld + i];
      y[i] += (F.side == FusedSide::both ? std::sqrt(m) : m) * x[i / F.block * F.block + s];
    }
  return y;
}

/* (scaled A) x by the definition */
Vector multiply_scaled(const Matrix &A, const FusedScaling &F, const Vector &x)
{
  const Vector y = multiply(A, F.side == FusedSide::left ? x : apply(F, x), false);
  return F.side == FusedSide::right ? y : apply(F, y);
}

TEST(SellpFold, EverySideBlockSizeAndIndex)
{
  for (PetscInt b : {1, 2, 3, 8, 17})
    for (PetscInt index : {0, 16, 32})
      for (PetscInt window : {1, 64}) {
        const Matrix A      = cells(90, b);
        const auto   limits = sellp_limits(b, index, window);
        const auto   L      = sellp_find_layout(A.csr(), b, false, limits);
        Vector       values(L.values());
        sellp_fill(L, A.csr(), A.a.data(), values.data());
        const Vector x = random_vector(A.cols);

        for (FusedSide side : {FusedSide::left, FusedSide::right, FusedSide::both})
          for (int block : {1, static_cast<int>(b)}) {
            if (side == FusedSide::both && block > 1) continue;
            FusedScaling F;
            F.side         = side;
            const Vector m = inverses(A.rows, block, F);
            F.inverse      = m.data();

            /* all blocks; then without the diagonal ones, which here are no unit matrices */
            SellpSlices                S = slices_of(L, values), T = S;
            Vector                     copy(L.values(), Scalar(NAN)), y(A.rows, Scalar(NAN));
            const Vector               expected = multiply_scaled(A, F, x);
            std::vector<std::uint16_t> dropped(L.cells, 0xffff);
            EXPECT_EQ(fold(S, F, copy, nullptr), 0);
            T.values = copy.data();
            sellp_mult_host(T, x.data(), nullptr, y.data());
            for (PetscInt i = 0; i < A.rows; i++) ASSERT_NEAR(y[i], expected[i], tolerance) << "b " << b << " index " << index << " row " << i;
            if (block != b) continue;

            Matrix D = A, R = A;
            for (PetscInt i = 0; i < A.rows; i++)
              for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) (A.col[k] / b == i / b ? R : D).a[k] = 0;
            const Vector rest = multiply_scaled(R, F, x);
            const auto   less = (L.block_columns() - L.slices) * L.slice_rows() * b;
            copy.assign(less, Scalar(NAN)); /* what is behind is not written: see the sanitizers */
            EXPECT_EQ(fold(S, F, copy, &dropped), scaled_not_unit);
            T.values  = copy.data();
            T.dropped = dropped.data();
            y.assign(A.rows, Scalar(NAN));
            sellp_mult_host(T, x.data(), nullptr, y.data());
            for (PetscInt i = 0; i < A.rows; i++) ASSERT_NEAR(y[i], rest[i], tolerance) << "b " << b << " index " << index << " row " << i;
            with_block(L.block, [&](auto B) { /* as on the device */
                                              for (int place = 0; place < L.cells; place++)
                                                for (int i = 0; i < L.block; i++) {
                                                  const int slice = place / L.slice, r = place % L.slice * L.block + i;
                                                  EXPECT_NEAR((sellp_row_without_dropped<B(), 3, 2>(T, x.data(), L.head[slice], slice, r)),
                                                              y[L.cell_at(place) * L.block + i], tolerance);
                                                }
            });
          }
      }
}

/* Permutations of powers of two and their inverses give unit matrices; a bit more than rounding, NaN, or no diagonal block, and they do not */
TEST(SellpFold, TheUnitDiagonalIsRecognised)
{
  for (PetscInt b : {1, 2, 8, 17})
    for (int turn = 0; turn < 4; turn++) {
      Matrix       A = cells(40, b, 0, turn < 3 ? -1 : 17);
      SellpLimits  limits;
      FusedScaling F;
      limits.block = b;
      limits.index = turn % 2 ? 16 : 0;
      F.side       = FusedSide::left;
      Vector m     = inverses(A.rows, static_cast<int>(b), F);
      for (PetscInt i = 0; i < A.rows; i++) {
        for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++)
          if (A.col[k] / b == i / b) A.a[k] = A.col[k] % b == (i % b + 1) % b ? Scalar(4) : Scalar(0);
        for (PetscInt s = 0; s < b; s++) m[s * F.ld + i] = i % b == (s + 1) % b ? Scalar(0.25) : Scalar(0);
      }
      if (turn == 1) m[F.ld * ((b - 1) % b) + b] *= 1 + Scalar(2e4) * std::numeric_limits<Scalar>::epsilon();
      if (turn == 2) m[F.ld * ((b - 1) % b) + b] = Scalar(NAN);
      F.inverse    = m.data();
      const auto L = sellp_find_layout(A.csr(), b, false, limits);
      Vector     values(L.values()), copy(L.values());
      sellp_fill(L, A.csr(), A.a.data(), values.data());
      std::vector<std::uint16_t> dropped(L.cells);
      EXPECT_EQ(fold(slices_of(L, values), F, copy, &dropped), turn ? scaled_not_unit : 0) << "b " << b << " turn " << turn;
    }
}

TEST(SellpFold, RowsWithoutSquareRoot)
{
  const Matrix A = cells(20, 1);
  const auto   L = sellp_find_layout(A.csr(), 1, false, {});
  Vector       values(L.values()), copy(L.values());
  FusedScaling F;

  sellp_fill(L, A.csr(), A.a.data(), values.data());
  F.side   = FusedSide::both;
  Vector m = inverses(A.rows, 1, F);
  for (Scalar bad : {Scalar(0), Scalar(-1), Scalar(NAN), Scalar(INFINITY)}) {
    m[7]      = bad;
    F.inverse = m.data();
    EXPECT_EQ(fold(slices_of(L, values), F, copy, nullptr), scaled_not_positive) << bad;
  }
}

} // namespace

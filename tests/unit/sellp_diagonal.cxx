/*
   Where the diagonal blocks of the sliced layout are, rows without theirs, and whether blocks are the inverses of them.
*/
#include "device/with_block.hpp"
#include "mat/sellp/fused/inverse.hpp"
#include "mat/sellp/format/sellp.hpp"
#include "mat/sellp/format/host.hpp"
#include "mat/sellp/format/rows.hpp"
#include "patterns.hpp"
#include "pc/dense/host.hpp"
#include "sellp_slices.hpp"

namespace
{

/* A x without diagonal blocks, by the definition */
Vector multiply_without_diagonal(const Matrix &A, PetscInt b, const Vector &x)
{
  Vector y(A.rows, 0);

  for (PetscInt i = 0; i < A.rows; i++)
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++)
      if (A.col[k] / b != i / b) y[i] += A.a[k] * x[A.col[k]];
  return y;
}

} // namespace

TEST(SellpDiagonal, RowsWithoutTheirDiagonalBlock)
{
  for (PetscInt b : {1, 2, 3, 5, 17})
    for (PetscInt index : {0, 16, 32})
      for (PetscInt window : {1, 64}) {
        /* the diagonal block is the first, the second or the third of a cell */
        const auto A        = make(90 * b, 90 * b, [=](PetscInt i, PetscInt j) {
          const PetscInt c = i / b, d = j / b;
          return d == c || d == c + 1 || (c % 3 && d == c - 1) || (c % 3 == 2 && d == c - 7);
        });
        const auto limits   = sellp_limits(b, index, window);
        const auto L        = sellp_find_layout(A.csr(), b, false, limits);
        const auto diagonal = sellp_diagonal_places(L);
        Vector     values(L.values());
        sellp_fill(L, A.csr(), A.a.data(), values.data());
        const auto S = slices_of(L, values);
        const auto x = random_vector(A.cols), expected = multiply_without_diagonal(A, b, x);
        ASSERT_EQ(diagonal.size(), static_cast<std::size_t>(L.cells));
        with_block(L.block, [&](auto B) {
          for (int place = 0; place < L.cells; place++)
            for (int i = 0; i < L.block; i++) {
              const int slice = place / L.slice, r = place % L.slice * L.block + i;
              EXPECT_NEAR((sellp_row<B(), 2, 2, 2>(S, x.data(), L.head[slice], slice, r, SellpAllBut{diagonal[place]})),
                          expected[L.cell_at(place) * L.block + i], tolerance);
              EXPECT_EQ((sellp_row<B(), 4, 4, 4>(S, x.data(), L.head[slice], slice, r, SellpAllBut{sellp_diagonal_limit})),
                        (sellp_row<B(), 4, 4, 4>(S, x.data(), L.head[slice], slice, r)));
            }
        });
      }
}

/* Read where they lie and gathered the blocks are the same, and so are their inverses */
TEST(SellpDiagonal, BlocksInPlaceAreThoseGathered)
{
  for (PetscInt b : {1, 2, 3, 4, 5, 8, 11})
    for (PetscInt window : {1, 32})
      for (PetscInt cells : {1, 31, 32, 33, 150}) {
        Matrix      A = blocks(cells, cells, b, {-7, -1, 0, 2});
        SellpLimits limits;
        limits.block  = b;
        limits.window = window;
        for (PetscInt i = 0; i < A.rows; i++)
          for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++)
            if (A.col[k] == i) A.a[k] += 4;
        const auto        L      = sellp_find_layout(A.csr(), b, false, limits);
        const auto        offset = sellp_diagonal_offsets(L);
        const std::size_t n = A.rows, ld = dense_inverse_ld(n);
        Vector            values(L.values()), own(ld * b), inverse(ld * b), expected(ld * b);
        DenseReport       report;
        sellp_fill(L, A.csr(), A.a.data(), values.data());
        sellp_gather_blocks_host(slices_of(L, values), b, ld, own.data());
        ASSERT_EQ(offset.size(), static_cast<std::size_t>(cells));
        const auto in_place = DenseBlocks::columns_at(offset.data(), offset.size(), b, values.data(), L.slice_rows());
        for (PetscInt c = 0; c < cells; c++)
          for (PetscInt i = 0; i < b; i++)
            for (PetscInt s = 0; s < b; s++) ASSERT_EQ(in_place.at(c, i, s), own[s * ld + c * b + i]) << "b " << b << ", cell " << c << " of " << cells;
        dense_invert_host(in_place, inverse.data(), ld, &report);
        dense_invert_host(DenseBlocks::value_columns(cells, b, own.data(), ld), expected.data(), ld, &report);
        EXPECT_EQ(report.zeros, 0u);
        EXPECT_EQ(inverse, expected);
        for (std::int64_t o : offset) EXPECT_TRUE(b % 2 || o % 2 == 0) << "the device reads even blocks in pairs";
      }
}

TEST(SellpDiagonal, NoPlacesUnlessAllCellsHaveTheirBlock)
{
  const auto  without = make(60, 60, [](PetscInt i, PetscInt j) { return j / 2 == i / 2 + 1 || (j / 2 == i / 2 && i / 2 != 17); });
  const auto  wide = blocks(20, 45, 2, {0, 3, 25}), square = blocks(40, 40, 2, {-1, 0, 1});
  SellpLimits limits;

  limits.index = 16;
  EXPECT_TRUE(sellp_diagonal_places(sellp_find_layout(without.csr(), 2, false, limits)).empty());
  EXPECT_TRUE(sellp_diagonal_places(sellp_find_layout(wide.csr(), 2, false, {})).empty());
  EXPECT_EQ(sellp_diagonal_places(sellp_find_layout(square.csr(), 2, false, {})).size(), 40u);
  limits.long_row = 2;
  EXPECT_TRUE(sellp_diagonal_places(sellp_find_layout(square.csr(), 2, false, limits)).empty()) << "rows put aside";
  EXPECT_TRUE(sellp_diagonal_offsets(sellp_find_layout(square.csr(), 2, false, limits)).empty());
}

TEST(SellpDiagonal, InversesOfTheDiagonalBlocks)
{
  for (PetscInt window : {1, 32}) {
    const PetscInt b = 2, n = 50 * b, ld = n + 3;
    Matrix         A = blocks(50, 50, b, {-5, 0, 2});
    SellpLimits    limits;
    limits.window = window;
    limits.index  = 32;
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++)
        if (A.col[k] == i) A.a[k] += i % 2 ? 3 : -4;
    const auto L        = sellp_find_layout(A.csr(), b, false, limits);
    const auto diagonal = sellp_diagonal_places(L);
    Vector     values(L.values()), inverse(ld * b, std::nan("")), own(n * b);
    sellp_fill(L, A.csr(), A.a.data(), values.data());
    const auto S = slices_of(L, values);
    sellp_gather_blocks_host(S, b, n, own.data());
    ASSERT_EQ(diagonal.size(), 50u);
    for (int place = 0; place < L.cells; place++) {
      const int    cell = L.cell_at(place);
      const Scalar p = own[2 * cell], q = own[n + 2 * cell], s = own[2 * cell + 1], t = own[n + 2 * cell + 1], det = p * t - q * s;
      inverse[2 * cell]          = t / det;
      inverse[ld + 2 * cell]     = -q / det;
      inverse[2 * cell + 1]      = -s / det;
      inverse[ld + 2 * cell + 1] = p / det;
    }
    for (int place = 0; place < L.cells; place++)
      for (int i = 0; i < L.block; i++) {
        const std::size_t at   = ld * i + static_cast<std::size_t>(L.cell_at(place)) * L.block + i;
        const Scalar      good = inverse[at];
        EXPECT_LT(sellp_inverse_error(S, diagonal.data(), inverse.data(), ld, place, i), tolerance);
        inverse[at] *= Scalar(1.01);
        EXPECT_GT(sellp_inverse_error(S, diagonal.data(), inverse.data(), ld, place, i), Scalar(1e-3));
        inverse[at] = std::nan("");
        EXPECT_FALSE(sellp_inverse_error(S, diagonal.data(), inverse.data(), ld, place, i) <= tolerance);
        inverse[at] = good;
      }
  }
}

/*
   Copies of slices stored in single precision: what the host multiplies with them, and what a thread of the device does for a row, against products by the definition; rows put
   aside.
*/
#include "mat/csr/rows.hpp"
#include "mat/sellp/format/host.hpp"
#include "mat/sellp/format/single_rows.hpp"
#include "pass/product/gather.hpp"
#include "sellp_singles.hpp"

namespace
{

/* By the definition, in Scalars, with entries and x rounded: |sum| too, by which rounding of the entries is measured */
void expected_row(const Matrix &A, const FusedScaling &F, const Singles &x, PetscInt i, bool without_diagonal, Scalar *sum, Scalar *size)
{
  const PetscInt b = F.block;

  *sum = *size = 0;
  for (PetscInt k = i / b * b; k < i / b * b + b; k++) {
    Scalar left = F.side == FusedSide::left ? F.inverse[k % b * F.ld + i] : Scalar(k == i);
    if (F.side == FusedSide::both && k == i) left = std::sqrt(F.inverse[i]);
    if (left == 0) continue;
    for (PetscInt p = A.ptr[k]; p < A.ptr[k + 1]; p++) {
      const Scalar right = F.side == FusedSide::both ? std::sqrt(F.inverse[A.col[p]]) : Scalar(1), a = left * A.a[p] * right * x[A.col[p]];
      if (without_diagonal && A.col[p] / b == i / b) continue;
      *sum += a;
      *size += std::fabs(a);
    }
  }
}

Singles random_singles(PetscInt n)
{
  const Vector x = random_vector(n);

  return Singles(x.begin(), x.end());
}

constexpr double rounding = 1.2e-7; /* of an entry, twice: of the copy, and of one of several blocks that a scaled entry is the sum of */

/* b, side, block of M: every index, sorted or not */
class SellpSingle : public ::testing::TestWithParam<std::tuple<PetscInt, FusedSide, bool>> {};

TEST_P(SellpSingle, HostAndRowsOfTheDevice)
{
  const auto [b, side, blocks] = GetParam();
  const Matrix  A              = cells(90, b);
  const Singles x              = random_singles(A.cols);

  for (PetscInt index : {0, 16, 32})
    for (PetscInt window : {1, 64}) {
      const auto limits = sellp_limits(b, index, window);
      const auto L      = sellp_find_layout(A.csr(), b, false, limits);
      Vector     values(L.values());
      sellp_fill(L, A.csr(), A.a.data(), values.data());
      FusedScaling F;
      F.side         = side;
      const Vector m = inverses(A.rows, blocks ? static_cast<int>(b) : 1, F);
      F.inverse      = m.data();

      const SellpSlices S    = slices_of(L, values);
      const bool        drop = side != FusedSide::none && F.block == b;
      for (bool without : {false, true}) {
        if (without && !drop) continue;
        std::vector<std::uint16_t> dropped(L.cells, 0xffff);
        Singles                    copy(without ? (L.block_columns() - L.slices) * L.slice_rows() * b : L.values(), Single(NAN));
        Vector                     y(A.rows, Scalar(NAN));
        EXPECT_EQ(fold(S, F, copy, without ? &dropped : nullptr), without ? scaled_not_unit : 0);
        const auto T = with_values(S, copy, without ? &dropped : nullptr);
        for (int slice = 0; slice < L.slices; slice += 2) sellp_mult_slices_host(T, x.data(), slice, std::min(slice + 2, L.slices), y.data());
        for (PetscInt i = 0; i < A.rows; i++) {
          Scalar sum, size;
          expected_row(A, F, x, i, without, &sum, &size);
          ASSERT_NEAR(y[i], sum, b * rounding * size + tolerance) << "b " << b << " index " << index << " window " << window << " row " << i;
        }
        with_block_of(SellpTuning::SingleSizes(), L.block, [&](auto B) {
          for (int place = 0; place < L.cells; place++)
            for (int i = 0; i < L.block; i++) {
              const int  slice = place / L.slice, r = place % L.slice * L.block + i, row = L.cell_at(place) * L.block + i;
              const auto on_device = [&](const auto &u) {
                return without ? sellp_row_without_dropped<B(), 3, 2>(T, u, L.head[slice], slice, r) : sellp_row<B(), 3, 2, 2>(T, u, L.head[slice], slice, r);
              };
              Scalar sum, size;
              expected_row(A, F, x, row, without, &sum, &size);
              ASSERT_NEAR(on_device(FusedGather<false, Single>{x.data(), nullptr, 0}), y[row], 3 * b * rounding * size + tolerance)
                << "b " << b << " row " << row;
              ASSERT_NEAR(on_device(FusedGather<false, Single>{x.data(), nullptr, 0}), sum, b * rounding * size + tolerance) << "b " << b << " row " << row;
              ASSERT_NEAR(on_device(SingleGather<false>(x.data(), nullptr, 0)), sum, 3 * b * rounding * size + tolerance)
                << "in single precision, b " << b << " row " << row;
            }
        });
      }
    }
}

INSTANTIATE_TEST_SUITE_P(All, SellpSingle,
                         ::testing::Combine(::testing::Values(1, 2, 3, 5, 8, 17), ::testing::Values(FusedSide::none, FusedSide::left), ::testing::Bool()));
INSTANTIATE_TEST_SUITE_P(Roots, SellpSingle, ::testing::Combine(::testing::Values(1, 3), ::testing::Values(FusedSide::both), ::testing::Values(false)));

/* Two rows at a time have the bits of each by itself; the last slice is not full, and the number of entries no multiple of those loaded together */
TEST(SellpSinglePairs, AreTheRows)
{
  for (PetscInt n : {64, 150, 300, 321}) {
    const Matrix A =
      make(n, n, [](PetscInt i, PetscInt j) { return i == j || j == i + 1 || j == i - 1 || j == i + 9 || j == i - 9 || j == i + 70 || j == i - 70; });
    const Singles x = random_singles(A.cols);
    SellpLimits   limits;
    limits.slice   = 64;
    const auto   L = sellp_find_layout(A.csr(), 1, false, limits);
    Vector       values(L.values());
    FusedScaling F;
    sellp_fill(L, A.csr(), A.a.data(), values.data());
    F.side         = FusedSide::left;
    const Vector m = inverses(A.rows, 1, F);
    SellpSlices  S = slices_of(L, values);
    F.inverse      = m.data();
    std::vector<std::uint16_t> dropped(L.cells, 0xffff);
    Singles                    copy((L.block_columns() - L.slices) * L.slice_rows());
    fold(S, F, copy, &dropped);
    const auto T     = with_values(S, copy, &dropped);
    int        pairs = 0;
    for (int slice = 0; slice < L.slices; slice++) {
      if (sellp_kind(L.head[slice]) != SellpIndex::none) continue;
      for (int r = 0; r < 32 && slice * 64 + r < n; r++) {
        const FusedGather<false, Single> u = {x.data(), nullptr, 0};
        Scalar                           sum[2], in_single[2];
        sellp_single_pair<4>(T, u, L.head[slice], slice, r, dropped[slice * 64 + r], sum[0], sum[1]);
        sellp_single_pair<4>(T, SingleGather<false>(x.data(), nullptr, 0), L.head[slice], slice, r, dropped[slice * 64 + r], in_single[0], in_single[1]);
        for (int k = 0; k < 2 && slice * 64 + r + 32 * k < n; k++) {
          EXPECT_NEAR(sum[k], (sellp_row_without_dropped<1, 3, 2>(T, u, L.head[slice], slice, r + 32 * k)), tolerance) << "n " << n << " row " << r;
          EXPECT_NEAR(in_single[k], sum[k], 10 * rounding) << "n " << n << " row " << r;
          pairs++;
        }
      }
    }
    EXPECT_GE(pairs, n / 2);
  }
}

/* Rows put aside: scaled in Scalars, and found by their numbers */
TEST(SellpSingleAside, ScaledAndMultiplied)
{
  for (PetscInt b : {1, 3}) {
    const Matrix  A = cells(90, b, 60);
    const Singles x = random_singles(A.cols);
    SellpLimits   limits;
    FusedScaling  F;
    limits.block    = b;
    limits.long_row = 20;
    const auto L    = sellp_find_layout(A.csr(), b, false, limits);
    ASSERT_EQ(L.remainder_row.size(), static_cast<std::size_t>(b));
    Vector values(L.values());
    sellp_fill(L, A.csr(), A.a.data(), values.data());
    F.side         = FusedSide::both;
    const Vector m = inverses(A.rows, 1, F);
    F.inverse      = m.data();

    std::vector<std::uint32_t> mask((A.rows + 31) / 32, 0);
    std::vector<int>           base(mask.size(), 0);
    for (int row : L.remainder_row) mask[row / 32] |= 1u << row % 32;
    for (std::size_t w = 1; w < mask.size(); w++) base[w] = base[w - 1] + count_bits(mask[w - 1]);
    RemainderRows R = {mask.data(), base.data(), L.remainder_ptr.data(), L.remainder_col.data(), values.data() + L.format_values(), 0};
    Singles       copy(L.format_values());
    Vector        aside(L.remainder_values(), Scalar(NAN)), y(A.rows);
    EXPECT_EQ(fold(slices_of(L, values), F, copy), 0);
    for (int row = 0; row < A.rows; row++) fold_remainder_row<1>(R, F, row, aside.data());
    const auto T = with_values(slices_of(L, values), copy);
    sellp_mult_slices_host(T, x.data(), 0, L.slices, y.data());
    R.values = aside.data();
    for (int row = 0; row < A.rows; row++) {
      Scalar sum, size;
      y[row] += remainder_row(R, x.data(), row);
      expected_row(A, F, x, row, false, &sum, &size);
      ASSERT_NEAR(y[row], sum, rounding * size + tolerance) << "b " << b << " row " << row;
    }
    const CsrRows list = {
      static_cast<int>(L.remainder_row.size()), L.remainder_row.data(), L.remainder_ptr.data(), L.remainder_col.data(), nullptr, aside.data()};
    for (int k = 0; k < list.count; k++) EXPECT_NEAR(csr_row(list, x.data(), k, 0, 1), y[list.row[k]], tolerance); /* as the device sums them */
  }
}

} // namespace

/*
   What every sliced layout is checked by: the place of each entry, and the arithmetic of rows, tiles and columns against the product by the definition.
*/
#pragma once

#include "device/with_block.hpp"
#include "mat/sellp/format/host.hpp"
#include "patterns.hpp"
#include "sellp_slices.hpp"

namespace heptane
{

/* Row i has its diagonal and some of the next columns: lengths from 0 to most, uneven */
inline Matrix uneven(PetscInt n, PetscInt b, PetscInt most)
{
  return make(n * b, n * b, [=](PetscInt i, PetscInt j) {
    const PetscInt c = i / b, d = j / b, len = (c * 7919 + c / 3) % (most + 1);
    return d >= c && d < c + len;
  });
}

/* The rows of the device, and packs of them, beside the tiles of the host: z = A x, zt = A^T y */
inline void check_device_rows(const SellpLayout &L, const SellpSlices &S, const std::vector<Scalar> &x, const std::vector<Scalar> &y,
                              const std::vector<Scalar> &z, const std::vector<Scalar> &zt, const std::string &what)
{
  const SellpTranspose T       = sellp_transpose(L);
  const SellpColumns   columns = {T.ptr.data(), T.block.data(), T.row.data()};
  with_block(L.block, [&](auto B) {
    constexpr int U = B() < 3 ? 7 : 1;
    for (int j = 0; j < L.cols; j++) EXPECT_NEAR(sellp_transposed_row<B()>(S, columns, y.data(), j), zt[j], tolerance) << what << ", column " << j;
    for (int place = 0; place < L.cells; place++)
      for (int i = 0; i < L.block; i++)
        EXPECT_NEAR((sellp_row<B(), U, U, U>(S, x.data(), L.head[place / L.slice], place / L.slice, place % L.slice * L.block + i)),
                    z[L.cell_at(place) * L.block + i], tolerance)
          << what;
    if constexpr (B() > 0 && B() % 2 == 0) {
      for (int place = 0; place < L.cells; place++)
        for (int i = 0; i < B(); i += 2) {
          const auto rows = sellp_row<B(), U, U, U, Pack<2>>(S, x.data(), L.head[place / L.slice], place / L.slice, place % L.slice * B() + i);
          for (int l = 0; l < 2; l++) EXPECT_NEAR(rows.v[l], z[L.cell_at(place) * B() + i + l], tolerance) << what;
        }
    }
    if constexpr (B() == 1) {
      for (int r = 0; r < 32 && L.slice == 64; r++)
        for (int s = 0; s < L.slices; s++) {
          const int place = s * L.slice + r, below = place + 32;
          Scalar    pair[2];
          const int second = below < L.cells ? L.cell_at(below) : below;
          if (place >= L.cells || sellp_kind(L.head[s]) != SellpIndex::none) continue;
          sellp_row_pair<SellpTuning::pair_together>(S, x.data(), L.head[s], r, L.cell_at(place), second, pair[0], pair[1]);
          EXPECT_NEAR(pair[0], z[L.cell_at(place)], tolerance) << what;
          if (below < L.cells) {
            EXPECT_NEAR(pair[1], z[L.cell_at(below)], tolerance) << what;
          }
        }
    }
  });
}

/* A^T y, rows put aside included, by scalar columns */
inline void check_scalar_columns(const Matrix &A, const SellpLayout &L, const std::vector<Scalar> &values, const std::vector<Scalar> &y,
                                 const std::string &what)
{
  const CsrColumns    C        = sellp_scalar_columns(L, sellp_transpose(L));
  const CsrRows       rows     = {static_cast<int>(C.row.size()), C.row.data(), C.ptr.data(), C.col.data(), C.perm.data(), values.data()};
  const auto          expected = multiply(A, y, true);
  std::vector<Scalar> zt(A.cols, 0);

  ASSERT_EQ(C.cols, A.cols) << what;
  csr_rows_add_host(rows, y.data(), zt.data());
  for (PetscInt j = 0; j < A.cols; j++) ASSERT_NEAR(zt[j], expected[j], tolerance) << what << ", column " << j;
}

/* A x = y without the rows put aside, A^T x = z with them left out too */
inline void check_products(const Matrix &A, const SellpLimits &limits, PetscInt b, const std::string &what)
{
  const auto          L = sellp_find_layout(A.csr(), b, false, limits);
  std::vector<Scalar> values(L.values(), Scalar(77));
  Matrix              M = A;

  ASSERT_EQ(L.fit, SellpFit::slices) << what;
  sellp_fill(L, A.csr(), A.a.data(), values.data());
  for (int row : L.remainder_row)
    for (PetscInt k = M.ptr[row]; k < M.ptr[row + 1]; k++) M.a[k] = 0;
  const SellpSlices S = slices_of(L, values);
  const auto        x = random_vector(A.cols), y = random_vector(A.rows, 9);
  const auto        expected = multiply(M, x, false), expected_transpose = multiply(M, y, true);

  std::vector<Scalar> z(A.rows, std::nan("")), add(A.rows, std::nan("")), in_place = y, zt(A.cols, 0);
  sellp_mult_host(S, x.data(), nullptr, z.data());
  sellp_mult_host(S, x.data(), y.data(), add.data());
  sellp_mult_host(S, x.data(), in_place.data(), in_place.data());
  sellp_mult_transpose_add_host(S, y.data(), zt.data());
  for (PetscInt i = 0; i < A.rows; i++) {
    ASSERT_NEAR(z[i], expected[i], tolerance) << what << ", row " << i;
    ASSERT_EQ(add[i], y[i] + z[i]) << what << ", row " << i;
    ASSERT_EQ(in_place[i], add[i]) << what << ", row " << i;
  }
  for (PetscInt j = 0; j < A.cols; j++) ASSERT_NEAR(zt[j], expected_transpose[j], tolerance) << what << ", column " << j;
  check_device_rows(L, S, x, y, z, zt, what);
  check_scalar_columns(A, L, values, y, what);
}

/* Every entry has its own place, the one that the documented formula gives */
inline void check_slots(const Matrix &A, const SellpLayout &L, const std::string &what)
{
  std::vector<std::int64_t> slot(A.a.size());
  std::vector<int>          narrow(A.a.size()), seen(L.values(), 0), at(L.cells, -1);
  std::vector<Scalar>       values(L.values()), back(A.a.size(), Scalar(77));
  std::size_t               rem = L.format_values();

  for (int p = 0; p < L.cells; p++) {
    ASSERT_EQ(at[L.cell_at(p)], -1) << what << ": a cell twice";
    at[L.cell_at(p)] = p;
  }
  L.slots(A.csr(), slot.data());
  L.slots(A.csr(), narrow.data());
  for (PetscInt i = 0; i < A.rows; i++)
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) {
      const std::size_t q = static_cast<std::size_t>(slot[k]), R = L.slice_rows(), b = L.block;
      ASSERT_EQ(slot[k], narrow[k]);
      ASSERT_LT(q, L.values());
      ASSERT_EQ(seen[q]++, 0) << what << ": two entries at one place";
      if (std::binary_search(L.remainder_row.begin(), L.remainder_row.end(), static_cast<int>(i))) {
        ASSERT_EQ(q, rem++) << what;
        continue;
      }
      const std::size_t r = q % R, s = q / R % b, column = q / R / b, place = at[i / b];
      ASSERT_EQ(r, place % L.slice * b + i % b) << what;
      const SellpSlice &head = L.head[place / L.slice];
      ASSERT_GE(column, static_cast<std::size_t>(head.first)) << what;
      ASSERT_LT(column, static_cast<std::size_t>(head.first + head.width)) << what;
      ASSERT_EQ(L.column(place / L.slice, static_cast<int>(column) - head.first, place % L.slice) * static_cast<PetscInt>(b) + static_cast<PetscInt>(s),
                A.col[k])
        << what;
    }
  for (int p = 0; p < L.cells; p++)
    for (int k = 0; k < L.head[p / L.slice].width && sellp_kind(L.head[p / L.slice]) != SellpIndex::none; k++) {
      const int c = L.column(p / L.slice, k, p % L.slice);
      ASSERT_GE(c, 0) << what;
      ASSERT_LT(c, L.cols / L.block) << what << ": padding with index must have a valid column";
    }
  sellp_fill(L, A.csr(), A.a.data(), values.data());
  for (std::size_t q = 0; q < values.size(); q++) ASSERT_TRUE(seen[q] || values[q] == Scalar(0)) << what << ": padding must be zero";
  L.extract(A.csr(), values.data(), back.data());
  EXPECT_EQ(back, A.a) << what;
}

} // namespace heptane

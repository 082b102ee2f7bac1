/*
   The sliced layout: parameters and the rule that chooses them, where each entry is stored, what is put aside; and the arithmetic of rows,
   tiles and columns against the product by the definition.
*/
#include "mat/sellp/sellp.hpp"
#include "device/with_block.hpp"
#include "mat/sellp/sellp_host.hpp"
#include "patterns.hpp"
#include "sellp_slices.hpp"
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <gtest/gtest.h>

using namespace heptane;

namespace
{

/* Row i has its diagonal and some of the next columns: lengths from 0 to most, uneven */
Matrix uneven(PetscInt n, PetscInt b, PetscInt most)
{
  return make(n * b, n * b, [=](PetscInt i, PetscInt j) {
    const PetscInt c = i / b, d = j / b, len = (c * 7919 + c / 3) % (most + 1);
    return d >= c && d < c + len;
  });
}

/* A x = y without the rows put aside, A^T x = z with them left out too */
void check_products(const Matrix &A, const SellpLimits &limits, PetscInt b, const std::string &what)
{
  const auto          L = sellp_find_layout(A.csr(), b, false, limits);
  std::vector<Scalar> values(L.values(), Scalar(77));
  Matrix              M = A;

  ASSERT_EQ(L.fit, SellpFit::slices) << what;
  sellp_fill(L, A.csr(), A.a.data(), values.data());
  for (int row : L.rem_row)
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

  /* the rows of the device, and packs of them, beside the tiles of the host */
  const SellpTranspose T       = sellp_transpose(L);
  const SellpColumns   columns = {T.ptr.data(), T.block.data(), T.row.data()};
  with_block(L.block, [&](auto B) {
    constexpr int U = B() < 3 ? 7 : 1;
    for (int j = 0; j < L.cols; j++) EXPECT_NEAR(sellp_transposed_row<B()>(S, columns, y.data(), j), zt[j], tolerance) << what << ", column " << j;
    for (int place = 0; place < L.cells; place++)
      for (int i = 0; i < L.block; i++) {
        Scalar part[SellpTuning::max_threads];
        for (int t = 0; t < L.threads; t++)
          part[t] = sellp_row<B(), U, U, U>(S, x.data(), L.head[place / L.slice], place / L.slice, place % L.slice * L.block + i, t, L.threads);
        EXPECT_NEAR(sellp_add_shares(part, L.threads), z[L.cell_at(place) * L.block + i], tolerance) << what;
      }
    if constexpr (B() > 0 && B() % 2 == 0) {
      for (int place = 0; place < L.cells && L.threads == 1; place++)
        for (int i = 0; i < B(); i += 2) {
          const auto rows = sellp_row<B(), U, U, U, Pack<2>>(S, x.data(), L.head[place / L.slice], place / L.slice, place % L.slice * B() + i, 0, 1);
          for (int l = 0; l < 2; l++) EXPECT_NEAR(rows.v[l], z[L.cell_at(place) * B() + i + l], tolerance) << what;
        }
    }
    if constexpr (B() == 1) {
      for (int r = 0; r < 32 && L.slice == 64 && L.threads == 1 && !L.own_length; r++)
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

/* Every entry has its own place, the one that the documented formula gives */
void check_slots(const Matrix &A, const SellpLayout &L, const std::string &what)
{
  std::vector<std::int64_t> slot(A.a.size());
  std::vector<int>          narrow(A.a.size()), seen(L.values(), 0), at(L.cells, -1);
  std::vector<Scalar>       values(L.values()), back(A.a.size(), Scalar(77));
  std::size_t               rem = L.slice_values();

  for (int p = 0; p < L.cells; p++) {
    ASSERT_EQ(at[L.cell_at(p)], -1) << what << ": a cell twice";
    at[L.cell_at(p)] = p;
  }
  sellp_slots(L, A.csr(), slot.data());
  sellp_slots(L, A.csr(), narrow.data());
  for (PetscInt i = 0; i < A.rows; i++)
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) {
      const std::size_t q = static_cast<std::size_t>(slot[k]), R = L.slice_rows(), b = L.block;
      ASSERT_EQ(slot[k], narrow[k]);
      ASSERT_LT(q, L.values());
      ASSERT_EQ(seen[q]++, 0) << what << ": two entries at one place";
      if (std::binary_search(L.rem_row.begin(), L.rem_row.end(), static_cast<int>(i))) {
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
  sellp_extract(L, A.csr(), values.data(), back.data());
  EXPECT_EQ(back, A.a) << what;
}

} // namespace

TEST(Sellp, EverySetting)
{
  for (PetscInt b : {1, 3, 17})
    for (PetscInt slice : {0, 8, 24, 64, -1})
      for (PetscInt threads : {1, 4, 32})
        for (PetscInt window : {0, 1, 64})
          for (PetscInt long_row : {0, 5}) {
            const auto        A = uneven(75, b, 9);
            const std::string what =
              std::to_string(b) + " " + std::to_string(slice) + " " + std::to_string(threads) + " " + std::to_string(window) + " " + std::to_string(long_row);
            SellpLimits limits;
            limits.block      = b;
            limits.slice      = slice;
            limits.threads    = threads;
            limits.window     = window;
            limits.long_row   = long_row;
            limits.own_length = static_cast<PetscBool>((b + slice + window) % 2 != 0);
            const auto L      = sellp_find_layout(A.csr(), b, false, limits);
            ASSERT_EQ(L.block, b);
            EXPECT_EQ(L.slice, slice == -1 ? 80 : slice ? slice : b == 1 && threads == 1 && !limits.own_length ? 64 : 32);
            EXPECT_EQ(L.threads, threads);
            EXPECT_EQ(L.rem_row.empty(), long_row == 0);
            for (int s = 0; s < L.slices; s++) EXPECT_EQ(L.head[s].width % threads, 0);
            check_slots(A, L, what);
            check_products(A, limits, b, what);
          }
}

TEST(Sellp, EveryBlockSize)
{
  for (PetscInt b = 1; b <= compiled_blocks + 1; b++) {
    const auto A = blocks(45, 45, b, {-12, -4, -1, 0, 1, 4, 12});
    EXPECT_EQ(sellp_find_layout(A.csr(), b, false, {}).block, b);
    EXPECT_EQ(sellp_find_layout(A.csr(), 1, false, {}).block, b <= compiled_blocks ? b : 1) << "found in the pattern";
    check_slots(A, sellp_find_layout(A.csr(), b, false, {}), "block size " + std::to_string(b));
    check_products(A, {}, b, "block size " + std::to_string(b));
    check_products(blocks(45, 20, b, {-20, -3, 0}), {}, b, "tall, block size " + std::to_string(b));
    check_products(blocks(20, 45, b, {0, 3, 25}), {}, b, "wide, block size " + std::to_string(b));
  }
}

/* 3 x 3 blocks with 7 of 9 entries take 8.44 * 9 / 7 = 10.9 bytes an entry, with 4 of 9 they take 19, scalar rows 12; in single precision 5.7, 10 and 8 */
TEST(Sellp, PartlyFilledBlocks)
{
  const auto full = [](PetscInt per_block) {
    return make(120, 120, [=](PetscInt i, PetscInt j) { return std::abs(i / 3 - j / 3) <= 2 && (i % 3 * 3 + j % 3) * 4 % 9 < per_block; });
  };
  SellpLimits limits;

  EXPECT_EQ(sellp_find_layout(full(7).csr(), 3, false, {}).block, 3);
  EXPECT_NEAR(sellp_find_layout(full(7).csr(), 3, false, {}).fill, 9.0 / 7, 1e-12);
  const auto L = sellp_find_layout(full(4).csr(), 3, false, {});
  EXPECT_EQ(L.block, 1);
  EXPECT_EQ(L.refused_block, 3);
  EXPECT_NEAR(L.refused_fill, 9.0 / 4, 1e-12);
  limits.max_fill = PetscReal(2.4);
  EXPECT_EQ(sellp_find_layout(full(4).csr(), 3, false, limits).block, 3);
  check_slots(full(4), sellp_find_layout(full(4).csr(), 3, false, limits), "partly filled");
  check_products(full(4), limits, 3, "partly filled");
  limits.max_fill = PetscReal(1.1);
  EXPECT_EQ(sellp_find_layout(full(7).csr(), 3, false, limits).block, 1);
  limits.max_fill = 0;
  limits.block    = 7;
  EXPECT_EQ(sellp_find_layout(full(7).csr(), 3, false, limits).fit, SellpFit::bad_block);
}

/* The smallest window that leaves little padding, or the one that leaves least */
TEST(Sellp, RowsAreSortedWhereItPays)
{
  const auto  even = blocks(500, 500, 1, {-1, 0, 1}), odd = uneven(700, 1, 12);
  const auto  two = make(1024, 1024, [](PetscInt i, PetscInt j) { return j >= i && j < i + (i % 2 ? 2 : 10); });
  const auto  E = sellp_find_layout(even.csr(), 1, false, {}), O = sellp_find_layout(odd.csr(), 1, false, {}), T = sellp_find_layout(two.csr(), 1, false, {});
  SellpLimits limits;

  EXPECT_EQ(E.window, 1);
  EXPECT_TRUE(E.place.empty());
  EXPECT_EQ(T.window, 256);
  EXPECT_LT(T.padding(), 0.01);
  EXPECT_EQ(O.window, 1024);
  for (PetscInt window : {1, 256, 512}) {
    limits.window = window;
    const auto N  = sellp_find_layout(odd.csr(), 1, false, limits);
    EXPECT_EQ(N.window, window);
    EXPECT_LT(O.padding(), N.padding());
  }
  for (int p = 0; p + 1 < T.cells; p++) EXPECT_TRUE((p + 1) % T.window == 0 || T.length[p] >= T.length[p + 1]);
}

/* One full row among short ones: in its slice it would cost 32 times its length */
TEST(Sellp, LongRowsArePutAside)
{
  const auto A = make(3000, 3000, [](PetscInt i, PetscInt j) { return i == j || (i == 1234) || j == i + 1; });
  const auto L = sellp_find_layout(A.csr(), 1, false, {});

  EXPECT_EQ(L.rem_row, std::vector<int>{1234});
  EXPECT_EQ(L.rem_col.size(), 3000u);
  EXPECT_LT(L.padding(), 0.05);
  check_slots(A, L, "one full row");
  check_products(A, {}, 1, "one full row");
}

/* Blocks of the format's size and of others, with padding of every kind behind the entries */
TEST(Sellp, DiagonalAndDiagonalBlocks)
{
  for (PetscInt b : {1, 3, 17})
    for (PetscInt index : {0, 16, 32})
      for (PetscInt size : {b, PetscInt(1), PetscInt(2), PetscInt(5), PetscInt(14)}) {
        const auto  A = uneven(70, b, 6); /* every seventh cell is empty */
        SellpLimits limits;
        limits.block           = b;
        limits.index           = index;
        limits.window          = 16;
        limits.slice           = 8;
        const auto          L  = sellp_find_layout(A.csr(), b, false, limits);
        const PetscInt      ld = A.rows + 3;
        std::vector<Scalar> values(L.values()), d(A.rows, 77), own(ld * size);
        sellp_fill(L, A.csr(), A.a.data(), values.data());
        sellp_diagonal_host(slices_of(L, values), d.data());
        sellp_gather_blocks_host(slices_of(L, values), size, ld, own.data());
        for (PetscInt i = 0; i < A.rows; i++) {
          std::vector<Scalar> expected(size, 0);
          Scalar              diagonal = 0;
          for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) {
            if (A.col[k] / size == i / size) expected[A.col[k] % size] = A.a[k];
            if (A.col[k] == i) diagonal = A.a[k];
          }
          EXPECT_EQ(d[i], diagonal);
          for (PetscInt s = 0; s < size; s++) EXPECT_EQ(own[s * ld + i], expected[s]) << "b " << b << ", blocks of " << size << ", row " << i;
        }
      }
}

TEST(Sellp, EmptyAndTooSmall)
{
  const auto none = make(40, 30, [](PetscInt, PetscInt) { return false; });

  EXPECT_EQ(sellp_find_layout(none.csr(), 1, false, {}).fit, SellpFit::empty);
  EXPECT_EQ(sellp_find_layout(make(0, 0, [](PetscInt, PetscInt) { return true; }).csr(), 1, false, {}).fit, SellpFit::empty);
  for (PetscInt n : {1, 7, 8, 9, 31, 32, 33}) {
    const auto  A = make(n, n, [](PetscInt, PetscInt) { return true; });
    SellpLimits scalar;
    scalar.block = 1;
    check_slots(A, sellp_find_layout(A.csr(), 1, false, scalar), "dense of size " + std::to_string(n));
    check_products(A, scalar, 1, "dense of size " + std::to_string(n));
  }
  const auto R = sellp_find_layout(uneven(50, 1, 5).csr(), 1, true, {});
  EXPECT_EQ(R.fit, SellpFit::requested);
  EXPECT_EQ(R.slices, 0);
  EXPECT_EQ(static_cast<PetscInt>(R.values()), R.nnz);
}

/* Columns 70 000 apart, and rows whose columns are not sorted */
TEST(Sellp, FarAndUnsortedColumns)
{
  auto A = blocks(100, 80000, 1, {0, 3, 70000, 79000});

  check_slots(A, sellp_find_layout(A.csr(), 1, false, {}), "far");
  check_products(A, {}, 1, "far");
  for (PetscInt i = 0; i < A.rows; i++) std::reverse(A.col.begin() + A.ptr[i], A.col.begin() + A.ptr[i + 1]);
  check_slots(A, sellp_find_layout(A.csr(), 1, false, {}), "unsorted");
  check_products(A, {}, 1, "unsorted");
  SellpLimits limits;
  limits.max_fill = 100;
  limits.block    = 2;
  check_slots(A, sellp_find_layout(A.csr(), 1, false, limits), "unsorted in blocks");
  check_products(A, limits, 1, "unsorted in blocks");
}

/* Runs of a caller's entries fill the groups: dense blocks in row order, and blocks whose entries lie n apart; partly filled ones are no runs */
TEST(Sellp, EntryRuns)
{
  for (PetscInt b : {1, 3, 8}) {
    const auto                A = blocks(40, 40, b, {-3, 0, 1, 7});
    const auto                L = sellp_find_layout(A.csr(), b, false, {});
    std::vector<int>          start, tail, slot(A.a.size());
    std::vector<std::int64_t> entry(A.a.size()), start64, tail64;
    std::size_t               step;

    sellp_slots(L, A.csr(), slot.data());
    ASSERT_TRUE(sellp_entry_runs(L, A.csr(), static_cast<const int *>(nullptr), start, tail, &step));
    for (PetscInt k = 0; k < static_cast<PetscInt>(A.a.size()); k++) {
      const std::size_t R = L.slice_rows(), group = slot[k] / R / b * R + slot[k] % R, s = slot[k] / R % b;
      ASSERT_EQ(start[group] + static_cast<PetscInt>(s * step), k);
    }
    for (std::size_t k = 0; k < entry.size(); k++) entry[k] = static_cast<std::int64_t>(k % b * (entry.size() / b) + k / b);
    EXPECT_TRUE(sellp_entry_runs(L, A.csr(), entry.data(), start64, tail64, &step));
    if (b > 1) {
      EXPECT_EQ(step, entry.size() / b);
      std::swap(entry[0], entry[1]);
      EXPECT_FALSE(sellp_entry_runs(L, A.csr(), entry.data(), start64, tail64, &step));
    }
  }
}

/* Grids go without index and in slices of 64 rows, rows of 16-bit neighbours in 16 bits, far columns in 32; what was asked for otherwise */
TEST(Sellp, IndexIsAsShortAsItCanBe)
{
  const auto grid = blocks(2000, 2000, 1, {-400, -20, -1, 0, 1, 20, 400}),
             near = make(2000, 2000, [](PetscInt i, PetscInt j) { return std::abs(i - j) < 90 && (i * 31 + j * j) % 17 == 0; });
  const auto  far = make(96, 200000, [](PetscInt i, PetscInt j) { return j == i * 99991 % 200000 || j == i * 31337 % 200000; });
  SellpLimits limits;

  auto G = sellp_find_layout(grid.csr(), 1, false, {});
  EXPECT_EQ(G.slice, 64);
  EXPECT_EQ(G.by_kind[0], static_cast<double>(G.places()));
  EXPECT_LT(G.index.size(), 7u * 8);
  EXPECT_EQ(G.mix(), SellpMix::short_none);
  check_slots(grid, G, "grid");
  check_products(grid, {}, 1, "grid");
  EXPECT_EQ(sellp_find_layout(blocks(900, 900, 1, {-30, -21, -20, -19, -2, -1, 0, 1, 2, 3, 19, 20, 21, 30, 31}).csr(), 1, false, {}).mix(), SellpMix::none);
  EXPECT_EQ(sellp_find_layout(near.csr(), 1, false, {}).mix(), SellpMix::narrow);
  EXPECT_EQ(sellp_find_layout(far.csr(), 1, false, {}).mix(), SellpMix::wide);
  check_slots(far, sellp_find_layout(far.csr(), 1, false, {}), "far");
  check_products(far, {}, 1, "far");
  for (PetscInt bits : {16, 32}) {
    for (PetscInt window : {1, 128}) {
      limits.index  = bits;
      limits.window = window;
      G             = sellp_find_layout(grid.csr(), 1, false, limits);
      EXPECT_EQ(G.by_kind[bits / 16], static_cast<double>(G.places()));
      check_slots(grid, G, "grid, " + std::to_string(bits) + " bits");
      check_products(grid, limits, 1, "grid, " + std::to_string(bits) + " bits");
    }
  }
  limits       = {};
  limits.slice = 64;
  for (PetscInt window : {1, 64, 256}) { /* sorted rows keep their distances */
    limits.window = window;
    check_products(grid, limits, 1, "sorted grid");
    check_products(blocks(333, 333, 1, {-20, -1, 0, 1, 20}), limits, 1, "grid that fills no slice");
  }
  const auto cells = blocks(333, 333, 2, {-20, -1, 0, 1, 20});
  EXPECT_EQ(sellp_find_layout(cells.csr(), 2, false, {}).mix(), SellpMix::short_none);
  check_products(cells, {}, 2, "grid of 2 x 2 blocks");
}

/* 8 bytes of values and the indices, and 16 of every slice: as the documents say */
TEST(Sellp, Bytes)
{
  for (PetscInt b : {1, 2, 5}) {
    const auto A = blocks(64, 64, b, {0, 1}); /* the last cell has one block */
    for (PetscInt bits : {0, 16, 32}) {
      SellpLimits limits;
      limits.index       = bits;
      const auto   L     = sellp_find_layout(A.csr(), b, false, limits);
      const double index = bits == 32   ? 4.0 * L.places()
                           : bits == 16 ? 2.0 * L.places() + 4.0 * L.block_columns()
                                        : 4.0 * 2; /* one list of distances for both slices */
      EXPECT_DOUBLE_EQ(L.bytes(), L.values() * sizeof(Scalar) + index + 16.0 * L.slices);
      EXPECT_DOUBLE_EQ(L.padding(), 1.0 * L.places() / L.blocks - 1);
      EXPECT_DOUBLE_EQ(L.by_kind[bits / 16], static_cast<double>(L.places()));
    }
  }
}

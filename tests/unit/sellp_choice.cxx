/*
   The rule that chooses the parameters of a sliced layout: block size, window, index; and the bytes that it counts with.
*/
#include "mat/sellp/format/sellp.hpp"
#include "sellp_checks.hpp"

/* 3 x 3 blocks with 7 of 9 entries take 8.44 * 9 / 7 = 10.9 bytes per entry, with 4 of 9 they take 19, scalar rows 12; in single precision 5.7, 10 and 8 */
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

/* Cells of whole blocks, whose columns one row tells, beside cells with an entry less in one of their rows, and blocks that descend */
TEST(Sellp, WholeCellsBesideOthers)
{
  SellpLimits limits;
  auto        M = make(150, 150, [](PetscInt i, PetscInt j) { return std::abs(i / 3 - j / 3) <= 2 && !(i % 21 == 4 && j / 3 == i / 3 + 1 && j % 3 == 2); });

  limits.block = 3;
  for (int turn = 0; turn < 2; turn++) {
    const auto L = sellp_find_layout(M.csr(), 3, false, limits);
    EXPECT_EQ(L.block, 3);
    EXPECT_EQ(L.blocks, 50 * 5 - 6);
    check_slots(M, L, "whole cells beside others");
    check_products(M, limits, 3, "whole cells beside others");
    for (PetscInt row = 60; row < 63; row++) /* the blocks of a whole cell the other way round */
      for (PetscInt k = 0, n = M.ptr[row + 1] - M.ptr[row]; k < n; k++) M.col[M.ptr[row] + k] = (20 + 2 - k / 3) * 3 + k % 3;
  }
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

/* Grids go without index and in slices of 64 rows, rows of 16-bit neighbours in 16 bits, far columns in 32; what was asked for otherwise */
TEST(Sellp, IndexIsAsShortAsItCanBe)
{
  const auto grid = blocks(2000, 2000, 1, {-400, -20, -1, 0, 1, 20, 400}),
             near = make(2000, 2000, [](PetscInt i, PetscInt j) { return std::abs(i - j) < 90 && (i * 31 + j * j) % 17 == 0; });
  const auto  far = make(96, 200000, [](PetscInt i, PetscInt j) { return j == i * 99991 % 200000 || j == i * 31337 % 200000; });
  SellpLimits limits;

  auto G = sellp_find_layout(grid.csr(), 1, false, {});
  EXPECT_EQ(G.slice, 64);
  EXPECT_EQ(G.by_kind[0], static_cast<double>(G.block_places()));
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
      EXPECT_EQ(G.by_kind[bits / 16], static_cast<double>(G.block_places()));
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
      const double index = bits == 32   ? 4.0 * L.block_places()
                           : bits == 16 ? 2.0 * L.block_places() + 4.0 * L.block_columns()
                                        : 4.0 * 2; /* one list of distances for both slices */
      EXPECT_DOUBLE_EQ(L.matrix_bytes(), L.values() * sizeof(Scalar) + index + 16.0 * L.slices);
      EXPECT_DOUBLE_EQ(L.padding(), 1.0 * L.block_places() / L.blocks - 1);
      EXPECT_DOUBLE_EQ(L.by_kind[bits / 16], static_cast<double>(L.block_places()));
    }
  }
}

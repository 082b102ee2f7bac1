/*
   The block-diagonal layout: diagonals, remainder, padding, where each entry is stored, what is refused.
*/
#include "mat/bdiagh/format/bdiagh.hpp"
#include "patterns.hpp"
#include <climits>

static std::vector<int> offsets_of(const BdiaghLayout &L)
{
  return {L.offset, L.offset + L.ndiag};
}

TEST(Layout, OffsetsAscendAndAreFound)
{
  const auto L = bdiagh_find_layout(blocks(60, 60, 4, {12, -4, 0, -12, 1, 4, -1}).csr(), 4, false, {});

  EXPECT_EQ(L.fit, BdiaghFit::diagonals);
  EXPECT_EQ(L.block, 4);
  EXPECT_EQ(offsets_of(L), (std::vector<int>{-12, -4, -1, 0, 1, 4, 12}));
  EXPECT_EQ(L.main_diagonal(), 3);
  EXPECT_EQ(L.remainder_values(), 0u);
}

TEST(Layout, WithoutMainDiagonal)
{
  const auto L = bdiagh_find_layout(blocks(60, 60, 2, {-3, 1, 4}).csr(), 2, false, {});

  EXPECT_EQ(offsets_of(L), (std::vector<int>{-3, 1, 4}));
  EXPECT_EQ(L.main_diagonal(), -1);
}

TEST(Layout, RectangularMatrices)
{
  for (PetscInt ccells : {40, 60, 121}) {
    const auto L = bdiagh_find_layout(blocks(60, ccells, 3, {-2, 0, 3}).csr(), 3, false, {});

    EXPECT_EQ(L.fit, BdiaghFit::diagonals);
    EXPECT_EQ(offsets_of(L), (std::vector<int>{-2, 0, 3})) << ccells << " columns";
  }
}

TEST(Layout, ColumnsStartOnTheirBoundary)
{
  for (PetscInt rows : {1, 31, 32, 33, 63, 64, 65, 1000}) {
    const auto L = bdiagh_find_layout(blocks(rows, rows, 1, {0}).csr(), 1, false, {});

    EXPECT_EQ(L.ld * sizeof(Scalar) % BdiaghTuning::column_bytes, 0u);
    EXPECT_GE(L.ld, static_cast<std::size_t>(rows));
    EXPECT_LT(L.ld * sizeof(Scalar), rows * sizeof(Scalar) + 2 * BdiaghTuning::column_bytes);
  }
}

TEST(Layout, WhatLiesOffTheDiagonalsIsTheRemainder)
{
  const auto A = make(200, 200, [](PetscInt i, PetscInt j) { return std::abs(i - j) <= 1 || (i == 7 && j % 20 == 3) || (j == 90 && i % 50 == 0); });
  const auto L = bdiagh_find_layout(A.csr(), 1, false, {});

  EXPECT_EQ(L.fit, BdiaghFit::diagonals);
  EXPECT_EQ(offsets_of(L), (std::vector<int>{-1, 0, 1}));
  EXPECT_EQ(L.remainder_ptr.size(), L.remainder_row.size() + 1);
  EXPECT_TRUE(std::is_sorted(L.remainder_row.begin(), L.remainder_row.end()));
  EXPECT_EQ(static_cast<std::size_t>(L.remainder_ptr.back()), L.remainder_col.size());
  EXPECT_EQ(L.nnz, A.csr().nnz());
  for (std::size_t r = 0; r < L.remainder_row.size(); r++)
    for (int k = L.remainder_ptr[r]; k < L.remainder_ptr[r + 1]; k++) EXPECT_GT(std::abs(L.remainder_row[r] - L.remainder_col[k]), 1);
}

TEST(Layout, LimitsDecide)
{
  const auto   wells = make(200, 200, [](PetscInt i, PetscInt j) { return std::abs(i - j) <= 1 || (i == 7 && j % 20 == 3); });
  const auto   half  = make(200, 200, [](PetscInt i, PetscInt j) { return i == j || (j == i + 1 && i % 2); });
  BdiaghLimits limits;

  limits.max_remainder = 0;
  EXPECT_EQ(bdiagh_find_layout(wells.csr(), 1, false, limits).fit, BdiaghFit::remainder);
  limits          = {};
  limits.max_fill = PetscReal(1.2);
  EXPECT_EQ(bdiagh_find_layout(half.csr(), 1, false, limits).fit, BdiaghFit::fill);
  limits = {};
  EXPECT_EQ(bdiagh_find_layout(half.csr(), 1, false, limits).ndiag, 2);
  limits.min_occupancy = PetscReal(0.75);
  limits.max_remainder = 1;
  EXPECT_EQ(bdiagh_find_layout(half.csr(), 1, false, limits).ndiag, 1);
}

TEST(Layout, EverythingInTheRemainder)
{
  const auto random = make(100, 80, [](PetscInt i, PetscInt j) { return (i * 37 + j * 101) % 17 == 0; });

  for (bool requested : {false, true}) {
    const auto L = bdiagh_find_layout(random.csr(), 1, requested, {});

    EXPECT_EQ(L.fit, requested ? BdiaghFit::requested : BdiaghFit::remainder);
    EXPECT_EQ(L.ndiag, 0);
    EXPECT_EQ(static_cast<PetscInt>(L.remainder_values()), random.csr().nnz());
  }
}

/* n rows with these diagonals, and so many other entries in every row, at places without order */
static Matrix large(PetscInt n, const std::vector<PetscInt> &diagonals, double others)
{
  Matrix       M;
  std::mt19937 random(3);

  M.rows = M.cols = n;
  M.ptr.push_back(0);
  for (PetscInt i = 0; i < n; i++) {
    std::vector<PetscInt> row;
    for (PetscInt o : diagonals)
      if (i + o >= 0 && i + o < n) row.push_back(i + o);
    for (double k = random() / 4294967296.0; k < others; k++) row.push_back(static_cast<PetscInt>(random() % static_cast<unsigned>(n)));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    M.col.insert(M.col.end(), row.begin(), row.end());
    M.ptr.push_back(static_cast<PetscInt>(M.col.size()));
  }
  M.a.resize(M.col.size());
  return M;
}

TEST(Layout, LargePatternsAreDecidedByALook)
{
  const PetscInt n = 2 * BdiaghTuning::sample_from;

  for (double others : {0.0, 1.2, 30.0}) { /* 5 diagonals: nothing, a fifth, nearly all off them */
    const auto A = large(n, {-300, -1, 0, 1, 300}, others);
    const auto L = bdiagh_decide_layout(A.csr(), 1, false, {}), F = bdiagh_find_layout(A.csr(), 1, false, {});

    EXPECT_EQ(L.fit, others > 2 ? BdiaghFit::remainder : BdiaghFit::diagonals) << others;
    EXPECT_EQ(L.ndiag, others > 2 ? 0 : 5) << others;
    EXPECT_EQ(L.values(), F.values()) << others;
    EXPECT_EQ(L.remainder_col.empty(), others != 1.2) << others; /* the lists of a remainder that has everything are put off */
    EXPECT_EQ(F.remainder_col.size(), F.remainder_values()) << others;
  }
  const auto cells = blocks(n, n, 3, {-40, -1, 0, 1, 40});
  EXPECT_EQ(bdiagh_decide_layout(cells.csr(), 3, false, {}).ndiag, 5);
}

TEST(Layout, AColumnTwice)
{
  auto A = make(200, 200, [](PetscInt i, PetscInt j) { return std::abs(i - j) <= 1; });

  EXPECT_EQ(bdiagh_find_layout(A.csr(), 1, false, {}).ndiag, 3);
  A.col[A.ptr[100] + 2] = A.col[A.ptr[100]]; /* first and last of a row, which no longer ascends */
  const auto L          = bdiagh_find_layout(A.csr(), 1, false, {});
  EXPECT_EQ(L.fit, BdiaghFit::repeated);
  EXPECT_EQ(static_cast<PetscInt>(L.remainder_col.size()), A.csr().nnz());
}

TEST(Layout, MoreDiagonalsThanThereIsRoomFor)
{
  const PetscInt n = 4 * BdiaghTuning::max_diagonals;
  BdiaghLimits   limits;

  limits.max_remainder = 1;
  limits.max_fill      = 100;
  limits.min_occupancy = 0;
  const auto A         = make(n, n, [](PetscInt, PetscInt) { return true; });
  const auto L         = bdiagh_find_layout(A.csr(), 1, false, limits);
  EXPECT_EQ(L.ndiag, BdiaghTuning::max_diagonals);
  EXPECT_TRUE(std::is_sorted(L.offset, L.offset + L.ndiag));
  EXPECT_EQ(L.nnz, A.csr().nnz());
  EXPECT_GT(L.remainder_values(), 0u);
}

TEST(Layout, Refusals)
{
  BdiaghLimits limits;

  limits.block = 7;
  EXPECT_EQ(bdiagh_find_layout(blocks(20, 20, 3, {0}).csr(), 3, false, limits).fit, BdiaghFit::bad_block);
#if defined(PETSC_USE_64BIT_INDICES)
  Csr huge;

  huge.cols = static_cast<PetscInt>(INT_MAX) + 1; /* no more than the sizes may be looked at */
  EXPECT_EQ(bdiagh_find_layout(huge, 1, false, {}).fit, BdiaghFit::too_large);
#endif
}

TEST(Layout, Empty)
{
  const auto none = make(40, 40, [](PetscInt, PetscInt) { return false; });
  const auto L    = bdiagh_find_layout(none.csr(), 1, false, {});

  EXPECT_EQ(L.fit, BdiaghFit::empty);
  EXPECT_EQ(L.values(), 0u);
  EXPECT_EQ(bdiagh_find_layout(make(0, 0, [](PetscInt, PetscInt) { return false; }).csr(), 1, false, {}).values(), 0u);
}

/* Every entry has its own place, on a diagonal the one that the documented formula gives, and comes back from there */
TEST(Slots, OnePlaceForEachEntry)
{
  for (PetscInt b : {1, 2, 3, 5, 16, 17}) {
    const auto A = make(24 * b, 24 * b, [&](PetscInt i, PetscInt j) { return std::abs(i / b - j / b) <= 1 || (i / b == 2 && j / b == 20); });
    const auto L = bdiagh_find_layout(A.csr(), b, false, {});
    ASSERT_EQ(L.fit, BdiaghFit::diagonals) << "block size " << b;

    std::vector<std::int64_t> slot(A.col.size());
    std::vector<int>          slot32(A.col.size());
    L.slots(A.csr(), slot.data());
    L.slots(A.csr(), slot32.data());
    EXPECT_TRUE(std::equal(slot.begin(), slot.end(), slot32.begin()));
    for (PetscInt i = 0; i < A.rows; i++)
      for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) {
        const std::size_t s = static_cast<std::size_t>(slot[k]);
        ASSERT_LT(s, L.values());
        if (s >= L.format_values()) continue;
        const std::size_t column = s / L.ld;
        EXPECT_EQ(static_cast<PetscInt>(s % L.ld), i);
        EXPECT_EQ((i / L.block + L.offset[column / L.block]) * L.block + static_cast<PetscInt>(column % L.block), A.col[k]);
      }
    auto sorted = slot;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());

    Vector values(L.values(), Scalar(99)), back(A.a.size());
    bdiagh_fill(L, A.csr(), A.a.data(), values.data());
    L.extract(A.csr(), values.data(), back.data());
    EXPECT_EQ(back, A.a);
    std::vector<bool> used(L.values(), false);
    for (auto s : slot) used[static_cast<std::size_t>(s)] = true;
    for (std::size_t k = 0; k < L.values(); k++) {
      if (!used[k]) {
        ASSERT_EQ(values[k], Scalar(0)) << "place " << k << " without entry";
      }
    }
  }
}

TEST(Bytes, LessThanCompressedRowsOnAGrid)
{
  for (PetscInt b : {1, 4, 8}) {
    const auto L = bdiagh_find_layout(blocks(60, 60, b, {-12, -4, -1, 0, 1, 4, 12}).csr(), b, false, {});

    EXPECT_DOUBLE_EQ(L.product_bytes(), sizeof(Scalar) * (7.0 * b + 2) * L.rows);
    EXPECT_DOUBLE_EQ(L.csr_product_bytes(), (sizeof(Scalar) + 4.0) * L.nnz + (4.0 + 2 * sizeof(Scalar)) * L.rows);
  }
}

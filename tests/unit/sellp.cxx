/*
   The sliced layout of every shape and setting: where each entry is stored, what is put aside, and its products.
*/
#include "mat/sellp/format/sellp.hpp"
#include "sellp_checks.hpp"

TEST(Sellp, EverySetting)
{
  for (PetscInt b : {1, 3, 17})
    for (PetscInt slice : {0, 8, 24, 64, -1})
      for (PetscInt window : {0, 1, 64})
        for (PetscInt long_row : {0, 5}) {
          const auto        A    = uneven(75, b, 9);
          const std::string what = std::to_string(b) + " " + std::to_string(slice) + " " + std::to_string(window) + " " + std::to_string(long_row);
          SellpLimits       limits;
          limits.block    = b;
          limits.slice    = slice;
          limits.window   = window;
          limits.long_row = long_row;
          const auto L    = sellp_find_layout(A.csr(), b, false, limits);
          ASSERT_EQ(L.block, b);
          EXPECT_EQ(L.slice, slice == -1 ? 80 : slice ? slice : b == 1 ? 64 : 32);
          EXPECT_EQ(L.remainder_row.empty(), long_row == 0);
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

/* One full row among short ones: in its slice it would cost 32 times its length */
TEST(Sellp, LongRowsArePutAside)
{
  const auto A = make(3000, 3000, [](PetscInt i, PetscInt j) { return i == j || (i == 1234) || j == i + 1; });
  const auto L = sellp_find_layout(A.csr(), 1, false, {});

  EXPECT_EQ(L.remainder_row, std::vector<int>{1234});
  EXPECT_EQ(L.remainder_col.size(), 3000u);
  EXPECT_LT(L.padding(), 0.05);
  check_slots(A, L, "one full row");
  check_products(A, {}, 1, "one full row");
}

/* A column is uneven when it is long, and longer than others by a factor */
TEST(Sellp, UnevenColumns)
{
  const auto is_uneven = [](PetscInt n, PetscInt b, PetscInt rows_with_first) {
    const auto A = make(n, n, [=](PetscInt i, PetscInt j) { return i / b == j / b || (j / b == 0 && i < rows_with_first); });
    const auto L = sellp_find_layout(A.csr(), b, false, {});
    check_products(A, {}, b, "a long column");
    return sellp_columns_uneven(L, sellp_transpose(L));
  };
  const PetscInt limit = SellpTuning::uneven_entries;

  EXPECT_FALSE(is_uneven(600, 1, limit / 2)); /* padding counts */
  EXPECT_TRUE(is_uneven(600, 1, limit + 1));
  EXPECT_FALSE(is_uneven(600, 3, limit / 2));
  EXPECT_TRUE(is_uneven(600, 3, limit + 3));

  const auto full   = make(limit + 1, limit + 1, [](PetscInt, PetscInt) { return true; });
  const auto layout = sellp_find_layout(full.csr(), 1, false, {});
  EXPECT_FALSE(sellp_columns_uneven(layout, sellp_transpose(layout)));
  EXPECT_TRUE(sellp_by_scalar_columns(layout, sellp_transpose(layout)));

  const auto blocks = sellp_find_layout(make(60, 60, [](PetscInt, PetscInt) { return true; }).csr(), 3, false, {});
  EXPECT_EQ(blocks.block, 3);
  EXPECT_FALSE(sellp_by_scalar_columns(blocks, sellp_transpose(blocks)));
}

/* Blocks of the format's size and of others, with padding of every kind behind the entries */
TEST(Sellp, DiagonalAndDiagonalBlocks)
{
  for (PetscInt b : {1, 3, 17})
    for (PetscInt index : {0, 16, 32})
      for (PetscInt size : {b, PetscInt(1), PetscInt(2), PetscInt(5), PetscInt(14)}) {
        const auto A      = uneven(70, b, 6); /* every seventh cell is empty */
        auto       limits = sellp_limits(b, index, 16);
        limits.slice      = 8;
        const auto     L  = sellp_find_layout(A.csr(), b, false, limits);
        const PetscInt ld = A.rows + 3;
        Vector         values(L.values()), d(A.rows, 77), own(ld * size);
        sellp_fill(L, A.csr(), A.a.data(), values.data());
        sellp_diagonal_host(slices_of(L, values), d.data());
        sellp_gather_blocks_host(slices_of(L, values), size, ld, own.data());
        for (PetscInt i = 0; i < A.rows; i++) {
          Vector expected(size, 0);
          Scalar diagonal = 0;
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

    L.slots(A.csr(), slot.data());
    ASSERT_TRUE(L.entry_runs(A.csr(), static_cast<const int *>(nullptr), start, tail, &step));
    for (PetscInt k = 0; k < static_cast<PetscInt>(A.a.size()); k++) {
      const std::size_t R = L.slice_rows(), group = slot[k] / R / b * R + slot[k] % R, s = slot[k] / R % b;
      ASSERT_EQ(start[group] + static_cast<PetscInt>(s * step), k);
    }
    for (std::size_t k = 0; k < entry.size(); k++) entry[k] = static_cast<std::int64_t>(k % b * (entry.size() / b) + k / b);
    EXPECT_TRUE(L.entry_runs(A.csr(), entry.data(), start64, tail64, &step));
    if (b > 1) {
      EXPECT_EQ(step, entry.size() / b);
      std::swap(entry[0], entry[1]);
      EXPECT_FALSE(L.entry_runs(A.csr(), entry.data(), start64, tail64, &step));
    }
  }
}

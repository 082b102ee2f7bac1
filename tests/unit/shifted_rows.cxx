/*
   Groups of rows that are the row before moved on: found as rows compared one by one, whatever their number and length; and places of entries told by groups, of whole patterns and of their first
   rows.
*/
#include "mat/csr/repeated_columns.hpp"
#include "mat/csr/shifted_row.hpp"
#include "mat/sellp/format/sellp.hpp"
#include "mat/values/value_runs.hpp"
#include "patterns.hpp"

namespace
{

/* A grid of lines, each cell coupled with its neighbours */
Matrix grid(PetscInt line, PetscInt lines)
{
  return make(line * lines, line * lines, [&](PetscInt i, PetscInt j) {
    const PetscInt d = i - j;
    return d == 0 || d == line || d == -line || (d == 1 && i % line) || (d == -1 && j % line);
  });
}

void expect_groups(const Matrix &M, PetscInt b)
{
  std::vector<PetscInt> one_by_one;

  for (PetscInt row = 0; row < M.rows; row++)
    if (!is_shifted_row(M.csr(), row, row % b ? 0 : b)) one_by_one.push_back(row);
  EXPECT_EQ(row_groups(M.csr(), b), one_by_one) << M.rows << " rows, b = " << b;
}

/* Dense blocks of b on these diagonals, and in one row in `every` cells an entry of another block: groups begin and end in the middle of cells */
Matrix with_entries_of_other_blocks(PetscInt cells, PetscInt b, PetscInt every)
{
  return make(cells * b, cells * b, [&](PetscInt i, PetscInt j) {
    const PetscInt c = i / b, d = j / b;

    return std::abs(c - d) <= 1 || std::abs(c - d) == 20 || (c % every == every / 2 && i % b == c / every % b && j == (c * 7 + 40) % cells * b);
  });
}

/* slot[k] of the entries of the first rows, as runs made of them give them */
void expect_places(const Matrix &M, const std::vector<std::int64_t> &slot, PetscInt rows, const std::function<void(const Csr &, ValueRunsMaker *)> &places)
{
  Csr       head = M.csr();
  ValueRuns R;

  head.rows = rows;
  {
    ValueRunsMaker maker(head, &R);
    places(head, &maker);
  }
  ASSERT_TRUE(R.Usable());
  for (PetscInt row = 0; row < rows; row++)
    for (PetscInt k = M.ptr[row]; k < M.ptr[row + 1]; k++)
      ASSERT_EQ(R.Place(row, k - M.ptr[row]), slot[static_cast<std::size_t>(k)]) << rows << " rows, row " << row;
}

} // namespace

TEST(ShiftedRows, GroupsAreThoseOfRowsOneByOne)
{
  std::mt19937 random(4);

  for (PetscInt line : {1, 2, 3, 5, 20, 63, 64, 65, 66, 130, 200}) expect_groups(grid(line, 4), 1);
  for (PetscInt n : {0, 1, 2, 63, 64, 65, 66, 128, 129, 130, 300})
    for (const std::vector<PetscInt> &offsets : {
           std::vector<PetscInt>{0  },
           {  -1,  0, 1},
           { -40, 0}
    })
      expect_groups(blocks(n, n, 1, offsets), 1);
  for (PetscInt b : {2, 3, 8}) {
    expect_groups(blocks(50, 50, b, {-7, -1, 0, 1, 7}), b);
    expect_groups(make(24 * b, 24 * b, [&](PetscInt i, PetscInt j) { return i == j || random() % 7 == 0; }), b);
  }
  expect_groups(make(150, 150, [&](PetscInt i, PetscInt j) { return i % 70 != 3 && (i == j || i == j + 9); }), 1); /* rows without entries */
  expect_groups(make(150, 150, [&](PetscInt i, PetscInt j) { return i % 70 > 30 && i == j; }), 1);
  Matrix M       = blocks(200, 200, 1, {0, 1}); /* one entry is another one, far into a group */
  M.col[150 * 2] = 3;
  expect_groups(M, 1);
}

TEST(ShiftedRows, OneRowOfEachGroupShowsRepeatedColumns)
{
  Matrix M = blocks(300, 300, 1, {0, 2, 5});

  EXPECT_FALSE(has_repeated_columns(M.csr(), row_groups(M.csr(), 1)));
  for (PetscInt row = 100; row < 200; row++) M.col[static_cast<std::size_t>(M.ptr[row]) + 1] = row; /* a group of its own */
  EXPECT_TRUE(has_repeated_columns(M.csr(), row_groups(M.csr(), 1)));
  EXPECT_TRUE(sellp_find_layout(M.csr(), 1, false, {}).repeated);
  EXPECT_EQ(sellp_find_layout(M.csr(), 1, false, {}).slices, 0);
  EXPECT_EQ(bdiagh_find_layout(M.csr(), 1, false, {}).fit, BdiaghFit::repeated);
}

TEST(ShiftedRows, PlacesByGroups)
{
  std::vector<std::pair<Matrix, PetscInt>> cases; /* and its block size */

  cases.emplace_back(grid(60, 9), 1);
  cases.emplace_back(grid(200, 3), 1);
  cases.emplace_back(blocks(400, 400, 3, {-20, -1, 0, 1, 20}), 3);
  cases.emplace_back(blocks(700, 700, 1, {0, 3}), 1);
  cases.emplace_back(with_entries_of_other_blocks(400, 3, 31), 3);
  cases.emplace_back(with_entries_of_other_blocks(400, 4, 17), 4);
  for (const std::pair<Matrix, PetscInt> &of : cases) {
    const Matrix             &M = of.first;
    const PetscInt            b = of.second;
    const BdiaghLayout        B = bdiagh_find_layout(M.csr(), b, false, {});
    std::vector<std::int64_t> slot(M.a.size());

    EXPECT_FALSE(B.group.empty());
    B.slots(M.csr(), slot.data());
    for (PetscInt rows : {M.rows, M.rows / 2 + 1, PetscInt(70), PetscInt(1)})
      expect_places(M, slot, rows, [&](const Csr &P, ValueRunsMaker *maker) { B.places(P, maker); });
    for (PetscInt slice : {0, 8, 64})
      for (PetscInt window : {0, 64})
        for (PetscInt index : {0, 32}) { /* by their own order, in the place of distances that a slice has in common */
          SellpLimits limits;
          limits.slice        = slice;
          limits.window       = window;
          limits.index        = index;
          const SellpLayout S = sellp_find_layout(M.csr(), b, false, limits);

          EXPECT_EQ(S.block, b);
          EXPECT_FALSE(S.group.empty());
          S.slots(M.csr(), slot.data());
          for (PetscInt rows : {M.rows, M.rows / 2 + 1, PetscInt(70), PetscInt(1)})
            expect_places(M, slot, rows, [&](const Csr &P, ValueRunsMaker *maker) { S.places(P, maker); });
        }
  }
}

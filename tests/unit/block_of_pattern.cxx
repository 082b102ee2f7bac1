/*
   The block size that a pattern of compressed rows has.
*/
#include "mat/csr/find_block.hpp"
#include "device/with_block.hpp"
#include "mat/csr/whole_blocks.hpp"
#include "patterns.hpp"

TEST(FindBlock, DenseBlocksOfEverySize)
{
  for (PetscInt b = 1; b <= compiled_blocks; b++) EXPECT_EQ(find_block(blocks(36, 36, b, {-6, -1, 0, 1, 6}).csr()), b) << "block size " << b;
}

TEST(FindBlock, ScalarPatternsHaveNone)
{
  EXPECT_EQ(find_block(make(60, 60, [](PetscInt i, PetscInt j) { return i == j || j == i + 1 || j == i - 5; }).csr()), 1);
  EXPECT_EQ(find_block(make(60, 60, [](PetscInt i, PetscInt j) { return i == j; }).csr()), 1);
  EXPECT_EQ(find_block(make(0, 0, [](PetscInt, PetscInt) { return true; }).csr()), 1);
}

TEST(FindBlock, InactiveCellsDoNotSpeakAgainstIt)
{
  const auto A = make(3 * 100, 3 * 100, [](PetscInt i, PetscInt j) {
    const PetscInt c = i / 3, d = j / 3;
    return c % 4 == 1 || d % 4 == 1 ? i == j : std::abs(c - d) <= 1;
  });
  EXPECT_EQ(find_block(A.csr()), 3);
}

TEST(FindBlock, RowsThatItDoesNotDivide)
{
  const auto A = make(3 * 20 + 1, 3 * 20 + 1, [](PetscInt i, PetscInt j) { return i / 3 == j / 3; });
  EXPECT_EQ(find_block(A.csr()), 1);
}

TEST(FindBlock, DenseCells)
{
  auto       A       = make(18, 18, [](PetscInt i, PetscInt j) {
    return i < 3 ? j < 6 : i < 6 ? j < 6 && !(i == 5 && j == 5) : i < 9 ? j >= 4 && j < 7 : i < 12 ? j >= 3 && j < 9 : i == 13;
  });
  const bool dense[] = {true, false, false, true, false, false}; /* two blocks; an entry less; not aligned; two blocks; a row alone; no entry */

  for (PetscInt cell = 0; cell < 6; cell++) EXPECT_EQ(is_dense_cell(A.csr(), cell, 3), dense[cell]) << "cell " << cell;
  A.col[A.ptr[10]] = 0; /* another column in one of its rows */
  EXPECT_FALSE(is_dense_cell(A.csr(), 3, 3));
}

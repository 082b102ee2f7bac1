/*
   Whether a pair of diagonals is that of a symmetric matrix, as the kernel that compares them finds it row by row.
*/
#include "mat/bdiagh/fused/symmetric.hpp"

namespace
{

/* A pair of n rows: A(row, row - offset) and A(row - offset, row) are the same where both are in the matrix */
struct Pair {
  int    n, offset;
  Vector lower, upper;

  Pair(int n, int offset) : n(n), offset(offset), lower(n, Scalar(-99)), upper(n, Scalar(99))
  {
    for (int row = offset; row < n; row++) lower[row] = upper[row - offset] = Scalar(1) / Scalar(3. + row);
  }
  int differing() const
  {
    int rows = 0;

    for (int row = 0; row < n; row++) rows += bdiagh_pair_differs({lower.data(), upper.data(), offset}, row);
    return rows;
  }
};

TEST(SymmetricPairs, SameValues)
{
  for (int n : {1, 31, 32, 33, 100})
    for (int offset : {1, 5, 31, 32, 99, 100, 200}) EXPECT_EQ(Pair(n, offset).differing(), 0) << n << " rows, offset " << offset;
}

TEST(SymmetricPairs, OneBitDiffers)
{
  for (int offset : {1, 5, 32})
    for (int row : {offset, 50, 99}) {
      Pair p(100, offset);

      p.lower[row] *= Scalar(1) + std::numeric_limits<PetscReal>::epsilon();
      EXPECT_EQ(p.differing(), 1) << "row " << row << ", offset " << offset;
    }
}

TEST(SymmetricPairs, NoNumberDiffersFromItself)
{
  Pair p(40, 7);

  p.lower[20] = p.upper[13] = std::numeric_limits<PetscReal>::quiet_NaN();
  EXPECT_EQ(p.differing(), 1);
}

} // namespace

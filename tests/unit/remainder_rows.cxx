/*
   The remainder of a row found from its number.
*/
#include "pass/remainder_rows.hpp"

namespace
{

TEST(Remainder, RowsAreFoundFromTheirNumbers)
{
  const int     rows[] = {0, 31, 32, 63, 95}, ptr[] = {0, 1, 3, 3, 4, 6}, col[] = {5, 0, 1, 2, 3, 4};
  const Scalar  values[] = {1, 2, 3, 4, 5, 6}, x[] = {1, 10, 100, 1000, 10000, 100000};
  std::uint32_t mask[3] = {};
  int           base[3] = {0, 2, 4};
  RemainderRows R;
  Vector        expected(96, 0);

  for (int r : rows) mask[r / 32] |= std::uint32_t(1) << r % 32;
  R.mask   = mask;
  R.base   = base;
  R.ptr    = ptr;
  R.col    = col;
  R.values = values;
  for (int k = 0; k < 5; k++)
    for (int p = ptr[k]; p < ptr[k + 1]; p++) expected[rows[k]] += values[p] * x[col[p]];
  for (int r = 0; r < 96; r++) EXPECT_EQ(remainder_row(R, x, r), expected[r]) << "row " << r;
  EXPECT_EQ(remainder_row(RemainderRows(), x, 0), Scalar(0));
}

} // namespace

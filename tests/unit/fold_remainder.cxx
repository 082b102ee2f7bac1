/*
   A remainder scaled by a preconditioner against products by the definition: by points, and by blocks where it has whole ones, which in_whole_blocks() finds out.
*/
#include "device/with_block.hpp"
#include "mat/csr/remainder_scaling.hpp"
#include "mat/csr/whole_blocks.hpp"
#include "scaled.hpp"

namespace
{

const double tolerance = 500 * std::numeric_limits<Scalar>::epsilon();

/* Rows of these cells, each coupled to one cell more than the one before it: cell 0 has none, the last row of all is among them */
struct Case {
  static constexpr int cells = 35;
  int                  b;
  std::vector<int>     row, first = {0}, column;
  Vector               values;

  explicit Case(int block) : b(block)
  {
    const int with[] = {1, 7, 8, cells - 1};

    for (int k = 0; k < 4; k++)
      for (int i = 0; i < b; i++) {
        row.push_back(with[k] * b + i);
        for (int c = 0; c <= k; c++)
          for (int s = 0; s < b; s++) column.push_back((5 * c + k) * b + s);
        first.push_back(static_cast<int>(column.size()));
      }
    for (std::size_t p = 0; p < column.size(); p++) values.push_back(Scalar(0.25 + 0.0625 * ((11 * p) % 17)));
  }
  bool whole(int size) const
  {
    return in_whole_blocks(row, first, column, size, [&](int c) { return c % size; });
  }
  double stored(int i, int j) const
  {
    for (std::size_t k = 0; k < row.size(); k++)
      for (int p = first[k]; p < first[k + 1] && row[k] == i; p++)
        if (column[p] == j) return values[p];
    return 0;
  }
};

TEST(FoldRemainder, EverySideAndBlockSize)
{
  for (int b : {1, 2, 3, 5, 8, 17})
    for (FusedSide side : {FusedSide::left, FusedSide::right, FusedSide::both})
      for (bool points : {true, false}) {
        if (side == FusedSide::both && !points) continue;
        const Case                 C(b);
        const int                  rows = Case::cells * b;
        std::vector<std::uint32_t> mask((rows + 31) / 32, 0);
        std::vector<int>           base(mask.size(), 0);
        Vector                     inverse, out(C.values.size(), Scalar(NAN));
        FusedScaling               F;

        for (int r : C.row) mask[r / 32] |= 1u << r % 32;
        for (std::size_t w = 1; w < mask.size(); w++) base[w] = base[w - 1] + count_bits(mask[w - 1]);
        const RemainderRows R = {mask.data(), base.data(), C.first.data(), C.column.data(), C.values.data(), 4 * b, b};
        F.side                = side;
        F.block               = points ? 1 : b;
        F.ld                  = static_cast<std::size_t>(rows) + 3;
        inverse.assign(F.ld * F.block, Scalar(NAN)); /* behind the rows nothing is read */
        for (int s = 0; s < F.block; s++)
          for (int i = 0; i < rows; i++) inverse[s * F.ld + i] = Scalar(0.5 + 0.03125 * ((7 * i + 3 * s) % 11));
        F.inverse = inverse.data();
        ASSERT_TRUE(remainder_scales(R, F, b));
        for (bool known : {true, false}) { /* the block size, to the compiler */
          out.assign(out.size(), Scalar(NAN));
          with_block(b, [&](auto B) {
            for (int row = 0; row < rows; row++) {
              if (known) fold_remainder_row<B()>(R, F, row, out.data());
              else fold_remainder_row<0>(R, F, row, out.data());
            }
          });
          for (std::size_t k = 0; k < C.row.size(); k++)
            for (int p = C.first[k]; p < C.first[k + 1]; p++)
              ASSERT_NEAR(out[p],
                          scaled_entry(
                            F, [&](long i, long j) { return C.stored(i, j); }, C.row[k], C.column[p]),
                          tolerance)
                << "b " << b << " side " << static_cast<int>(side) << " points " << points << " row " << C.row[k] << " entry " << p;
        }
      }
}

TEST(FoldRemainder, WholeBlocksAreFound)
{
  const Case C(3);

  EXPECT_TRUE(C.whole(3));
  EXPECT_TRUE(C.whole(1));
  EXPECT_FALSE(C.whole(2));
  EXPECT_FALSE(C.whole(9));
  EXPECT_TRUE(Case(4).whole(2));
  for (int wrong = 0; wrong < 6; wrong++) {
    Case D = C;

    if (wrong == 0) D.column[4]++;                         /* another column in the second row of a cell */
    if (wrong == 1) D.row[4]++, D.row[5]++;                /* rows of a cell that do not follow each other */
    if (wrong == 2) D.row.pop_back(), D.first.pop_back();  /* a cell without its last row */
    if (wrong == 3) D.column.pop_back(), D.first.back()--; /* a row with an entry less */
    if (wrong == 4) std::swap(D.column[0], D.column[1]);   /* columns in another order */
    if (wrong == 5)
      for (int p = 0; p < D.first[3]; p++) D.column[p]++; /* columns that do not begin with a cell's first */
    EXPECT_FALSE(D.whole(3)) << wrong;
  }
  const std::uint32_t mask = 1;
  const RemainderRows R    = {&mask, nullptr, nullptr, nullptr, nullptr, 0, 1};
  FusedScaling        F;

  F.block = 3;
  EXPECT_FALSE(remainder_scales(R, F, 3));
  EXPECT_TRUE(remainder_scales(RemainderRows(), F, 3));
  F.block = 1;
  EXPECT_TRUE(remainder_scales(R, F, 3));
}

} // namespace

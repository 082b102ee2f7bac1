/*
   The remainder of a block of a persistent kernel, and of the rows of a warp: every way to cut rows into blocks and windows, rows of any length, against plain sums. Longer than 250 lines: the cases
   have the list of rows and the windows in common.
*/
#include "mat/csr/remainder_share.hpp"
#include "mat/bdiagh/fused/persistent_remainder.hpp"
#include <set>

namespace
{

struct List {
  std::vector<int> row, ptr = {0}, col;
  Vector           values;
};

/* length(row) entries in each of n rows, columns drawn without repeats */
template <class Length>
List list_of(int n, Length &&length)
{
  std::mt19937                           engine(11);
  std::uniform_real_distribution<double> value(-1, 1);
  std::uniform_int_distribution<int>     column(0, n - 1);
  List                                   L;

  for (int row = 0; row < n; row++) {
    std::set<int> columns;
    while (static_cast<int>(columns.size()) < length(row)) columns.insert(column(engine));
    if (columns.empty()) continue;
    L.row.push_back(row);
    for (int c : columns) {
      L.col.push_back(c);
      L.values.push_back(static_cast<Scalar>(value(engine)));
    }
    L.ptr.push_back(static_cast<int>(L.col.size()));
  }
  return L;
}

/* All blocks but the last with `chunk` rows, and so many columns more on either side */
BdiaghWindow even(int n, int chunk, int below, int above)
{
  return {bdiagh_even_cut(n, chunk), below, above};
}
/* Blocks at the ends with half as many rows, where others need the first `below` and the last `above` rows */
BdiaghWindow ends(int n, int blocks, int below, int above)
{
  const int       chunk = (n + blocks - 1) / blocks;
  const BdiaghCut cut   = bdiagh_cut(n, blocks, 16, below, above, chunk / 2, n);

  EXPECT_EQ(cut.low > 0, below > 0);
  EXPECT_EQ(cut.high > 0, above > 0);
  return {cut, 24, 40};
}

/* The window of block b of x, with the extra columns behind the longest of all; what lies outside the matrix is zero, and nothing may be read between */
Vector window_of(const BdiaghRemainderPlan &P, int b, const Vector &x)
{
  const BdiaghWindow &w = P.window;
  Vector              u;

  for (int c = w.cut.first(b) - w.below; c < w.cut.first(b + 1) + w.above; c++) u.push_back(c >= 0 && c < w.cut.rows ? x[c] : 0);
  u.resize(w.extras(), std::numeric_limits<Scalar>::quiet_NaN());
  for (int e = P.extra[b]; e < P.extra[b + 1]; e++) u.push_back(x[P.extra_col[e]]);
  return u;
}

/* What the warps of a block leave in sums[] */
void sum_pieces(const BdiaghBlockRemainder &B, const Vector &window)
{
  for (int piece = 0; piece < B.pieces; piece++) {
    Scalar lane[32], other[32];

    for (int l = 0; l < 32; l++) lane[l] = bdiagh_piece_share(B, window.data(), piece, l);
    for (int d = 16; d > 0; d /= 2) {
      std::copy(lane, lane + 32, other);
      for (int l = 0; l < 32; l++) lane[l] += other[l ^ d];
    }
    B.sums[piece] = lane[0];
  }
}

BdiaghPersistentRemainder view_of(const BdiaghRemainderPlan &P, const List &L, bool kept)
{
  return {L.row.data(),
          P.list.data(),
          P.piece.data(),
          P.extra.data(),
          P.row_ptr.data(),
          P.row_piece.data(),
          P.piece_ptr.data(),
          P.extra_col.data(),
          P.place.data(),
          P.exported.data(),
          P.exported_before.data(),
          P.extra_number.data(),
          L.values.data(),
          P.most,
          P.exported_rows,
          kept ? P.most.entries : 0};
}

/* All rows by all blocks against plain sums; a row without remainder must not be found */
void check(const List &L, const BdiaghWindow &w, int threads, bool kept)
{
  const BdiaghRemainderPlan       P = bdiagh_plan_remainder(w, L.row, L.ptr, L.col);
  const BdiaghPersistentRemainder R = view_of(P, L, kept);
  Vector                          x, memory(bdiagh_remainder_bytes(P.most, R.kept) / sizeof(Scalar), std::numeric_limits<Scalar>::quiet_NaN());
  std::size_t                     k = 0;

  for (int c = 0; c < w.cut.rows; c++) x.push_back(static_cast<Scalar>(std::sin(1.0 + c)));
  for (int b = 0; b < w.cut.blocks; b++) {
    const Vector         u     = window_of(P, b, x);
    const int            start = w.cut.first(b), rows = w.cut.first(b + 1) - start;
    BdiaghBlockRemainder B = {};

    EXPECT_LE(static_cast<int>(u.size()), w.extras() + P.most.extras);
    std::fill(memory.begin(), memory.end(), std::numeric_limits<Scalar>::quiet_NaN());
    for (int t = threads - 1; t >= 0; t--) B = bdiagh_load_remainder(R, b, start, memory.data(), t, threads);
    sum_pieces(B, u);
    std::vector<unsigned> with;
    for (int t = 0; t < threads; t++) with.push_back(bdiagh_rows_with_remainder(B, t, threads));
    for (int l = 0; l < rows; l++) {
      const bool has = k < L.row.size() && L.row[k] == start + l;
      double     sum = 0, size = 0;

      ASSERT_EQ(with[l % threads] >> l / threads & 1, has ? 1u : 0u) << "block " << b << " row " << l;
      if (!has) continue;
      for (int p = L.ptr[k]; p < L.ptr[k + 1]; p++) {
        EXPECT_EQ(u[P.place[p]], x[L.col[p]]) << "entry " << p;
        sum += static_cast<double>(L.values[p]) * x[L.col[p]];
        size += std::abs(static_cast<double>(L.values[p]) * x[L.col[p]]);
      }
      EXPECT_NEAR(bdiagh_remainder_of_row(B, u.data(), l), sum, 64 * size * std::numeric_limits<Scalar>::epsilon()) << "block " << b << " row " << l;
      k++;
    }
  }
  EXPECT_EQ(k, L.row.size());
}

/* The rows that are to be left for other blocks: those outside the window of some block that has an entry there */
void check_wanted(const List &L, const BdiaghWindow &w, int threads)
{
  const BdiaghRemainderPlan P = bdiagh_plan_remainder(w, L.row, L.ptr, L.col);
  std::set<int>             expected, found;

  for (std::size_t k = 0; k < L.row.size(); k++) {
    const int block = w.cut.block_of(L.row[k]), lo = w.cut.first(block) - w.below, hi = w.cut.first(block + 1) + w.above;
    for (int p = L.ptr[k]; p < L.ptr[k + 1]; p++)
      if (L.col[p] < lo || L.col[p] >= hi) expected.insert(L.col[p]);
  }
  for (int b = 0; b < w.cut.blocks; b++)
    for (int t = 0; t < threads; t++) {
      const int      start = w.cut.first(b);
      const unsigned mine  = bdiagh_exported_rows<17>(P.exported.data(), start, w.cut.first(b + 1) - start, t, threads);
      for (int q = 0; q < 17; q++) {
        if (!(mine >> q & 1)) continue;
        EXPECT_TRUE(found.insert(start + t + q * threads).second);
      }
    }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(P.exported_rows, static_cast<int>(expected.size()));
  for (const int row : expected)
    EXPECT_EQ(bdiagh_exported_index(P.exported.data(), P.exported_before.data(), row), static_cast<int>(std::distance(expected.begin(), expected.find(row))));
  ASSERT_EQ(P.extra_number.size(), P.extra_col.size());
  for (std::size_t e = 0; e < P.extra_col.size(); e++)
    EXPECT_EQ(P.extra_number[e], static_cast<int>(std::distance(expected.begin(), expected.find(P.extra_col[e]))));
}

TEST(PersistentRemainder, RowsThatOtherBlocksWant)
{
  for (int n : {255, 256, 257, 1999})
    for (int chunk : {128, 144, 512})
      for (int side : {0, 31, 200}) check_wanted(list_of(n, [](int row) { return row % 37 == 0 ? 1 + row % 11 : 0; }), even(n, chunk, side, side), 32);
}

/* As where several processes have the matrix: fewer rows in the blocks at the ends, and blocks without any before the last ones */
TEST(PersistentRemainder, FewerRowsAtTheEnds)
{
  const int  n = 2300, lengths[] = {1, 4, 5, 31, 129, 257};
  const auto L = list_of(n, [&](int row) { return row % 61 == 0 || row == n - 1 ? lengths[row / 61 % 6] : 0; });

  for (int blocks : {5, 8, 17})
    for (int below : {0, 1, 300})
      for (int above : {1, 200}) {
        check(L, ends(n, blocks, below, above), 64, blocks == 8);
        check_wanted(L, ends(n, blocks, below, above), 64);
      }
  const BdiaghCut few = {700, 6, 160, 96, 2, 2}; /* of the two in the middle the last has 156 rows; of the three below it has none */
  check(list_of(700, [](int row) { return row % 31 == 0 ? 3 : 0; }), {few, 8, 8}, 32, true);
  const BdiaghCut none = {544, 7, 160, 96, 2, 2};
  check(list_of(544, [](int row) { return row % 31 == 0 ? 3 : 0; }), {none, 8, 8}, 32, true);
}

TEST(PersistentRemainder, RowsOfEveryLength)
{
  const int  n = 2300, lengths[] = {1, 4, 5, 31, 32, 33, 127, 128, 129, 255, 256, 257, 640, 2000};
  const auto L = list_of(n, [&](int row) { return row % 97 == 0 ? lengths[row / 97 % 14] : 0; });

  for (int chunk : {128, 144, 1024, 2304})
    for (bool kept : {false, true}) check(L, even(n, chunk, 17, 40), 288, kept);
}

TEST(PersistentRemainder, FirstAndLastRowsOfBlocks)
{
  const int  n = 1000;
  const auto L = list_of(n, [](int row) { return row % 128 == 0 || row % 128 == 127 || row == 999 ? 1 + row % 7 : 0; });

  for (int side : {0, 1, 127, 128, 300}) check(L, even(n, 128, side, side), 32, true);
}

TEST(PersistentRemainder, BlocksWithoutAny)
{
  const auto L = list_of(900, [](int row) { return row == 300 ? 5 : 0; });
  const auto P = bdiagh_plan_remainder(even(900, 128, 0, 0), L.row, L.ptr, L.col);

  check(L, even(900, 128, 0, 0), 128, true);
  for (int b = 0; b < 8; b++) EXPECT_EQ(P.piece[b + 1] - P.piece[b], b == 2 ? 1 : 0) << "block " << b;
}

TEST(PersistentRemainder, EveryRowHasSome)
{
  check(list_of(500, [](int) { return 3; }), even(500, 128, 5, 5), 64, true);
}

TEST(PersistentRemainder, ColumnsOfTheWindowAreNotExtra)
{
  List L;

  L.row        = {130};
  L.col        = {0, 119, 120, 128, 256, 263, 264, 511};
  L.ptr        = {0, 8};
  L.values     = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto P = bdiagh_plan_remainder(even(512, 128, 8, 8), L.row, L.ptr, L.col);
  EXPECT_EQ(P.extra_col, (std::vector<int>{0, 119, 264, 511}));
  EXPECT_EQ(P.place, (std::vector<int>{144, 145, 0, 8, 136, 143, 146, 147}));
}

TEST(Remainder, RowsAreSharedByLanes)
{
  const auto    L = list_of(700, [](int row) { return row % 50 == 0 ? row / 2 : 0; });
  Vector        x;
  RemainderRows R;

  for (int c = 0; c < 700; c++) x.push_back(static_cast<Scalar>(std::cos(2.0 * c)));
  R.ptr    = L.ptr.data();
  R.col    = L.col.data();
  R.values = L.values.data();
  for (int k = 0; k < static_cast<int>(L.row.size()); k++)
    for (int lanes = 1; lanes <= 32; lanes *= 2) {
      double sum = 0, expected = 0;
      for (int lane = 0; lane < lanes; lane++) sum += remainder_share(R, x, k, lane, lanes);
      for (int p = L.ptr[k]; p < L.ptr[k + 1]; p++) expected += static_cast<double>(L.values[p]) * x[L.col[p]];
      EXPECT_NEAR(sum, expected, 700 * std::numeric_limits<Scalar>::epsilon()) << "row " << k << " lanes " << lanes;
    }
}

/* Rows of a well and the short ones of a fault; so many that a product's own warps form the sums instead */
TEST(Remainder, LanesOfSumsFormedFirst)
{
  EXPECT_EQ(remainder_sum_lanes(252, 252 * 192), 32);
  EXPECT_EQ(remainder_sum_lanes(252, 252 * 1000), 32);
  EXPECT_EQ(remainder_sum_lanes(100, 500), 2);
  EXPECT_EQ(remainder_sum_lanes(100, 400), 1);
  EXPECT_EQ(remainder_sum_lanes(1, 0), 1);
  EXPECT_TRUE(remainder_sums_pay(252, 32));
  EXPECT_TRUE(remainder_sums_pay(4096, 32));
  EXPECT_FALSE(remainder_sums_pay(4097, 32));
}

TEST(Remainder, AllRowsOfAWarpHaveLanes)
{
  for (int lanes = 1; lanes <= 32; lanes++)
    for (int rows = 1; rows <= lanes; rows++) {
      const int each = remainder_lanes(rows, lanes);
      EXPECT_EQ(each & (each - 1), 0);
      EXPECT_TRUE(each * rows <= lanes && 2 * each * rows > lanes) << rows << " rows, " << lanes << " lanes";
    }
}

} // namespace

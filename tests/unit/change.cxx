/*
   Values moved by runs of rows as by their places one by one, and scaled by rows and columns: by the executors of the host and by the rows
   that the device takes, as compressed rows are.
*/
#include "mat/values/value_runs.hpp"
#include "mat/bdiagh/format/change.hpp"
#include "mat/sellp/format/change.hpp"
#include "sellp_slices.hpp"
#include "stored.hpp"

namespace
{

/* Patterns with runs of all lengths: grids, holes, rows without entries, long rows, rectangles */
std::vector<Matrix> patterns()
{
  std::mt19937 random(3);

  return {
    blocks(100, 100, 1, {-10, -1, 0, 1, 10}),
    blocks(70, 70, 3, {-7, -1, 0, 1, 7}),
    blocks(40, 60, 4, {-3, 0, 2}),
    make(150, 150, [&](PetscInt i, PetscInt j) { return i % 7 != 3 && (i == j || random() % 20 == 0); }),
    make(60, 300, [&](PetscInt i, PetscInt j) { return i == 20 || (i % 3 && random() % 40 == 0 && j > i); }),
    make(0, 5, [](PetscInt, PetscInt) { return true; }),
    make(5, 5, [](PetscInt, PetscInt) { return false; }),
  };
}

/* Some rows, among them empty ones, as many as every `step`th from `first` on: their places and no others are written */
void expect_rows(const Matrix &M, const std::vector<std::int64_t> &slot, std::size_t places, PetscInt first, PetscInt step)
{
  const ValueRuns           R(M.csr(), slot.data());
  Vector                    values(places, 5), expected(places, 5), value;
  std::vector<PetscInt>     rows;
  std::vector<std::int64_t> place, expected_place;

  for (PetscInt row = first; row < M.rows; row += step) {
    rows.push_back(row);
    for (PetscInt k = M.ptr[row]; k < M.ptr[row + 1]; k++) {
      const auto entry                                = static_cast<std::size_t>(k);
      expected[static_cast<std::size_t>(slot[entry])] = M.a[entry];
      expected_place.push_back(slot[entry]);
    }
  }
  R.FillRows(rows, M.a.data(), values.data());
  EXPECT_EQ(values, expected) << "every " << step << " from " << first;
  R.ListRows(rows, M.a.data(), place, value);
  EXPECT_EQ(place, expected_place);
  for (std::size_t k = 0; k < place.size(); k++) EXPECT_EQ(value[k], expected[static_cast<std::size_t>(place[k])]);
}

/* Runs give what the places give */
void expect_runs(const Matrix &M, const std::vector<std::int64_t> &slot, std::size_t places)
{
  const ValueRuns R(M.csr(), slot.data());
  Vector          values(places, 5), expected(places, 5), back(M.a.size());

  ASSERT_TRUE(R.Usable());
  for (std::size_t k = 0; k < slot.size(); k++) expected[static_cast<std::size_t>(slot[k])] = M.a[k];
  R.Fill(M.a.data(), values.data());
  EXPECT_EQ(values, expected);
  R.Extract(values.data(), back.data());
  EXPECT_EQ(back, M.a);
  for (std::size_t k = 0; k < slot.size(); k++) expected[static_cast<std::size_t>(slot[k])] += Scalar(0.25) * M.a[k];
  R.Add(Scalar(0.25), M.a.data(), values.data());
  EXPECT_EQ(values, expected);
  for (PetscInt row = 0; row < M.rows; row++) {
    std::vector<std::int64_t> place;

    R.PlacesOf(row, place);
    EXPECT_EQ(place, std::vector<std::int64_t>(slot.begin() + M.ptr[row], slot.begin() + M.ptr[row + 1])) << "row " << row;
    for (PetscInt k = 0; k < M.ptr[row + 1] - M.ptr[row]; k++) EXPECT_EQ(R.Place(row, k), slot[static_cast<std::size_t>(M.ptr[row] + k)]);
  }
  for (PetscInt step : {1, 2, 3, 11, 1000})
    for (PetscInt first : {0, 5}) expect_rows(M, slot, places, first, step);
  const ValueRunsView view = R.View();
  for (PetscInt e = 0; e < M.csr().nnz(); e++) { /* as a kernel finds them, among all runs and among those of its neighbours */
    const std::size_t run = run_of_entry(view, e, 0, view.count - 1);

    EXPECT_EQ(place_in_run(view, run, e), slot[static_cast<std::size_t>(e)]) << "entry " << e;
    EXPECT_EQ(run_of_entry(view, e, run, std::min(run + 1, view.count - 1)), run);
    EXPECT_EQ(run_of_entry(view, e, run ? run - 1 : 0, run), run);
  }
}

/* Places told one after the other make the same runs as a list of them */
template <class F>
void expect_told(const Matrix &M, const std::vector<std::int64_t> &slot, F places)
{
  const ValueRuns     listed(M.csr(), slot.data());
  const ValueRunsView L = listed.View();
  const Csr           P = M.csr();
  ValueRuns           told;

  {
    ValueRunsMaker maker(P, &told);
    places(P, &maker);
  }
  const ValueRunsView T = told.View();
  EXPECT_EQ(told.Usable(), listed.Usable());
  ASSERT_EQ(T.count, L.count);
  ASSERT_EQ(told.NumShapes(), listed.NumShapes());
  EXPECT_TRUE(std::equal(T.shapes, T.shapes + told.NumShapes(), L.shapes));
  for (std::size_t k = 0; k < T.count; k++) {
    const ValueRun &t = T.runs[k], &l = L.runs[k];

    EXPECT_TRUE(t.row == l.row && t.rows == l.rows && t.first == l.first && t.width == l.width && t.base == l.base && t.shape == l.shape) << "run " << k;
  }
}

/* Slices of all kinds */
std::vector<SellpLimits> slice_limits()
{
  std::vector<SellpLimits> all(6);

  all[1].slice    = 8;
  all[1].window   = 64;
  all[2].slice    = 16;
  all[3].index    = 32;
  all[4].index    = 16;
  all[4].long_row = 6;
  all[5].slice    = -1;
  return all;
}

/* values(i, j) l(i) r(j) in compressed rows; l, r may be null */
Vector scaled_rows(const Matrix &M, const Scalar *l, const Scalar *r)
{
  Vector a = M.a;

  for (PetscInt i = 0; i < M.rows; i++)
    for (PetscInt k = M.ptr[i]; k < M.ptr[i + 1]; k++) a[k] = a[k] * (l ? l[i] : 1) * (r ? r[M.col[k]] : 1);
  return a;
}

} // namespace

TEST(Change, RunsOfBlockDiagonals)
{
  for (const Matrix &M : patterns())
    for (PetscInt b : {0, 1}) {
      BdiaghLimits limits;
      limits.block                = b;
      const auto                L = bdiagh_find_layout(M.csr(), 1, false, limits);
      std::vector<std::int64_t> slot(M.a.size());

      L.slots(M.csr(), slot.data());
      expect_runs(M, slot, L.values());
      expect_told(M, slot, [&](const Csr &P, ValueRunsMaker *maker) { L.places(P, maker); });
    }
}

TEST(Change, RunsOfSlices)
{
  for (const Matrix &M : patterns())
    for (const SellpLimits &limits : slice_limits()) {
      const auto                L = sellp_find_layout(M.csr(), 1, false, limits);
      std::vector<std::int64_t> slot(M.a.size());

      L.slots(M.csr(), slot.data());
      expect_runs(M, slot, L.values());
      expect_told(M, slot, [&](const Csr &P, ValueRunsMaker *maker) { L.places(P, maker); });
    }
}

TEST(Change, RunsAreLongWherePatternsAreRegular)
{
  const Matrix              M = blocks(1000, 1000, 3, {-1, 0, 1});
  const auto                L = bdiagh_find_layout(M.csr(), 3, false, {});
  std::vector<std::int64_t> slot(M.a.size());

  L.slots(M.csr(), slot.data());
  EXPECT_EQ(ValueRuns(M.csr(), slot.data()).NumRuns(), 3u);
  EXPECT_TRUE(ValueRuns(M.csr(), slot.data()).Short());
}

TEST(Change, RunsAreNotShortWhereEachRowIsAnother)
{
  std::mt19937              random(5);
  const Matrix              M = make(300, 300, [&](PetscInt, PetscInt) { return random() % 40 == 0; });
  const auto                L = sellp_find_layout(M.csr(), 1, false, {});
  std::vector<std::int64_t> slot(M.a.size());

  L.slots(M.csr(), slot.data());
  EXPECT_FALSE(ValueRuns(M.csr(), slot.data()).Short());
}

TEST(Change, EntriesThatShareAPlace)
{
  const Matrix              M    = blocks(4, 4, 1, {0, 1});
  std::vector<std::int64_t> slot = {0, 1, 2, 2, 4, 5, 6};

  EXPECT_FALSE(ValueRuns(M.csr(), slot.data()).Usable());
}

TEST(Change, ScaledBlockDiagonals)
{
  for (PetscInt b : {1, 2, 3, 4, 5, 8, 17}) {
    const Stored S(blocks(30, 30, b, {-6, -1, 0, 1, 6}), b);
    const Vector l = random_vector(S.A.rows, 1), r = random_vector(S.A.cols, 2);

    for (int which = 0; which < 3; which++) {
      const Scalar *left = which == 1 ? nullptr : l.data(), *right = which == 2 ? nullptr : r.data();
      Vector        host = S.values, rows = S.values, expected(S.values.size());

      bdiagh_fill(S.L, S.A.csr(), scaled_rows(S.A, left, right).data(), expected.data());
      bdiagh_scale_host(S.D, host.data(), left, right);
      for (int row = 0; row < S.D.rows; row++) bdiagh_scale_row<0>(S.D, rows.data(), left, right, row);
      EXPECT_EQ(host, expected) << "block size " << b;
      EXPECT_EQ(rows, expected) << "block size " << b;
    }
  }
}

TEST(Change, ScaledSlices)
{
  for (const Matrix &M : patterns())
    for (const SellpLimits &limits : slice_limits()) {
      const auto   L = sellp_find_layout(M.csr(), 1, false, limits);
      const Vector l = random_vector(M.rows, 1), r = random_vector(M.cols, 2);
      Vector       values(L.values()), expected(L.values());

      sellp_fill(L, M.csr(), M.a.data(), values.data());
      sellp_fill(L, M.csr(), scaled_rows(M, l.data(), r.data()).data(), expected.data());
      for (std::size_t k = L.format_values(); k < expected.size(); k++) expected[k] = values[k]; /* the rows put aside are not the slices' */
      Vector            host = values, rows = values;
      const SellpSlices S = slices_of(L, values);

      sellp_scale_host(S, host.data(), l.data(), r.data());
      for (int slice = 0; slice < L.slices; slice++)
        for (int k = 0; k < L.slice * L.block; k++)
          if (slice * L.slice + k / L.block < L.cells) sellp_scale_row<0>(S, rows.data(), l.data(), r.data(), slice, k);
      EXPECT_EQ(host, expected);
      EXPECT_EQ(rows, expected);
    }
}

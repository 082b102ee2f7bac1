/*
   Runs of repeated entries: which lists have them, and the sums that the loops of host and device form from them.
*/
#include "mat/coo/rows.hpp"
#include "mat/coo/runs.hpp"

namespace
{

/* Entries by the slot of each, -1: of no slot */
struct List {
  std::vector<int>      slot; /* of every place of the pattern: a permutation */
  std::vector<PetscInt> place;

  void add(std::size_t v) { place.push_back(static_cast<PetscInt>(std::find(slot.begin(), slot.end(), static_cast<int>(v)) - slot.begin())); }
};

/* Every slot has a place, in an order of its own */
List empty_list(std::size_t values, std::mt19937 &random)
{
  List l;

  for (std::size_t v = 0; v < values; v++) l.slot.push_back(static_cast<int>(v));
  std::shuffle(l.slot.begin(), l.slot.end(), random);
  return l;
}

/*
   Groups 0, 1, ... some times each, in runs with that step: step 1: slot by slot; otherwise as many groups beside each other as the step says. times(g): runs of group g.
   Slots beyond the groups and entries of no slot lie in between.
*/
template <class Times>
List make_list(const SlotShape &S, std::size_t values, std::size_t step, Times &&times, std::mt19937 &random)
{
  List        l      = empty_list(values, random);
  std::size_t beyond = S.in_groups();

  for (int turn = 0; turn < 4; turn++)
    for (std::size_t g = 0; g < S.columns * S.stride; g += step) {
      for (std::size_t s = 0; s < S.width; s++)
        for (std::size_t h = g; h < g + step; h++) {
          if (h < S.columns * S.stride && times(h) > turn) l.add((h / S.stride * S.width + s) * S.stride + h % S.stride);
          else l.place.push_back(-1);
        }
      if (beyond < values) l.add(beyond++);
    }
  for (; beyond < values; beyond++) l.add(beyond);
  return l;
}

/* The sums of all slots as the host forms them, or the device with so many places beside each other */
template <int PLACES>
Vector sums(const SlotShape &S, std::size_t values, const std::vector<int> &begin, const std::vector<int> &run, std::size_t step, const Scalar v[])
{
  Vector               z(values, Scalar(-7));
  const CooPlainSource source{v};
  const int            width  = static_cast<int>(S.width);
  const std::size_t    groups = S.columns * S.stride;

  for (std::size_t g = 0; g < groups; g++)
    for (int s = 0; s < width; s += PLACES)
      coo_sum<false, PLACES>(z.data() + g / S.stride * S.stride * S.width + g % S.stride, s, width, S.stride, begin[g], begin[g + 1], run.data(), step, source);
  for (std::size_t g = groups; g + 1 < begin.size(); g++)
    coo_sum<false, 1>(z.data() + S.in_groups() + (g - groups), 0, 1, 0, begin[g], begin[g + 1], run.data(), 0, source);
  return z;
}

/* Both forms add what every entry brings, in order; slots without entry stay */
void check_sums(const SlotShape &S, const List &l, const std::vector<int> &begin, const std::vector<int> &run, std::size_t step)
{
  Vector v, expected(l.slot.size(), Scalar(-7));

  for (std::size_t k = 0; k < l.place.size(); k++) v.push_back(Scalar(1) / Scalar(3. + k));
  for (std::size_t k = 0; k < l.place.size(); k++) {
    if (l.place[k] < 0) continue;
    Scalar &e = expected[l.slot[l.place[k]]];
    e         = e == Scalar(-7) ? v[k] : e + v[k];
  }
  EXPECT_EQ(sums<1>(S, expected.size(), begin, run, step, v.data()), expected);
  EXPECT_EQ(sums<4>(S, expected.size(), begin, run, step, v.data()), expected);
}

struct Found {
  std::vector<int> begin, run;
  std::size_t      step = 99;
  bool             runs;
};

Found find(const SlotShape &S, const List &l)
{
  Found f;

  f.runs = sum_runs(S, l.slot.size(), l.slot.data(), l.slot.size(), static_cast<PetscCount>(l.place.size()), l.place.data(), f.begin, f.run, &f.step);
  return f;
}

const SlotShape shapes[] = {
  {1, 1,  1 },
  {3, 5,  1 },
  {1, 7,  3 },
  {4, 33, 3 },
  {2, 32, 8 },
  {3, 31, 5 },
  {2, 3,  17}
};

TEST(CooRuns, RepeatedRunsAreFoundAndSummedInOrder)
{
  std::mt19937 random(1);

  for (const SlotShape &S : shapes)
    for (std::size_t beyond : {0, 1, 40})
      for (std::size_t step : {1, 2, 3}) {
        const List l = make_list(
          S, S.in_groups() + beyond, step, [](std::size_t g) { return static_cast<int>(g * g % 5); }, random); /* 0, 1 or 4 runs */
        const Found f = find(S, l);
        SCOPED_TRACE("columns " + std::to_string(S.columns) + " stride " + std::to_string(S.stride) + " width " + std::to_string(S.width) + " step " +
                     std::to_string(step));
        ASSERT_TRUE(f.runs);
        const auto given = std::count_if(l.place.begin(), l.place.end(), [](PetscInt p) { return p >= 0; });
        EXPECT_EQ(f.run.size(), (static_cast<std::size_t>(given) - beyond) / S.width + beyond);
        if (S.width > 1 && S.columns * S.stride > 1) {
          EXPECT_EQ(f.step, step);
        }
        check_sums(S, l, f.begin, f.run, f.step);
      }
}

TEST(CooRuns, EntriesInNoRunsAreRefused)
{
  std::mt19937    random(2);
  const SlotShape S{2, 33, 3};
  const auto      twice = [](std::size_t) { return 2; };
  const List      good  = make_list(S, S.in_groups() + 5, 1, twice, random);

  ASSERT_TRUE(find(S, good).runs);
  List missing = good, further = good, swapped = good, last_first = good;
  missing.place[1] = -1;                               /* a slot of the first group has one entry, the others two */
  further.add(S.stride * 2);                           /* one more of a group's last slot */
  std::swap(swapped.place[0], swapped.place[4]);       /* of groups 0 and 1, whose entries a slot beyond lies between */
  std::swap(last_first.place[0], last_first.place[2]); /* slots of a group backwards */
  for (const List *l : {&missing, &further, &swapped, &last_first}) {
    EXPECT_FALSE(find(S, *l).runs);
    const SlotShape single{S.columns * S.width, S.stride, 1};
    const Found     f = find(single, *l);
    ASSERT_TRUE(f.runs);
    check_sums(single, *l, f.begin, f.run, f.step);
  }
}

/* A pattern that has the first slots of a group alone, whose places beside them are padding */
TEST(CooRuns, GroupsThatThePatternHasInPartAreRefused)
{
  const SlotShape S{1, 3, 3};

  for (const std::vector<int> &slots : {
         std::vector<int>{0,  3, 6, 1, 4},
         std::vector<int>{1, 4},
         std::vector<int>{0 },
         std::vector<int>{4,  7 }
  }) {
    List l;
    l.slot = slots;
    for (int turn = 0; turn < 2; turn++)
      for (int v : slots) l.add(static_cast<std::size_t>(v));
    std::vector<int> begin, run;
    std::size_t      step;
    EXPECT_FALSE(sum_runs(S, 9, l.slot.data(), l.slot.size(), static_cast<PetscCount>(l.place.size()), l.place.data(), begin, run, &step));
  }
}

TEST(CooRuns, NoGroups)
{
  std::mt19937    random(3);
  const SlotShape S{0, 0, 1};
  List            l = empty_list(9, random);

  for (std::size_t v : {3, 1, 3, 8, 3, 0}) l.add(v);
  const Found f = find(S, l);
  ASSERT_TRUE(f.runs);
  check_sums(S, l, f.begin, f.run, f.step);
}

} // namespace

/*
   How levels of the structured multigrid are divided among processes: slabs without gaps, with the colours of the grid, and the exchanges of a cycle.
*/
#include "pc/gridmg/grid/division.hpp"

namespace
{

/* A grid whose lines run along the last axis, with couplings of these sizes */
GridPlan plan_of(int I, int J, int K, double along_i, double along_j, const GridOptions &options)
{
  GridShape shape;
  GridMeans means;

  const int extent[] = {I, J, K};
  std::copy(extent, extent + 3, shape.extent);
  shape.stride[1]    = static_cast<std::size_t>(I);
  shape.stride[2]    = static_cast<std::size_t>(I) * J;
  const double sum[] = {along_i, along_j, 100};
  std::copy(sum, sum + 3, means.sum);
  std::fill(means.count, means.count + 3, 1.);
  GridPlan plan = grid_plan_levels(shape, options, means);
  grid_plan_steps(options, std::vector<bool>(plan.levels.size(), false), &plan);
  return plan;
}

int exchanges(const GridPlan &plan, const GridDivision &division)
{
  const std::vector<GridStage> stages = grid_divided_stages(plan, division);

  return static_cast<int>(std::count_if(stages.begin(), stages.end(), [](const GridStage &s) { return s.kind == GridStage::exchange; }));
}

TEST(GridDivision, SlabsCoverEachLevelAndKeepColours)
{
  for (int J : {5, 16, 22, 33, 64})
    for (int processes : {2, 3, 4, 7})
      for (double along_i : {1., 30.})
        for (int levels = 1; levels < 4; levels++) {
          const GridPlan plan = plan_of(40, J, 9, along_i, 1, GridOptions());
          GridDivision   division;

          if (!grid_divide(plan, processes, levels, &division).empty()) continue;
          for (int l = 0; l <= levels; l++) {
            int next = 0;

            for (int p = 0; p < division.processes(); p++) {
              const GridRows rows  = division.Rows(plan, l, p);
              const GridPlan slab  = grid_slab_plan(plan, division, p);
              const int      wants = std::min(division.overlap[static_cast<std::size_t>(l)], rows.first);

              EXPECT_EQ(rows.first, next);
              EXPECT_GT(rows.owned, 0);
              EXPECT_EQ(rows.south, wants);
              EXPECT_EQ(slab.levels[static_cast<std::size_t>(l)].J, rows.all());
              if (l < levels) { /* lines have the colours of the grid, aggregates stay whole, and neighbours have all rows that a slab wants of them */
                EXPECT_EQ(rows.offset() % 2, 0);
                EXPECT_GE(division.overlap[static_cast<std::size_t>(l)], GridDivision::sent);
                if (p + 1 < division.processes()) {
                  EXPECT_GE(rows.owned, division.overlap[static_cast<std::size_t>(l)]);
                }
                if (p + 1 < division.processes() && plan.levels[static_cast<std::size_t>(l)].pair_j) {
                  EXPECT_EQ((rows.first + rows.owned) % 2, 0);
                }
              }
              next = rows.first + rows.owned;
            }
            EXPECT_EQ(next, plan.levels[static_cast<std::size_t>(l)].J);
          }
        }
}

TEST(GridDivision, StepsOfAllProcessesAreThoseOfThePlan)
{
  const GridPlan plan = plan_of(40, 40, 9, 1, 1, GridOptions());
  GridDivision   division;

  ASSERT_EQ(grid_divide(plan, 3, 2, &division), "");
  EXPECT_EQ(grid_slab_plan(plan, division, 1).steps.size() + grid_coarse_plan(plan, division).steps.size(), plan.steps.size());
  int next = 0, coarse = 0;
  for (const GridStage &s : grid_divided_stages(plan, division)) {
    coarse += s.kind == GridStage::coarse;
    if (s.kind != GridStage::steps) continue;
    EXPECT_EQ(s.from, next);
    next = s.to;
  }
  EXPECT_EQ(next, static_cast<int>(grid_slab_plan(plan, division, 1).steps.size()));
  EXPECT_EQ(coarse, 1);
}

TEST(GridDivision, RowsAreSentWhereNothingRightIsLeft)
{
  GridOptions  options;
  GridDivision division;

  GridPlan plan = plan_of(40, 40, 9, 1, 1, options);
  ASSERT_EQ(grid_divide(plan, 3, 1, &division), "");
  EXPECT_EQ(exchanges(plan, division), 0); /* two rows beside a slab last for one sweep down and one up */
  ASSERT_EQ(grid_divide(plan, 3, 2, &division), "");
  EXPECT_EQ(exchanges(plan, division), 2); /* right-hand side and solution of the second level */
  options.smooths = 2;
  plan            = plan_of(40, 40, 9, 1, 1, options);
  ASSERT_EQ(grid_divide(plan, 3, 1, &division), "");
  EXPECT_GT(exchanges(plan, division), 0);
}

TEST(GridDivision, SlabsOfOneLevelAreWideWhereNeighboursHaveTheRows)
{
  const GridPlan large = plan_of(40, 40, 9, 1, 1, GridOptions()), narrow = plan_of(40, 9, 9, 1, 1, GridOptions());
  GridDivision   division;

  ASSERT_EQ(grid_divide(large, 4, 1, &division), "");
  EXPECT_EQ(division.overlap, (std::vector<int>{GridDivision::wide, GridDivision::wide / 2}));
  ASSERT_EQ(grid_divide(large, 4, 2, &division), "");
  EXPECT_EQ(division.overlap, (std::vector<int>{4, 2, 1}));
  ASSERT_EQ(grid_divide(narrow, 4, 1, &division), "");
  EXPECT_EQ(division.overlap, (std::vector<int>{2, 1}));
}

TEST(GridDivision, TooFewRowsOrLevels)
{
  const GridPlan plan = plan_of(40, 2, 9, 1, 1, GridOptions());
  GridDivision   division;

  EXPECT_NE(grid_divide(plan, 2, 1, &division), "");
  EXPECT_NE(grid_divide(plan, 2, 30, &division), "");
  EXPECT_EQ(division.levels, 0);
}

TEST(GridDivision, TheEstimatePrefersSlabsOnLargeGridsAlone)
{
  const GridDividedCost cost  = {1000, 0.2};
  const GridPlan        large = plan_of(100, 100, 50, 1, 1, GridOptions()), small = plan_of(8, 8, 4, 1, 1, GridOptions());
  GridDivision          division;

  ASSERT_EQ(grid_divide(large, 2, 1, &division), "");
  EXPECT_LT(grid_divided_cost(large, division, 0, cost), 0.8 * grid_gathered_cost(large, 0, cost));
  EXPECT_LT(grid_divided_cost(large, division, 0, cost), grid_divided_cost(large, division, 1e5, cost));
  ASSERT_EQ(grid_divide(small, 2, 1, &division), "");
  EXPECT_GT(grid_divided_cost(small, division, 0, cost), grid_gathered_cost(small, 0, cost));
}

} // namespace

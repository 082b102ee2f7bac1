/*
   The grid that offsets of block diagonals show, and the levels and steps that coefficients ask for.
*/
#include "pc/gridmg/grid/plan.hpp"

namespace
{

BlockDiagonals diagonals(int rows, int block, const std::vector<int> &offsets)
{
  BlockDiagonals D;

  D.rows   = rows;
  D.block  = block;
  D.ndiag  = static_cast<int>(offsets.size());
  D.offset = offsets.data();
  return D;
}

/* Extents, or none where the grid is refused */
std::vector<int> extents(int rows, int block, const std::vector<int> &offsets, const std::vector<int> &wanted = {0, 0, 0})
{
  GridShape         shape;
  const std::string why = grid_find_shape(diagonals(rows, block, offsets), wanted.data(), &shape);

  if (!why.empty()) {
    EXPECT_NE(why.find("-p"), std::string::npos) << why << ": no remedy";
    return {};
  }
  return {shape.extent, shape.extent + 3};
}

using Extents = std::vector<int>;

TEST(GridShape, FromOffsets)
{
  EXPECT_EQ(extents(60, 1, {-12, -4, -1, 0, 1, 4, 12}), (Extents{4, 3, 5}));
  EXPECT_EQ(extents(180, 3, {-12, -4, -1, 0, 1, 4, 12}), (Extents{4, 3, 5}));
  EXPECT_EQ(extents(60, 1, {-4, -1, 0, 1, 4}), (Extents{4, 15, 1}));
  EXPECT_EQ(extents(60, 1, {-1, 0, 1}), (Extents{60, 1, 1}));
  EXPECT_EQ(extents(60, 1, {0}), (Extents{60, 1, 1}));
  EXPECT_EQ(extents(60, 1, {0, 1, 4, 12}), (Extents{4, 3, 5})); /* one triangle alone */
  EXPECT_EQ(extents(8, 1, {-4, -2, -1, 0, 1, 2, 4}), (Extents{2, 2, 2}));
}

TEST(GridShape, Given)
{
  EXPECT_EQ(extents(60, 1, {-12, -4, -1, 0, 1, 4, 12}, {4, 3, 5}), (Extents{4, 3, 5}));
  EXPECT_EQ(extents(60, 1, {-4, 0, 4}, {4, 15, 1}), (Extents{4, 15, 1}));
  EXPECT_EQ(extents(60, 1, {-4, -1, 0, 1, 4}, {1, 4, 15}), (Extents{1, 4, 15}));
  EXPECT_EQ(extents(60, 1, {-4, -1, 0, 1, 4}, {4, 1, 15}), (Extents{4, 1, 15}));
}

TEST(GridShape, Refused)
{
  EXPECT_TRUE(extents(60, 1, {-20, -7, -1, 0, 1, 7, 20}).empty()); /* 20 is no multiple of 7 */
  EXPECT_TRUE(extents(61, 1, {-12, -4, -1, 0, 1, 4, 12}).empty()); /* part of a plane */
  EXPECT_TRUE(extents(60, 1, {-4, 0, 4}).empty());
  EXPECT_TRUE(extents(60, 1, {-30, -12, -4, -1, 0, 1, 4, 12, 30}).empty());
  EXPECT_TRUE(extents(60, 1, {-12, -4, -1, 0, 1, 4, 12}, {4, 15, 1}).empty());
  EXPECT_TRUE(extents(60, 1, {-12, -4, -1, 0, 1, 4, 12}, {4, 3, 6}).empty());
  EXPECT_TRUE(extents(60, 1, {-1, 1}).empty()); /* no main diagonal */
}

GridPlan plan(const std::vector<int> &extent, const std::vector<double> &mean, GridOptions options = GridOptions())
{
  GridShape shape;
  GridMeans means;

  for (int a = 0; a < 3; a++) {
    shape.extent[a] = extent[a];
    if (a) shape.stride[a] = shape.stride[a - 1] * extent[a - 1];
    means.count[a] = extent[a] > 1;
    means.sum[a]   = mean[a];
  }
  return grid_plan_levels(shape, options, means);
}

TEST(GridPlan, LineAxis)
{
  EXPECT_EQ(plan({8, 8, 8}, {1, 1, 1}).axis[0], 2);
  EXPECT_EQ(plan({8, 8, 8}, {2, 1, 1}).axis[0], 2); /* not much stronger than the one that is better in memory */
  EXPECT_EQ(plan({8, 8, 8}, {9, 1, 1}).axis[0], 0);
  EXPECT_EQ(plan({8, 8, 8}, {1, 9, 1}).axis[0], 1);
  EXPECT_EQ(plan({8, 8, 1}, {1, 1, 9}).axis[0], 1);
  GridOptions forced;
  forced.line_axis = 0;
  EXPECT_EQ(plan({8, 8, 8}, {1, 9, 1}, forced).axis[0], 0);
}

TEST(GridPlan, WeakAxesWait)
{
  const GridPlan both = plan({8, 8, 5}, {1, 1, 9}), one = plan({8, 8, 5}, {1, 30, 900});

  ASSERT_EQ(both.levels.size(), 4u);
  EXPECT_TRUE(both.levels[0].pair_i && both.levels[0].pair_j);
  EXPECT_TRUE(one.levels[0].pair_j && !one.levels[0].pair_i); /* 30 : 1, then 15 : 2, then both */
  EXPECT_TRUE(one.levels[1].pair_j && !one.levels[1].pair_i);
  for (const GridPlan &p : {both, one}) {
    EXPECT_EQ(p.levels.back().J * p.levels.back().I, 1);
    EXPECT_FALSE(p.levels.back().pair_i || p.levels.back().pair_j);
    for (const GridExtent &e : p.levels) EXPECT_EQ(e.K, 5);
  }
}

TEST(GridPlan, EndsWhateverTheValues)
{
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

  for (double a : {0., nan, inf, -1., 1e300})
    for (double b : {0., nan, inf, 1e-300}) EXPECT_LE(plan({31, 17, 5}, {a, b, 1}).levels.size(), 64u);
  EXPECT_EQ(plan({1, 1, 1}, {0, 0, 0}).levels.size(), 1u);
}

TEST(GridPlan, StepsOfAVCycleAreSymmetric)
{
  GridPlan          p = plan({9, 7, 5}, {1, 1, 9});
  std::vector<int>  solves, back;
  std::vector<bool> remainder(p.levels.size(), false);

  grid_plan_steps(GridOptions(), remainder, &p);
  for (const GridStep &s : p.steps)
    if (s.op == GridOp::solve) solves.push_back(2 * s.level + s.colour);
  back.assign(solves.rbegin(), solves.rend());
  EXPECT_EQ(solves, back);
  EXPECT_EQ(solves.size(), 4 * (p.levels.size() - 1) + 1);
  EXPECT_FALSE(p.changes);
}

} // namespace

/* What the rows of a process and the box of a slab have in common, and which rows have neighbours elsewhere: against all cells of small grids, for runs of any beginning and end, and for boxes. */
#include "pc/gridmg/device/copies.hpp"

namespace
{

struct Cell {
  int at[3];
};

/* Cells of a region in its order */
std::vector<Cell> cells_of(const GridRegion &r)
{
  std::vector<Cell> cells;
  std::size_t       number = 0;

  for (int k = 0; k < r.extent[2]; k++)
    for (int j = 0; j < r.extent[1]; j++)
      for (int i = 0; i < r.extent[0]; i++, number++)
        if (number >= r.before && cells.size() < r.cells)
          cells.push_back({
            {r.origin[0] + i, r.origin[1] + j, r.origin[2] + k}
          });
  return cells;
}

/* f(region) for all runs and some boxes of a grid */
template <class F>
void for_regions(const int n[3], F f)
{
  const std::size_t all = static_cast<std::size_t>(n[0]) * n[1] * n[2];

  for (std::size_t first = 0; first < all; first++)
    for (std::size_t count = 0; first + count <= all; count++) f(GridRegion::Run(n, first, count));
  for (int a = 0; a < n[0]; a++)
    for (int b = 0; b < n[1]; b++)
      for (int c = 0; c < n[2]; c++) {
        const int first[3] = {a, b, c}, rest[3] = {n[0] - a, n[1] - b, n[2] - c}, one[3] = {1, 1, 1}, line[3] = {n[0] - a, 1, n[2] - c};

        f(GridRegion::Box(first, rest));
        f(GridRegion::Box(first, one));
        f(GridRegion::Box(first, line));
      }
}

const int grids[][3] = {
  {3, 4, 3},
  {1, 4, 3},
  {4, 1, 3},
  {5, 3, 1},
  {2, 2, 2},
  {7, 1, 1}
};

} // namespace

/* Vectors to a box and back */
TEST(GridRegion, Common)
{
  for (const auto &n : grids)
    for (int unknowns = 1; unknowns < 3; unknowns++)
      for_regions(n, [&](const GridRegion &mine) {
        const std::vector<Cell> own = cells_of(mine);

        ASSERT_EQ(own.size(), mine.cells);
        for (int axis = 1; axis < 3; axis++)
          for (int from = 0; from < n[axis]; from++)
            for (int to = from + 1; to <= n[axis]; to++) {
              const int         low = std::max(0, from - 1), rows = std::min(n[axis], to + 1) - low; /* a box with rows beside */
              const int         size[3]         = {n[0], axis == 1 ? rows : n[1], axis == 2 ? rows : n[2]};
                              const std::size_t numbers = own.size() * static_cast<std::size_t>(unknowns);
              Vector            local(numbers), back(numbers, 0), box(static_cast<std::size_t>(size[0]) * size[1] * size[2] * unknowns, 0), expected(box);
              std::size_t       common = 0;

              for (std::size_t r = 0; r < numbers; r++) {
                const Cell  c     = own[r / static_cast<std::size_t>(unknowns)];
                const int   at[3] = {c.at[0], c.at[1] - (axis == 1 ? low : 0), c.at[2] - (axis == 2 ? low : 0)};
                const bool  in    = c.at[axis] >= from && c.at[axis] < to;
                std::size_t place = (static_cast<std::size_t>(at[2]) * size[1] + at[1]) * size[0] + at[0];

                local[r] = static_cast<Scalar>(r + 1);
                place    = place * static_cast<std::size_t>(unknowns) + r % static_cast<std::size_t>(unknowns);
                if (in) expected[place] = local[r];
                common += in;
              }
              const GridIntersection c    = grid_intersection(mine, n, unknowns, axis, from, to - from, low, rows);
              const GridCopy<Scalar> here = grid_copy_to_box(c, local.data(), box.data()), again = grid_copy_from_box<Scalar>(c, box.data(), back.data());

              for (std::size_t line = 0; line < here.lines(); line++)
                for (std::size_t e = 0; e < here.width; e++) here.move(line, e);
              ASSERT_EQ(box, expected) << n[0] << 'x' << n[1] << 'x' << n[2] << ", axis " << axis << ", rows " << from << " to " << to;
              for (std::size_t line = 0; line < again.lines(); line++)
                for (std::size_t e = 0; e < again.width; e++) again.move(line, e);
              for (std::size_t r = 0; r < numbers; r++) {
                common -= back[r] != 0;
                ASSERT_TRUE(back[r] == 0 || back[r] == local[r]);
              }
              ASSERT_EQ(common, 0u);
            }
      });
}

/* Each neighbour of the grid is in the region or at one of its faces, and no two are at the same one */
TEST(GridRegion, Faces)
{
  for (const auto &n : grids)
    for (int unknowns = 1; unknowns < 3; unknowns++)
      for_regions(n, [&](const GridRegion &mine) {
        const std::vector<Cell> own = cells_of(mine);

        for (int axis = 0; axis < 3; axis++) {
          const GridFaces of = GridFaces::Of(mine, axis, unknowns);

          for (int side = 0; side < 2; side++) {
            std::vector<int> taken(of.count(), 0);

            for (std::size_t r = 0; r < of.rows; r++) {
              Cell       to    = own[r / static_cast<std::size_t>(unknowns)];
              const auto at    = of.number(r, side);
              bool       there = false;

              to.at[axis] += side ? 1 : -1;
              if (to.at[axis] < 0 || to.at[axis] >= n[axis]) continue; /* the grid ends */
              for (const Cell &c : own) there |= c.at[0] == to.at[0] && c.at[1] == to.at[1] && c.at[2] == to.at[2];
              ASSERT_EQ(at < 0, there) << n[0] << 'x' << n[1] << 'x' << n[2] << ", axis " << axis << ", side " << side << ", row " << r;
              if (there) continue;
              ASSERT_LT(static_cast<std::size_t>(at), taken.size());
              ASSERT_EQ(taken[static_cast<std::size_t>(at)]++, 0);
            }
          }
        }
      });
}

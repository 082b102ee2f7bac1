/*
   The cells of a grid whose rows a process owns, in the order of their numbers, and their intersection with the box of
   a slab. For host and device; uses no PETSc objects.
   A region is a box of a DMDA, numbered along x, then y, then z. If rows have the numbers of the grid, it is a run of
   cells, which may begin and end within a plane or within a line: the box of all planes that the run touches, without
   the cells before its first one.
*/
#pragma once

#include "../../../device/scalar.hpp"
#include <algorithm>
#include <cstddef>

namespace heptane
{

struct GridRegion {
  int         origin[3] = {0, 0, 0}, extent[3] = {0, 0, 0};
  std::size_t before = 0, cells = 0; /* cells of the box before the first own cell; own cells */
  bool        run = false;

  static GridRegion Box(const int first[3], const int extents[3])
  {
    GridRegion r;

    std::copy(first, first + 3, r.origin);
    std::copy(extents, extents + 3, r.extent);
    r.cells = r.stride(2) * static_cast<std::size_t>(r.extent[2]);
    return r;
  }
  /* `count` cells from `first` on of a grid of n[0] x n[1] x n[2] */
  static GridRegion Run(const int n[3], std::size_t first, std::size_t count)
  {
    const std::size_t plane = static_cast<std::size_t>(n[0]) * n[1];
    GridRegion        r;

    r.run = true;
    if (!count) return r;
    r.origin[2] = static_cast<int>(first / plane);
    r.extent[0] = n[0];
    r.extent[1] = n[1];
    r.extent[2] = static_cast<int>((first + count - 1) / plane) + 1 - r.origin[2];
    r.before    = first % plane;
    r.cells     = count;
    return r;
  }
  std::size_t stride(int axis) const { return axis == 0 ? 1 : static_cast<std::size_t>(extent[0]) * (axis == 1 ? 1 : extent[1]); }
};

/*
   Rows of a region whose neighbour along an axis is outside it: in each `period` rows the first `stride` ones on the
   lower side, the last `stride` ones on the upper side, counted in their numbering. A run is one period, as cells
   between its lines or planes have no neighbours there.
*/
struct GridFaces {
  std::size_t stride = 0, period = 0, rows = 0;

  static GridFaces Of(const GridRegion &r, int axis, int unknowns)
  {
    GridFaces f;

    f.rows   = r.cells * static_cast<std::size_t>(unknowns);
    f.stride = r.stride(axis) * static_cast<std::size_t>(unknowns);
    f.period = r.run ? f.rows : f.stride * static_cast<std::size_t>(r.extent[axis]);
    return f;
  }
  std::size_t count() const { return period ? rows / period * stride : 0; }
  /* The index of a row among the face rows of the lower side (0) or the upper side (1); -1: its neighbour, if any, is
     in the region */
  HEPTANE_HD std::ptrdiff_t number(std::size_t row, int side) const
  {
    const unsigned    number = static_cast<unsigned>(row), of = static_cast<unsigned>(period); /* rows fit in 32 bits, for which division is faster */
    const std::size_t in = number % of, first = number / of * stride;

    if (side == 0) return in < stride ? static_cast<std::ptrdiff_t>(first + in) : -1;
    return in + stride >= period ? static_cast<std::ptrdiff_t>(first + (in + stride - period)) : -1;
  }
};

/* The intersection of a region and a box in a vector: `count` groups of `height` pieces of length `width`. In a run the
   first piece may lack its beginning and the last piece its end. */
struct GridIntersection {
  std::size_t    width = 0, height = 0, count = 1, first = 0, last = static_cast<std::size_t>(-1);
  std::ptrdiff_t local = 0, box = 0; /* the first entry of the first piece; may precede the region */
  std::size_t    local_pitch = 0, local_step = 0, box_pitch = 0, box_step = 0;
};

/*
   Intersection with rows `first` to `first` + `rows` - 1 along `axis` of a grid. These rows are within a box of all
   cells with rows box_first to box_first + box_rows - 1; axis is not the x axis if the region is a run
*/
inline GridIntersection grid_intersection(const GridRegion &mine, const int n[3], int unknowns, int axis, int first, int rows, int box_first, int box_rows)
{
  int              low[3], high[3];
  std::ptrdiff_t   size[3], from[3]; /* size and origin of the box */
  GridIntersection c;

  for (int a = 0; a < 3; a++) {
    low[a]  = std::max(mine.origin[a], a == axis ? first : 0);
    high[a] = std::min(mine.origin[a] + mine.extent[a], a == axis ? first + rows : n[a]);
    size[a] = a == axis ? box_rows : n[a];
    from[a] = a == axis ? box_first : 0;
    if (low[a] >= high[a]) return c;
  }
  const std::ptrdiff_t b = unknowns, e0 = mine.extent[0], e1 = mine.extent[1];

  c.local  = (((low[2] - mine.origin[2]) * e1 + (low[1] - mine.origin[1])) * e0 + (low[0] - mine.origin[0]) - static_cast<std::ptrdiff_t>(mine.before)) * b;
  c.box    = (((low[2] - from[2]) * size[1] + (low[1] - from[1])) * size[0] + (low[0] - from[0])) * b;
  c.width  = static_cast<std::size_t>((high[0] - low[0]) * b);
  c.height = static_cast<std::size_t>(high[1] - low[1]);
  c.count  = static_cast<std::size_t>(high[2] - low[2]);
  c.local_pitch = static_cast<std::size_t>(e0 * b);
  c.local_step  = c.local_pitch * static_cast<std::size_t>(e1);
  c.box_pitch   = static_cast<std::size_t>(size[0] * b);
  c.box_step    = c.box_pitch * static_cast<std::size_t>(size[1]);
  if (c.width == c.local_pitch && c.width == c.box_pitch) { /* whole lines: pieces of planes */
    c.width *= c.height;
    c.height      = c.count;
    c.local_pitch = c.local_step;
    c.box_pitch   = c.box_step;
    c.count       = 1;
    c.local_step = c.box_step = 0;
    if (c.width == c.local_pitch && c.width == c.box_pitch) { /* whole planes: one piece */
      c.width *= c.height;
      c.height = 1;
    }
  }
  if (mine.run) {
    const std::ptrdiff_t after = static_cast<std::ptrdiff_t>(mine.cells) * b - (c.local + static_cast<std::ptrdiff_t>((c.height - 1) * c.local_pitch));

    c.first = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, -c.local));
    c.last  = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after));
  }
  return c;
}

} // namespace heptane

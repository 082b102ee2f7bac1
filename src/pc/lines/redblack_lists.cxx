/*
   Which red columns are kept: see redblack_lists.hpp.
*/
#include "redblack_lists.hpp"
#include <algorithm>
#include <tuple>

namespace heptane
{

namespace
{

/* A cell: its layer along the lines, and its column */
struct Place {
  int k, j, i;
};

struct Entry {
  std::int64_t row, col, source;

  bool operator<(const Entry &o) const { return std::tie(row, col, source) < std::tie(o.row, o.col, o.source); }
};

class Lister {
public:
  Lister(const BlockDiagonals &d, const GridShape &s, const GridPlan &p) : D(d), shape(s), plan(p)
  {
    of.K     = extent(0);
    of.J     = extent(1);
    of.I     = extent(2);
    of.black = static_cast<unsigned>(static_cast<std::int64_t>(of.J) * of.I / 2);
    H        = (of.I + 1) / 2;
  }

  RedBlackLists Lists()
  {
    FindKept();
    for (std::size_t r = 0; r < D.rem_row->size(); r++)
      for (int e = (*D.rem_ptr)[r]; e < (*D.rem_ptr)[r + 1]; e++) entries.push_back({Number((*D.rem_row)[r]), Number((*D.rem_col)[e]), -1 - std::int64_t(e)});
    for (int column : lists.kept_column) AddColumn(column / H, 2 * (column % H) + (column / H & 1));
    Compress();
    lists.of = of;
    return std::move(lists);
  }

private:
  int         extent(int a) const { return shape.extent[plan.axis[a]]; }
  std::size_t stride(int a) const { return shape.stride[plan.axis[a]]; }
  Place       place(std::size_t cell) const
  {
    const auto at = [&](int a) { return static_cast<int>(cell / stride(a) % extent(a)); };

    return {at(0), at(1), at(2)};
  }
  std::size_t cell(const Place &p) const { return p.k * stride(0) + p.j * stride(1) + p.i * stride(2); }
  /* Of the remaining unknown that is component c of a cell */
  std::int64_t Number(const Place &p, int c) const
  {
    const bool     red = !((p.i + p.j) & 1);
    const unsigned q   = red ? of.black + static_cast<unsigned>(lists.kept_number[static_cast<std::size_t>(p.j) * H + p.i / 2]) : of.of_black(p.j, p.i / 2);

    return static_cast<std::int64_t>(of.at(c, p.k, q));
  }
  std::int64_t Number(int row) const { return Number(place(static_cast<std::size_t>(row / D.block)), row % D.block); }

  /* Red columns with entries beside the block diagonals */
  void FindKept()
  {
    std::vector<bool> linked(static_cast<std::size_t>(of.J) * of.I, false);
    const auto        link = [&](int row) {
      const Place p = place(static_cast<std::size_t>(row / D.block));

      linked[static_cast<std::size_t>(p.j) * of.I + p.i] = true;
    };

    for (std::size_t r = 0; r < D.rem_row->size(); r++) {
      if ((*D.rem_ptr)[r] < (*D.rem_ptr)[r + 1]) link((*D.rem_row)[r]);
      for (int e = (*D.rem_ptr)[r]; e < (*D.rem_ptr)[r + 1]; e++) link((*D.rem_col)[e]);
    }
    for (int j = 0; j < of.J; j++)
      for (int i = 0; i < of.I; i++) {
        if (!linked[static_cast<std::size_t>(j) * of.I + i]) continue;
        lists.linked++;
        if (!((i + j) & 1)) lists.kept_column.push_back(j * H + i / 2);
      }
    of.lines = of.black + static_cast<unsigned>(lists.kept_column.size());
    if (lists.kept_column.empty()) return;
    lists.kept_number.assign(static_cast<std::size_t>(of.J) * H, -1);
    for (std::size_t n = 0; n < lists.kept_column.size(); n++) lists.kept_number[static_cast<std::size_t>(lists.kept_column[n])] = static_cast<int>(n);
  }

  /* The block of `from` on the diagonal that leads along axis a of the plan, 0: to itself */
  void AddBlock(const Place &from, const Place &to, int a, int step)
  {
    const int diagonal = shape.diagonal[step ? 1 + 2 * plan.axis[a] + (step > 0) : 0];

    if (diagonal < 0) return;
    for (int p = 0; p < D.block; p++)
      for (int s = 0; s < D.block; s++) {
        const std::size_t row = cell(from) * D.block + p;

        entries.push_back({Number(from, p), Number(to, s), static_cast<std::int64_t>(static_cast<std::size_t>(diagonal * D.block + s) * D.ld + row)});
      }
  }

  /* What couples the cells of a red column that is kept, and the black ones beside it with them */
  void AddColumn(int j, int i)
  {
    for (int k = 0; k < of.K; k++) {
      const Place p = {k, j, i};

      AddBlock(p, p, 0, 0);
      for (int a = 0; a < 3; a++)
        for (int step = -1; step < 2; step += 2) {
          Place to = p;

          (a == 0 ? to.k : a == 1 ? to.j : to.i) += step;
          if (to.k < 0 || to.k >= of.K || to.j < 0 || to.j >= of.J || to.i < 0 || to.i >= of.I) continue;
          AddBlock(p, to, a, step);
          if (a > 0) AddBlock(to, p, a, -step);
        }
    }
  }

  /* The list as rows */
  void Compress()
  {
    const std::size_t rows = static_cast<std::size_t>(D.block) * of.K * of.lines;

    std::sort(entries.begin(), entries.end());
    lists.ptr.push_back(0);
    if (entries.empty()) return;
    lists.mask.assign((rows + 31) / 32, 0);
    lists.base.assign((rows + 31) / 32, 0);
    for (std::size_t e = 0; e < entries.size(); e++) {
      const std::size_t row = static_cast<std::size_t>(entries[e].row);

      lists.col.push_back(static_cast<int>(entries[e].col));
      lists.source.push_back(entries[e].source);
      lists.mask[row / 32] |= std::uint32_t(1) << row % 32;
      if (e + 1 < entries.size() && entries[e + 1].row == entries[e].row) continue;
      lists.longest = std::max(lists.longest, static_cast<int>(e) + 1 - lists.ptr.back());
      lists.ptr.push_back(static_cast<int>(e) + 1);
    }
    for (std::size_t w = 1; w < lists.mask.size(); w++) lists.base[w] = lists.base[w - 1] + count_bits(lists.mask[w - 1]);
  }

  const BlockDiagonals &D;
  const GridShape      &shape;
  const GridPlan       &plan;
  RemainingColumns      of;
  int                   H;
  RedBlackLists         lists;
  std::vector<Entry>    entries;
};

} // namespace

RedBlackLists redblack_lists(const BlockDiagonals &D, const GridShape &shape, const GridPlan &plan)
{
  return Lister(D, shape, plan).Lists();
}

} // namespace heptane

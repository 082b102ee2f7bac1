/*
   Which links a level has: see gridmg_links.hpp.
*/
#include "gridmg_links.hpp"
#include <cstdlib>
#include <map>
#include <utility>

namespace heptane
{

void GridSumsList::Add(std::int64_t at, const std::vector<int> &from)
{
  place.push_back(at);
  source.insert(source.end(), from.begin(), from.end());
  ptr.push_back(static_cast<int>(source.size()));
}

namespace
{

std::int64_t place_of(const GridLevel<float> &L, const GridPlace &p)
{
  return static_cast<std::int64_t>(p.component * L.cells + L.of_cell(p.k, p.j, p.i));
}

int colour_of(const GridPlace &p)
{
  return (p.i + p.j) & 1;
}

/* The block that couples two cells: -1 none, grid_pivot the cell itself */
int slot_of(const GridPlace &row, const GridPlace &col)
{
  const int k = col.k - row.k, j = col.j - row.j, i = col.i - row.i;

  if (std::abs(k) + std::abs(j) + std::abs(i) > 1) return -1;
  if (k) return k < 0 ? grid_below : grid_above;
  if (i) return i < 0 ? grid_west : grid_east;
  if (j) return j < 0 ? grid_south : grid_north;
  return grid_pivot;
}

} // namespace

GridLinksList grid_link_level(const GridLevel<float> &L, int B, const std::vector<GridEntry> &entries, bool coarse, std::vector<GridEntry> *links)
{
  using Key = std::pair<std::int64_t, std::int64_t>;
  std::map<std::int64_t, std::vector<int>>              blocks;
  std::map<Key, std::pair<GridEntry, std::vector<int>>> of_colour[2];
  GridLinksList                                         out;

  links->clear();
  for (std::size_t e = 0; e < entries.size(); e++) {
    const GridEntry &a    = entries[e];
    const int        slot = slot_of(a.row, a.col), source = static_cast<int>(e);

    if (coarse && slot == grid_pivot) continue; /* in the sum of the block row it is already */
    if (coarse && slot >= 0) {
      const std::size_t block = static_cast<std::size_t>((slot * B + a.row.component) * B + a.col.component);

      blocks[static_cast<std::int64_t>(block * L.cells + L.of_cell(a.row.k, a.row.j, a.row.i))].push_back(source);
    } else {
      auto &link = of_colour[colour_of(a.row)][{place_of(L, a.row), place_of(L, a.col)}];

      link.first = a;
      link.second.push_back(source);
    }
  }
  for (const auto &b : blocks) out.blocks.Add(b.first, b.second);
  for (int colour = 0; colour < 2; colour++) {
    for (const auto &link : of_colour[colour]) {
      if (out.row.empty() || out.row.back() != link.first.first) {
        out.row.push_back(link.first.first);
        out.ptr.push_back(out.ptr.back());
      }
      out.col.push_back(link.first.second);
      out.ptr.back()++;
      out.values.Add(0, link.second.second);
      links->push_back(link.second.first);
    }
    if (colour == 0) out.reds = static_cast<int>(out.row.size());
  }
  return out;
}

std::vector<GridEntry> grid_coarse_entries(const GridLevel<float> &F, const std::vector<GridEntry> &entries)
{
  std::vector<GridEntry> out(entries);

  for (GridEntry &e : out)
    for (GridPlace *p : {&e.row, &e.col}) {
      p->j >>= F.pair_j;
      p->i >>= F.pair_i;
    }
  return out;
}

GridSumsList grid_link_residuals(const GridLevel<float> &F, const GridLevel<float> &C, const GridLinksList &links)
{
  const std::int64_t                       cells = static_cast<std::int64_t>(F.cells), columns = static_cast<std::int64_t>(F.columns);
  std::map<std::int64_t, std::vector<int>> rows;
  GridSumsList                             out;

  for (std::size_t r = 0; r < links.row.size(); r++) {
    const std::int64_t c = links.row[r] % cells, layer = c / columns;
    const GridColumn   at(F, static_cast<int>(layer % 2), static_cast<std::size_t>(c % columns));
    const GridPlace    to = {static_cast<int>(links.row[r] / cells), static_cast<int>(layer / 2), at.j >> F.pair_j, at.i >> F.pair_i};

    rows[place_of(C, to)].push_back(static_cast<int>(r));
  }
  for (const auto &t : rows) out.Add(t.first, t.second);
  return out;
}

} // namespace heptane

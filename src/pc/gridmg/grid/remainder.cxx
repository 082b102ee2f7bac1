/*
   The remainder entries of a level: see remainder.hpp.
*/
#include "remainder.hpp"
#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace heptane
{

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

/* The contribution of an entry: its target, in the order of a level's lists, and its number */
struct Part {
  int          colour;
  std::int64_t row, col;
  int          source;

  bool operator<(const Part &o) const { return std::tie(colour, row, col, source) < std::tie(o.colour, o.row, o.col, o.source); }
  bool SameTarget(const Part &o) const { return colour == o.colour && row == o.row && col == o.col; }
};

/* Sorts parts by target. Parts of a row are adjacent and mostly sorted, so sort runs of rows, and parts only if
   necessary. On each level a row of a well has one entry for every cell of the well. */
void sort_parts(std::vector<Part> *parts)
{
  struct Run {
    std::size_t first, last;
  };
  const auto same_row = [](const Part &a, const Part &b) { return a.colour == b.colour && a.row == b.row; };
  const auto of_row   = [](const Part &p) { return std::make_pair(p.colour, p.row); };

  std::vector<Run>  runs;
  std::vector<Part> sorted;

  for (std::size_t k = 0; k < parts->size(); k++) {
    if (!k || !same_row((*parts)[k - 1], (*parts)[k])) runs.push_back({k, k});
    runs.back().last = k + 1;
  }
  std::stable_sort(runs.begin(), runs.end(), [&](const Run &a, const Run &b) { return of_row((*parts)[a.first]) < of_row((*parts)[b.first]); });
  sorted.reserve(parts->size());
  for (std::size_t r = 0, row = 0; r < runs.size(); r++) {
    const bool new_row = !r || !same_row(sorted.back(), (*parts)[runs[r].first]), last = r + 1 == runs.size();

    if (new_row) row = sorted.size();
    sorted.insert(sorted.end(), parts->begin() + static_cast<std::ptrdiff_t>(runs[r].first), parts->begin() + static_cast<std::ptrdiff_t>(runs[r].last));
    const auto from = sorted.begin() + static_cast<std::ptrdiff_t>(row);
    if ((last || !same_row(sorted.back(), (*parts)[runs[r + 1].first])) && !std::is_sorted(from, sorted.end())) std::sort(from, sorted.end());
  }
  parts->swap(sorted);
}

/* Sorts the parts and calls f(first part, end) for each target */
template <class F>
void for_each_target(std::vector<Part> *parts, F f)
{
  sort_parts(parts);
  for (auto first = parts->begin(), last = first; first != parts->end(); first = last) {
    while (last != parts->end() && last->SameTarget(*first)) ++last;
    f(first, last);
  }
}

void add(std::int64_t at, std::vector<Part>::const_iterator first, std::vector<Part>::const_iterator last, GridSumsList *to)
{
  for (auto part = first; part != last; ++part) to->source.push_back(part->source);
  to->place.push_back(at);
  to->ptr.push_back(static_cast<int>(to->source.size()));
}

} // namespace

GridRemainderList grid_remainder_level(const GridLevel<float> &L, int B, const std::vector<GridEntry> &entries, bool coarse, std::vector<GridEntry> *remainder)
{
  std::vector<Part> blocks, remainder_values;
  GridRemainderList out;

  remainder->clear();
  remainder->reserve(entries.size());
  remainder_values.reserve(entries.size());
  for (std::vector<int> *list : {&out.values.ptr, &out.values.source}) list->reserve(entries.size() + 1);
  for (std::vector<std::int64_t> *list : {&out.values.place, &out.col}) list->reserve(entries.size());
  for (std::size_t e = 0; e < entries.size(); e++) {
    const GridEntry &a    = entries[e];
    const int        slot = slot_of(a.row, a.col), source = static_cast<int>(e);

    if (coarse && slot == grid_pivot) continue; /* it is already in the sum of the block row */
    if (coarse && slot >= 0) {
      const std::size_t block = static_cast<std::size_t>((L.stored(slot) * B + a.row.component) * B + a.col.component);

      blocks.push_back({0, static_cast<std::int64_t>(block * L.cells + L.of_cell(a.row.k, a.row.j, a.row.i)), 0, source});
    } else {
      remainder_values.push_back({colour_of(a.row), place_of(L, a.row), place_of(L, a.col), source});
    }
  }
  for_each_target(&blocks, [&](auto first, auto last) { add(first->row, first, last, &out.blocks); });
  for_each_target(&remainder_values, [&](auto first, auto last) {
    if (out.row.empty() || out.row.back() != first->row) {
      out.row.push_back(first->row);
      out.ptr.push_back(out.ptr.back());
      out.reds += first->colour == 0;
    }
    out.col.push_back(first->col);
    out.ptr.back()++;
    add(0, first, last, &out.values);
    remainder->push_back(entries[static_cast<std::size_t>(first->source)]);
  });
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

GridSumsList grid_remainder_residuals(const GridLevel<float> &F, const GridLevel<float> &C, const GridRemainderList &remainder)
{
  const std::int64_t cells = static_cast<std::int64_t>(F.cells), columns = static_cast<std::int64_t>(F.columns);
  std::vector<Part>  rows;
  GridSumsList       out;

  for (std::size_t r = 0; r < remainder.row.size(); r++) {
    const std::int64_t c = remainder.row[r] % cells, layer = c / columns;
    const GridColumn   at(F, static_cast<int>(layer % 2), static_cast<std::size_t>(c % columns));
    const GridPlace    to = {static_cast<int>(remainder.row[r] / cells), static_cast<int>(layer / 2), at.j >> F.pair_j, at.i >> F.pair_i};

    rows.push_back({0, place_of(C, to), 0, static_cast<int>(r)});
  }
  for_each_target(&rows, [&](auto first, auto last) { add(first->row, first, last, &out); });
  return out;
}

} // namespace heptane

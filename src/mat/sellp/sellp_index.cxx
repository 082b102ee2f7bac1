/*
   The kinds of index data: which of them a slice can have, what it costs, how it is written. Host only; knows no PETSc objects.
*/
#include "sellp_index.hpp"
#include <algorithm>
#include <climits>
#include <cstring>

namespace heptane
{

void SellpIndexer::Begin()
{
  cells.clear();
  columns.clear();
  begin.assign(1, 0);
}

void SellpIndexer::Add(int cell, const std::vector<PetscInt> &of_cell)
{
  cells.push_back(cell);
  columns.insert(columns.end(), of_cell.begin(), of_cell.end());
  begin.push_back(columns.size());
}

int SellpIndexer::Column(int lane, int k) const
{
  lane                = std::min(lane, static_cast<int>(cells.size()) - 1); /* lanes behind the last cell repeat its columns */
  const std::size_t n = begin[lane + 1] - begin[lane];
  if (!n) return std::min(cells[lane], std::max(layout.cols / layout.block - 1, 0)); /* an empty row's padding stays near the diagonal */
  return columns[begin[lane] + std::min<std::size_t>(k, n - 1)];
}

/* Whether a cell has the distances of the one before it, as most cells of a grid */
bool SellpIndexer::Repeats(std::size_t lane) const
{
  if (lane == 0) return false;
  const int         *c = columns.data() + begin[lane], *before = columns.data() + begin[lane - 1];
  const auto         n = begin[lane + 1] - begin[lane], n_before = begin[lane] - begin[lane - 1];
  const std::int64_t step = static_cast<std::int64_t>(cells[lane]) - cells[lane - 1];

  if (n != n_before) return false;
  for (std::size_t k = 0; k < n; k++)
    if (static_cast<std::int64_t>(c[k]) - before[k] != step) return false;
  return true;
}

/* The distances that any cell of the slice has, if that takes no more bytes than 16 bits of index and `width` blocks per cell */
bool SellpIndexer::Distances(int width)
{
  const double block = sizeof(Scalar) * 1.0 * layout.block * layout.block;
  const auto   room  = static_cast<std::size_t>(width * (block + 2) / block / layout.threads) * layout.threads;

  distances.clear();
  for (std::size_t lane = 0; lane < cells.size(); lane++) {
    const int *c = columns.data() + begin[lane], *end = columns.data() + begin[lane + 1];

    if (Repeats(lane)) continue;
    sorted.clear();
    for (; c != end; c++) {
      const std::int64_t d = static_cast<std::int64_t>(*c) - cells[lane];
      if (d < INT_MIN || d > INT_MAX) return false;
      sorted.push_back(static_cast<int>(d));
    }
    if (!std::is_sorted(sorted.begin(), sorted.end())) std::sort(sorted.begin(), sorted.end());
    if (std::includes(distances.begin(), distances.end(), sorted.begin(), sorted.end())) continue;
    merged.clear();
    std::set_union(distances.begin(), distances.end(), sorted.begin(), sorted.end(), std::back_inserter(merged));
    distances.swap(merged);
    if (distances.size() > room) return false;
  }
  while (distances.size() % layout.threads) distances.push_back(distances.back());
  return true;
}

std::int64_t SellpIndexer::Append(const std::vector<int> &data)
{
  const std::int64_t at = static_cast<std::int64_t>(layout.index.size());

  layout.index.insert(layout.index.end(), data.begin(), data.end());
  return at;
}

/* Into words, if every column of places spans less than 16 bits */
void SellpIndexer::Narrow(int width)
{
  words.assign(width + static_cast<std::size_t>(width) * layout.slice / 2, 0);
  auto *delta = reinterpret_cast<unsigned char *>(words.data() + width);
  for (int k = 0; k < width; k++) {
    int lo = INT_MAX, hi = 0;
    for (int lane = 0; lane < layout.slice; lane++) {
      lo = std::min(lo, Column(lane, k));
      hi = std::max(hi, Column(lane, k));
    }
    if (hi - lo > 0xffff) {
      words.clear();
      return;
    }
    words[k] = lo;
    for (int lane = 0; lane < layout.slice; lane++) {
      const auto d = static_cast<std::uint16_t>(Column(lane, k) - lo);
      std::memcpy(delta + (static_cast<std::size_t>(k) * layout.slice + lane) * sizeof(d), &d, sizeof(d));
    }
  }
}

void SellpIndexer::Wide(int width)
{
  words.resize(static_cast<std::size_t>(width) * layout.slice);
  for (int k = 0; k < width; k++)
    for (int lane = 0; lane < layout.slice; lane++) words[static_cast<std::size_t>(k) * layout.slice + lane] = Column(lane, k);
}

int SellpIndexer::End(int first, int width)
{
  SellpIndex   kind = SellpIndex::none;
  std::int64_t at   = 0;

  if (bits_wanted == 0 && !layout.own_length && Distances(width)) {
    const auto known = lists.find(distances);
    if (known != lists.end()) at = known->second;
    else at = lists[distances] = Append(distances);
    width = static_cast<int>(distances.size());
  } else {
    words.clear();
    if (bits_wanted != 32) Narrow(width);
    kind = words.empty() && width > 0 ? SellpIndex::wide : SellpIndex::narrow;
    if (kind == SellpIndex::wide) Wide(width);
    at = Append(words);
  }
  layout.head.push_back({first, width, 4 * at + static_cast<int>(kind)});
  layout.by_kind[static_cast<int>(kind)] += 1.0 * width * layout.slice;
  return width;
}

} // namespace heptane

/*
   The kinds of index data: which of them a slice can have, their bytes, how they are written. Host only; no PETSc
   objects.
*/
#include "index.hpp"
#include <algorithm>
#include <climits>
#include <cstring>

namespace heptane
{

void SellpIndexer::Begin()
{
  cells.clear();
  columns_of.clear();
  counts.clear();
}

int SellpIndexer::Column(int lane, int k) const
{
  lane             = std::min(lane, static_cast<int>(cells.size()) - 1); /* lanes after the last cell repeat its columns */
  const PetscInt n = counts[lane];
  if (!n) return std::min(cells[lane], std::max(layout.cols / layout.block - 1, 0)); /* an empty row's padding stays near the diagonal */
  return static_cast<int>(columns_of[lane][std::min<PetscInt>(k, n - 1)]);
}

/* Whether a cell has the distances of the one before it, as most cells of a grid */
bool SellpIndexer::Repeats(std::size_t lane) const
{
  if (lane == 0 || counts[lane] != counts[lane - 1]) return false;
  const PetscInt    *c = columns_of[lane], *before = columns_of[lane - 1];
  const std::int64_t step = static_cast<std::int64_t>(cells[lane]) - cells[lane - 1];

  for (PetscInt k = 0; k < counts[lane]; k++)
    if (static_cast<std::int64_t>(c[k]) - before[k] != step) return false;
  return true;
}

/* The union of the distances of all cells of the slice, if it needs no more bytes than 16 bits of index and `width`
   blocks per cell */
bool SellpIndexer::Distances(int width)
{
  const double block = sizeof(Scalar) * 1.0 * layout.block * layout.block;
  const auto   room  = static_cast<std::size_t>(width * (block + 2) / block);

  distances.clear();
  for (std::size_t lane = 0; lane < cells.size(); lane++) {
    if (Repeats(lane)) continue;
    if (static_cast<std::size_t>(counts[lane]) > room) return false;
    sorted.resize(static_cast<std::size_t>(counts[lane]));
    for (PetscInt k = 0; k < counts[lane]; k++) {
      const std::int64_t d = static_cast<std::int64_t>(columns_of[lane][k]) - cells[lane];
      if (d < INT_MIN || d > INT_MAX) return false;
      sorted[k] = static_cast<int>(d);
    }
    if (!std::is_sorted(sorted.begin(), sorted.end())) std::sort(sorted.begin(), sorted.end());
    if (std::includes(distances.begin(), distances.end(), sorted.begin(), sorted.end())) continue;
    merged.clear();
    std::set_union(distances.begin(), distances.end(), sorted.begin(), sorted.end(), std::back_inserter(merged));
    distances.swap(merged);
    if (distances.size() > room) return false;
  }
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
      const int c = Column(lane, k);
      lo          = std::min(lo, c);
      hi          = std::max(hi, c);
      if (hi - lo > 0xffff) {
        words.clear();
        return;
      }
    }
    words[k] = lo;
    for (int lane = 0; lane < layout.slice; lane++) {
      const auto d = static_cast<std::uint16_t>(Column(lane, k) - lo);
      std::memcpy(delta + (static_cast<std::size_t>(k) * layout.slice + lane) * sizeof(d), &d, sizeof(d));
    }
  }
}

/* Appends to the index data; reserves memory for all remaining slices, since most are of this kind if one is */
std::int64_t SellpIndexer::Wide(int width)
{
  const std::size_t at = layout.index.size(), slice = layout.slice, stored = static_cast<std::size_t>(width) * slice;
  const auto        entries = static_cast<std::size_t>(layout.nnz) / (static_cast<std::size_t>(layout.block) * layout.block);

  if (layout.index.capacity() < at + stored) layout.index.reserve(std::max(at + stored, at + std::min(at, entries / 4) + entries + entries / 8));
  layout.index.resize(at + stored);
  for (std::size_t lane = 0; lane < slice; lane++) {
    const std::size_t l    = std::min(lane, cells.size() - 1);
    const PetscInt    last = counts[l] - 1;
    int              *to   = layout.index.data() + at + lane;
    for (int k = 0; k < width; k++)
      to[static_cast<std::size_t>(k) * slice] = last < 0 ? Column(static_cast<int>(l), k) : static_cast<int>(columns_of[l][std::min<PetscInt>(k, last)]);
  }
  return static_cast<std::int64_t>(at);
}

void SellpIndexer::Take(int first, int width, std::int64_t at, SellpIndex kind)
{
  layout.head.push_back({first, width, 4 * at + static_cast<int>(kind)});
  layout.by_kind[static_cast<int>(kind)] += 1.0 * width * layout.slice;
}

bool SellpIndexer::EndByDistances(int first, int *width)
{
  if (bits_wanted != 0 || !Distances(*width)) return false;
  const auto known = lists.find(distances);
  const auto at    = known != lists.end() ? known->second : (lists[distances] = Append(distances));

  *width = static_cast<int>(distances.size());
  Take(first, *width, at, SellpIndex::none);
  return true;
}

void SellpIndexer::EndByIndex(int first, int width)
{
  words.clear();
  if (bits_wanted != 32) Narrow(width);
  if (words.empty() && width > 0) Take(first, width, Wide(width), SellpIndex::wide);
  else Take(first, width, Append(words), SellpIndex::narrow);
}

} // namespace heptane

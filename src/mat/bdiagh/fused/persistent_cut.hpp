/*
   Distribution of rows to the blocks of a persistent kernel: evenly, or with fewer rows for the first and last blocks,
   whose rows other ranks need. For host and device; no PETSc objects.
*/
#pragma once

#include "../../../device/scalar.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

/* Blocks of `chunk` rows; the first `low` and the last `high` have `edge` of them, and the blocks before the last
   `high` may have fewer than chunk, or none */
struct BdiaghCut {
  int rows, blocks, chunk;
  int edge = 0, low = 0, high = 0;

  bool operator==(const BdiaghCut &c) const
  {
    return rows == c.rows && blocks == c.blocks && chunk == c.chunk && edge == c.edge && low == c.low && high == c.high;
  }
  HEPTANE_HD int first(int block) const
  {
    if (block < low) return block * edge;
    if (block >= blocks - high) return rows - (blocks - block) * edge;
    const int at = low * edge + (block - low) * chunk, end = rows - high * edge;
    return at < end ? at : end;
  }
  /* That has this row */
  int block_of(int row) const
  {
    if (row < low * edge) return row / edge;
    if (row >= rows - high * edge) return blocks - 1 - (rows - 1 - row) / edge;
    return low + (row - low * edge) / chunk;
  }
};

/* All blocks but the last have as many */
inline BdiaghCut bdiagh_even_cut(int rows, int chunk)
{
  return {rows, (rows + chunk - 1) / chunk, chunk};
}

constexpr int round_up_to(int n, int multiple)
{
  return (n + multiple - 1) / multiple * multiple;
}

/* With `edge` rows for each block that has some of the first `below` or the last `above` rows; evenly if the remaining
   blocks would exceed `most` rows, or are too few */
inline BdiaghCut bdiagh_cut(int rows, int blocks, int multiple, int below, int above, int edge, int most)
{
  const int       low = (below + edge - 1) / edge, high = (above + edge - 1) / edge, between = blocks - low - high;
  const long long rest = rows - 1LL * (low + high) * edge;
  const BdiaghCut even = {rows, blocks, round_up_to((rows + blocks - 1) / blocks, multiple)};

  if (low + high == 0 || between <= 0 || rest <= 0) return even;
  const int chunk = round_up_to(static_cast<int>((rest + between - 1) / between), multiple);
  if (chunk < edge || chunk > most) return even;
  return {rows, blocks, chunk, edge, low, high};
}

/* Offsets of the blocks, relative to a block, that hold columns of some block's rows, and their opposites, ascending;
   offset: of the diagonals */
inline std::vector<int> bdiagh_cut_partners(const BdiaghCut &cut, const int offset[], int diagonals)
{
  std::vector<char> is(2 * cut.blocks + 1);
  std::vector<int>  partner;

  for (int block = 0; block < cut.blocks; block++) {
    const int first = cut.first(block), end = cut.first(block + 1);
    for (int k = 0; k < diagonals && first < end; k++) {
      const int from = std::max(first + offset[k], 0), to = std::min(end - 1 + offset[k], cut.rows - 1);
      for (int other = from <= to ? cut.block_of(from) : 0, last = from <= to ? cut.block_of(to) : -1; other <= last; other++)
        is[cut.blocks + other - block] = is[cut.blocks + block - other] = 1;
    }
  }
  for (int d = -cut.blocks; d <= cut.blocks; d++)
    if (d && is[cut.blocks + d]) partner.push_back(d);
  return partner;
}

} // namespace heptane

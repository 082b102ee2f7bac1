/*
   Blocks of kernels of several ranks as threads: their tables, sums as RanksReduce has them, and lists by row.
*/
#pragma once

#include "comm/peer_grid.hpp"
#include "pass/remainder_rows.hpp"
#include "peer_threads.hpp"
#include <utility>

namespace heptane
{

/* The tables of all ranks */
class Grids {
public:
  explicit Grids(const std::vector<int> &blocks, std::uint64_t first = 0, std::uint64_t limit = 60 * second)
    : ranks(static_cast<int>(blocks.size())), G(ranks), memory(ranks, std::vector<PeerWord>(PeerGrid::words(ranks))), formed(ranks, first), failed(ranks),
      flags(ranks)
  {
    for (int r = 0; r < ranks; r++) {
      flags[r]   = &failed[r];
      G[r].ranks = ranks;
      G[r].rank  = r;
      for (int s = 0; s < ranks; s++) {
        G[r].blocks[s] = blocks[s];
        G[r].at[s]     = memory[s].data();
      }
      G[r].local = memory[r].data();
      G[r].sums  = &formed[r];
      G[r].limit = {limit, &failed[r], flags.data(), ranks};
    }
  }

  const int                          ranks;
  std::vector<PeerGrid>              G;
  std::vector<std::vector<PeerWord>> memory;
  std::vector<std::uint64_t>         formed;
  std::vector<int>                   failed;
  std::vector<int *>                 flags;
};

/* As RanksReduce has them, by one thread for each block with `lanes` lanes */
class Reduce {
public:
  Reduce(const PeerGrid &grid, int of_block, int of_lanes) : G(grid), block(of_block), lanes(of_lanes), number(peer_formed(grid)) {}

  template <int K>
  void sum(const double (&v)[K], double (&all)[K])
  {
    publish(v);
    for (int k = 0; k < K; k++)
      for (int r = 0; r < G.ranks; r++) {
        double total = 0;
        for (int lane = 0; lane < lanes; lane++) total += peer_share(G, k, number, block, r, lane, lanes);
        all[k] = r ? all[k] + total : total;
      }
  }
  template <int K>
  void publish(const double (&v)[K])
  {
    number++;
    for (int k = 0; k < K; k++)
      for (int r = 0; r < G.ranks; r++)
        for (int copy = 0; copy < peer_copies(G.rank, r); copy++) peer_part_to(G, r, k, number, copy, block, v[k]);
  }
  void end() const
  {
    if (block == 0) peer_end_sums(G, number);
  }

  const PeerGrid &G;
  const int       block, lanes;
  std::uint64_t   number;
};

/* Who is block `block` of which rank */
inline std::vector<std::pair<int, int>> everyone(const std::vector<int> &blocks)
{
  std::vector<std::pair<int, int>> all;

  for (std::size_t r = 0; r < blocks.size(); r++)
    for (int b = 0; b < blocks[r]; b++) all.emplace_back(static_cast<int>(r), b);
  return all;
}

/* Entries by row, as kernels find them; rows ascending */
struct ByRow {
  std::vector<std::uint32_t> mask = std::vector<std::uint32_t>(4);
  std::vector<int>           base = std::vector<int>(4), ptr = {0}, col;
  std::vector<Scalar>        values;

  void Entry(int row, int column, Scalar value = 0)
  {
    const std::uint32_t bit = 1u << row % 32;

    if (!(mask[row / 32] & bit)) {
      mask[row / 32] |= bit;
      for (std::size_t w = row / 32 + 1; w < base.size(); w++) base[w]++;
      ptr.push_back(ptr.back());
    }
    ptr.back()++;
    col.push_back(column);
    values.push_back(value);
  }
  RemainderRows View() const { return {mask.data(), base.data(), ptr.data(), col.data(), values.data(), 3}; }
};

} // namespace heptane

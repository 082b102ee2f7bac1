/*
   The last levels of a cycle, one unknown per cell, in the shared memory of a few thread blocks that see each other's: which block has which lines, and the steps. A step there takes less time
   than a launch. Levels of few lines are in the first block alone, whose steps wait for no other one. For host and device.

   Of a line, a block has the coefficients and, apart from these, x, b and where changes are stored d. Cell k is where a warp reads neighbouring words: see place().
*/
#pragma once

#include "../grid/level.hpp"
#include "../grid/plan.hpp"
#include "../grid/tuning.hpp"
#include <algorithm>
#include <type_traits>

namespace heptane
{

/* Lines of a warp: cells of a lane, by the length of a line: f(cells), known to the compiler. Longer lines go through it in panels. */
template <class F>
auto with_lane_cells(int K, F &&f)
{
  if (K <= 32) return f(std::integral_constant<int, 1>());
  if (K <= 64) return f(std::integral_constant<int, 2>());
  if (K <= 96) return f(std::integral_constant<int, 3>());
  if (K <= 128) return f(std::integral_constant<int, 4>());
  return f(std::integral_constant<int, 8>());
}

/* A level, and the blocks rank, ..., rank + ranks - 1 that have its lines: of each colour of_rank neighbouring ones, from the number `line` of the block on */
template <class Real>
struct GridTailLevel {
  GridLevel<Real> L;
  int             rank = 0, ranks = 1, of_rank = 0, line = 0;

  /* The line of a place in layer 0: the block in the upper byte, but for its first bit, and the number there */
  HEPTANE_HD unsigned reference(unsigned place) const
  {
    const unsigned colour = place >= L.columns, column = place - colour * static_cast<unsigned>(L.columns), of = static_cast<unsigned>(of_rank);

    return (rank + column / of) << 24 | (line + colour * of + column % of);
  }
  /* The columns of a colour that a block has */
  HEPTANE_HD int first(int block) const { return (block - rank) * of_rank; }
  HEPTANE_HD int count(int block) const
  {
    const int left = static_cast<int>(L.columns) - first(block);

    return block < rank || block >= rank + ranks || left < 0 ? 0 : left < of_rank ? left : of_rank;
  }
};

struct GridTailStep {
  int  level, colour;                                /* of those of the tail */
  bool zero, correct, change, restricted, of_change; /* restricted: the right-hand side is the residual of the level before, of its change or of x */
  bool alone, near;                                  /* alone: the first block does it; near: and reads nothing of others */
};

/* What the kernel sees; all arrays lie on the device */
template <class Real>
struct GridTail {
  const GridTailLevel<Real> *level = nullptr; /* [levels] */
  const GridTailStep        *step  = nullptr; /* [steps] */
  Real                      *image = nullptr; /* [blocks * image_of()]: coefficients as blocks have them */
  int                        first = 0, levels = 0, steps = 0, blocks = 1;
  int                        lines = 0, length = 0, vectors = 2; /* of a block; reals of a line; x, b and perhaps d */

  static constexpr std::size_t quad = 16;
  HEPTANE_HD std::size_t image_of() const { return (static_cast<std::size_t>(lines) * grid_slots * length + 3) / 4 * 4; }
  HEPTANE_HD unsigned    coef_at(int line) const { return static_cast<unsigned>(line * grid_slots * length); }
  HEPTANE_HD unsigned    vector_at(int line) const { return static_cast<unsigned>(image_of()) + static_cast<unsigned>(line * vectors * length); }
  HEPTANE_HD std::size_t reals() const { return (vector_at(lines) + std::size_t(3)) / 4 * 4; }
};

/* Where cell k of a line is, for lanes of so many cells */
template <int CELLS>
HEPTANE_HD int grid_tail_place(int k)
{
  return k / (32 * CELLS) * (32 * CELLS) + k % CELLS * 32 + k / CELLS % 32;
}

/* The lines next to one, as references, and the red ones of the level before whose residuals are its right-hand side: with grid_no_line where there is none */
inline constexpr unsigned grid_no_line = 1u << 31;
struct alignas(8) GridTailLine {
  unsigned place[4], behind[4], red[2], beside[2][4];
};

/* Shared memory of a block: coefficients and vectors, the levels, the lines */
template <class Real>
std::size_t grid_tail_bytes(const GridTail<Real> &T)
{
  return T.reals() * sizeof(Real) + T.levels * sizeof(GridTailLevel<Real>) + T.lines * sizeof(GridTailLine);
}

/* Levels from `first` on for so many blocks: what is in T but for memory, and the levels. */
template <class Real>
GridTail<Real> grid_tail_levels(const std::vector<GridLevel<Real>> &all, int first, int blocks, bool changes, std::vector<GridTailLevel<Real>> *levels)
{
  const int      count = static_cast<int>(all.size());
  GridTail<Real> T;
  int            alone = count, lines[2] = {0, 0}; /* of the first block, of others */

  levels->clear();
  T.first = first;
  if (first >= count) return T;
  while (alone > first && (blocks == 1 || all[alone - 1].columns <= GridTuning::tail_columns)) alone--;
  T.blocks = alone > first ? blocks : 1;
  for (int l = first; l < count; l++) {
    const bool          here = l >= alone;
    GridTailLevel<Real> at;

    at.L       = all[l];
    at.rank    = here || alone == count ? 0 : 1;
    at.ranks   = here ? 1 : T.blocks - at.rank;
    at.of_rank = static_cast<int>((at.L.columns + at.ranks - 1) / at.ranks);
    at.line    = lines[!here];
    lines[!here] += 2 * at.of_rank;
    levels->push_back(at);
  }
  T.levels = count - first;
  T.lines  = std::max(lines[0], lines[1]);
  T.length =
    with_lane_cells(all[first].K, [&](auto cells) { return (all[first].K + 32 * cells() - 1) / (32 * cells()) * 32 * cells() + 1; }); /* odd: other banks */
  T.vectors = changes ? 3 : 2;
  return T;
}

/* The steps of a plan from T.first on. number[k]: how many come before step k of the plan. Restrictions are part of the solutions behind them. */
template <class Real>
std::vector<GridTailStep> grid_tail_steps(const GridTail<Real> &T, const std::vector<GridTailLevel<Real>> &levels, const GridPlan &plan,
                                          std::vector<int> *number)
{
  struct Waiting {
    bool for_colour[2], of_change;
  };
  const auto                alone = [&](int l) { return levels[l].ranks == 1 && levels[l].rank == 0; };
  std::vector<GridTailStep> steps;
  std::vector<Waiting>      waits(levels.size() + 1, {
                                                       {false, false},
                                                       false
  });

  number->clear();
  for (const GridStep &s : plan.steps) {
    const int l = s.level - T.first;

    number->push_back(static_cast<int>(steps.size()));
    if (l < 0) continue;
    if (s.op == GridOp::restrict)
      waits[l + 1] = {
        {true, true},
        s.change
      };
    if (s.op != GridOp::solve) continue;
    GridTailStep t = {l, s.colour, s.zero, s.correct, s.change, waits[l].for_colour[s.colour], waits[l].of_change, alone(l), false};

    t.near                        = t.alone && !(t.restricted && !alone(l - 1));
    waits[l].for_colour[s.colour] = false;
    steps.push_back(t);
  }
  number->push_back(static_cast<int>(steps.size()));
  return steps;
}

} // namespace heptane

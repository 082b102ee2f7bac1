/*
   The last levels of a cycle, one unknown per cell, in the distributed shared memory of a few thread blocks: assignment
   of lines to blocks, and the steps. A step costs less than a launch. The first block solves levels of few lines by
   itself, without waiting for other blocks. For host and device.
   For each line a block stores the coefficients and, separately, x, b and, if changes are stored, d. Cells are permuted
   so that a warp reads consecutive words: see grid_tail_place().
*/
#pragma once

#include "../grid/level.hpp"
#include "../grid/plan.hpp"
#include "../grid/tuning.hpp"
#include <algorithm>
#include <type_traits>

namespace heptane
{

/* Cells per lane for lines of K cells, as a compile-time constant: f(cells). Longer lines are processed in panels. */
template <class F>
auto with_lane_cells(int K, F &&f)
{
  if (K <= 32) return f(std::integral_constant<int, 1>());
  if (K <= 64) return f(std::integral_constant<int, 2>());
  if (K <= 96) return f(std::integral_constant<int, 3>());
  if (K <= 128) return f(std::integral_constant<int, 4>());
  return f(std::integral_constant<int, 8>());
}

/* A level, and the blocks rank, ..., rank + ranks - 1 that store its lines: of_rank neighbouring lines of each colour,
   from line number `line` of the block on */
template <class Real>
struct GridTailLevel {
  GridLevel<Real> L;
  int             rank = 0, ranks = 1, of_rank = 0, line = 0;

  /* Reference to the line of a place in layer 0: the block in the upper byte except its first bit, and the number
     there */
  HEPTANE_HD unsigned reference(unsigned place) const
  {
    const unsigned colour = place >= L.columns, column = place - colour * static_cast<unsigned>(L.columns), of = static_cast<unsigned>(of_rank);

    return (rank + column / of) << 24 | (line + colour * of + column % of);
  }
  /* The columns of a colour in a block */
  HEPTANE_HD int first(int block) const { return (block - rank) * of_rank; }
  HEPTANE_HD int count(int block) const
  {
    const int left = static_cast<int>(L.columns) - first(block);

    return block < rank || block >= rank + ranks || left < 0 ? 0 : left < of_rank ? left : of_rank;
  }
};

struct GridTailStep {
  int level, colour; /* numbers within the tail */
  /* restricted: the right-hand side is the restricted residual of the previous level, from its change or x */
  bool zero, correct, change, restricted, of_change;
  bool alone, near; /* only the first block runs it; it also reads no data of other blocks */
};

/* Arguments of the kernel; all arrays are in device memory */
template <class Real>
struct GridTail {
  const GridTailLevel<Real> *level = nullptr; /* [levels] */
  const GridTailStep        *step  = nullptr; /* [steps] */
  Real                      *image = nullptr; /* [blocks * image_of()]: coefficients in the layout of the blocks */
  int                        first = 0, levels = 0, steps = 0, blocks = 1;
  int                        lines = 0, length = 0, vectors = 2; /* of a block; reals of a line; x, b and perhaps d */

  static constexpr std::size_t quad = 16;
  HEPTANE_HD std::size_t image_of() const { return (static_cast<std::size_t>(lines) * grid_slots * length + 3) / 4 * 4; }
  HEPTANE_HD unsigned    coef_at(int line) const { return static_cast<unsigned>(line * grid_slots * length); }
  HEPTANE_HD unsigned    vector_at(int line) const { return static_cast<unsigned>(image_of()) + static_cast<unsigned>(line * vectors * length); }
  HEPTANE_HD std::size_t reals() const { return (vector_at(lines) + std::size_t(3)) / 4 * 4; }
};

/* The index of cell k in a line, for CELLS cells per lane */
template <int CELLS>
HEPTANE_HD int grid_tail_place(int k)
{
  return k / (32 * CELLS) * (32 * CELLS) + k % CELLS * 32 + k / CELLS % 32;
}

/* The neighbouring lines of a line, as references, and the red lines of the previous level whose residuals are its
   right-hand side; grid_no_line if there is none */
inline constexpr unsigned grid_no_line = 1u << 31;
struct alignas(8) GridTailLine {
  unsigned place[4], coarse_place[4], red[2], fine_place[2][4];
};

/* Shared memory of a block: coefficients and vectors, the levels, the lines */
template <class Real>
std::size_t grid_tail_bytes(const GridTail<Real> &T)
{
  return T.reals() * sizeof(Real) + T.levels * sizeof(GridTailLevel<Real>) + T.lines * sizeof(GridTailLine);
}

/* Assigns the levels from `first` on to `blocks` blocks. Sets all of T except addresses, and the levels. */
template <class Real>
GridTail<Real> grid_tail_levels(const std::vector<GridLevel<Real>> &all, int first, int blocks, bool changes, std::vector<GridTailLevel<Real>> *levels)
{
  const int      count = static_cast<int>(all.size());
  GridTail<Real> T;
  int            alone = count, lines[2] = {0, 0}; /* lines: of the first block, of each other block */

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
    /* odd, against bank conflicts */
    with_lane_cells(all[first].K, [&](auto cells) { return (all[first].K + 32 * cells() - 1) / (32 * cells()) * 32 * cells() + 1; });
  T.vectors = changes ? 3 : 2;
  return T;
}

/* The steps of a plan from T.first on. number[k]: steps of the tail that precede step k of the plan. Restrictions are
   part of the following solves. */
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

/*
   Chooses line axis and coarsening, and lists the steps of a cycle.
*/
#include "plan.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

/* Lines along the strongest axis. Among axes of similar strength the last one is chosen, so that neighbours across
   lines are neighbours in memory. */
int line_axis(const GridShape &shape, const GridOptions &options, const GridMeans &means)
{
  constexpr double about = 2.5;
  double           most  = 0;
  int              line  = 0;

  if (options.line_axis >= 0) return options.line_axis;
  for (int a = 0; a < 3; a++)
    if (shape.extent[a] > 1) most = std::max(most, means.mean(a));
  for (int a = 0; a < 3; a++)
    if (shape.extent[a] > 1 && means.mean(a) * about >= most) line = a;
  return line;
}

/* The steps of one cycle, from fine to coarse and back */
class Lister {
public:
  Lister(const GridOptions &o, const std::vector<bool> &l, GridPlan *p) : options(o), remainder(l), plan(p) {}

  /* zero: x is zero on entry. A second call on a level has zero = false; F cycles make it a V cycle. */
  void Cycle(int level, bool zero, GridCycle kind)
  {
    const bool last = level + 1 == static_cast<int>(plan->levels.size());
    GridStep   s{GridOp::enter, level, 0};

    if (zero && remainder[level]) plan->steps.push_back(s);
    for (int k = 0; k < options.smooths; k++) {
      const bool first = zero && k == 0;

      if (first || k > 0 || remainder[level]) Solve(level, 0, first, false, false); /* after a cycle the residual of red columns is zero */
      if (!last || HasBlack(level)) Solve(level, 1, false, false, !last && !first && k + 1 == options.smooths);
    }
    if (last) {
      if (HasBlack(level) || remainder[level]) Solve(level, 0, false, false, false);
      return;
    }
    s.op     = GridOp::restrict;
    s.change = !(zero && options.smooths == 1);
    plan->steps.push_back(s);
    Cycle(level + 1, true, kind);
    if (kind != GridCycle::v && level + 2 < static_cast<int>(plan->levels.size())) Cycle(level + 1, false, kind == GridCycle::f ? GridCycle::v : kind);
    if (remainder[level]) {
      s.op = GridOp::prolong;
      plan->steps.push_back(s);
    }
    for (int k = 0; k < options.smooths; k++) {
      Solve(level, 1, false, k == 0 && !remainder[level], false);
      Solve(level, 0, false, false, false);
    }
  }

private:
  bool HasBlack(int level) const { return plan->levels[level].J * plan->levels[level].I > 1; }
  void Solve(int level, int colour, bool zero, bool correct, bool change)
  {
    GridStep s{GridOp::solve, level, colour};

    if (colour == 1 && !HasBlack(level)) return;
    if (remainder[level] && !zero) plan->steps.push_back({GridOp::balance, level, colour}); /* remainder entries times zero need no balance */
    s.zero    = zero;
    s.correct = correct;
    s.change  = change;
    plan->changes |= change;
    plan->steps.push_back(s);
  }

  const GridOptions       &options;
  const std::vector<bool> &remainder;
  GridPlan                *plan;
};

} // namespace

GridPlan grid_plan_levels(const GridShape &shape, const GridOptions &options, const GridMeans &means)
{
  GridPlan  plan;
  const int line = line_axis(shape, options, means);
  int       fast = line == 0 ? 1 : 0, slow = line == 2 ? 1 : 2;

  /* with one cell along the faster axis half of the columns of a colour would be padding */
  if (shape.extent[fast] == 1) std::swap(fast, slow);
  plan.axis[0]  = line;
  plan.axis[1]  = slow;
  plan.axis[2]  = fast;
  GridExtent e  = {shape.extent[line], shape.extent[slow], shape.extent[fast], false, false};
  double     mj = means.mean(slow), mi = means.mean(fast);
  for (;;) {
    const bool   more = e.J * e.I > 1 && (!options.levels || static_cast<int>(plan.levels.size()) + 1 < options.levels);
    const double most = std::max(e.J > 1 ? mj : 0, e.I > 1 ? mi : 0);

    e.pair_j = more && e.J > 1 && mj * options.threshold >= most;
    e.pair_i = more && e.I > 1 && mi * options.threshold >= most;
    if (more && !e.pair_j && !e.pair_i) { /* invalid means */
      e.pair_j = e.J > 1;
      e.pair_i = e.I > 1;
    }
    plan.levels.push_back(e);
    if (!more) return plan;
    /* the mean of a coarse face: parallel faces are added, a face across aggregates is halved */
    mj *= (e.pair_j ? 0.5 : 1) * (e.pair_i ? 2 : 1);
    mi *= (e.pair_i ? 0.5 : 1) * (e.pair_j ? 2 : 1);
    if (e.pair_j) e.J = (e.J + 1) / 2;
    if (e.pair_i) e.I = (e.I + 1) / 2;
  }
}

void grid_plan_steps(const GridOptions &options, const std::vector<bool> &remainder, GridPlan *plan)
{
  plan->steps.clear();
  plan->changes = false;
  Lister(options, remainder, plan).Cycle(0, true, options.cycle);
}

} // namespace heptane

/*
   Divides levels among processes: see division.hpp.
*/
#include "division.hpp"
#include <algorithm>

namespace heptane
{

GridRows GridDivision::Rows(const GridPlan &plan, int level, int process) const
{
  GridRows rows;
  int      first, end, pairs = 0;

  if (process >= processes()) return rows;
  for (int l = 0; l < level; l++) pairs += plan.levels[l].pair_j;
  first      = start[process] >> pairs;
  end        = process + 1 == processes() ? plan.levels[level].J : start[process + 1] >> pairs;
  rows.first = first;
  rows.owned = end - first;
  rows.south = std::min(overlap[level], first);
  rows.north = std::min(overlap[level], plan.levels[level].J - end);
  return rows;
}

int GridDivision::MostRows(const GridPlan &plan, int level) const
{
  int most = 0;

  for (int p = 0; p < processes(); p++) most = std::max(most, Rows(plan, level, p).all());
  return most;
}

std::string grid_divide(const GridPlan &plan, int processes, int levels, GridDivision *division)
{
  const int rows  = plan.levels[0].J;
  int       pairs = 0;

  *division = GridDivision();
  if (levels < 1 || levels >= static_cast<int>(plan.levels.size())) return "the grid has fewer levels";
  for (int l = 0; l + 1 < levels; l++) pairs += plan.levels[l].pair_j;
  const int joined = 2 << pairs, blocks = (rows + joined - 1) / joined, parts = std::min(processes, blocks);
  if (parts < 2) return "the grid has " + std::to_string(rows) + " rows of lines, too few for slabs";
  division->levels = levels;
  for (int p = 0; p <= parts; p++) division->start.push_back(std::min(rows, static_cast<int>(static_cast<long long>(blocks) * p / parts) * joined));
  bool wide = true;
  for (int p = 0; p + 1 < parts; p++) wide = wide && division->start[p + 1] - division->start[p] >= GridDivision::wide;
  const int overlap = wide ? std::max(joined, GridDivision::wide) : joined;
  for (int l = 0, before = 0; l < levels; before += plan.levels[l++].pair_j) division->overlap.push_back(overlap >> before);
  division->overlap.push_back(division->overlap.back() >> plan.levels[levels - 1].pair_j);
  return "";
}

GridPlan grid_slab_plan(const GridPlan &plan, const GridDivision &division, int process)
{
  GridPlan slab;

  std::copy(plan.axis, plan.axis + 3, slab.axis);
  slab.changes = plan.changes;
  for (int l = 0; l <= division.levels; l++) {
    GridExtent e = plan.levels[l];

    e.J = division.Rows(plan, l, process).all();
    if (l == division.levels) e.pair_j = e.pair_i = false;
    slab.levels.push_back(e);
  }
  for (const GridStep &s : plan.steps)
    if (s.level < division.levels) slab.steps.push_back(s);
  return slab;
}

GridPlan grid_coarse_plan(const GridPlan &plan, const GridDivision &division)
{
  GridPlan coarse;

  std::copy(plan.axis, plan.axis + 3, coarse.axis);
  coarse.changes = plan.changes;
  coarse.levels.assign(plan.levels.begin() + division.levels, plan.levels.end());
  for (GridStep s : plan.steps) {
    if (s.level < division.levels) continue;
    s.level -= division.levels;
    coarse.steps.push_back(s);
  }
  return coarse;
}

namespace
{

/* Processes the steps of a cycle and records how many overlap rows of each array are valid */
class Stager {
public:
  Stager(const GridPlan &p, const GridDivision &d) : plan(p), division(d), right(static_cast<std::size_t>(d.levels) + 1) { right[0].b = d.overlap[0]; }

  std::vector<GridStage> All()
  {
    for (const GridStep &s : plan.steps) Along(s);
    return stages;
  }
  std::vector<GridStage> Coarse()
  {
    std::size_t first = 0, last = plan.steps.size();

    while (first < last && plan.steps[first].level == 0) first++;
    while (last > first && plan.steps[last - 1].level == 0) last--;
    steps = static_cast<int>(first);
    if (division.levels > 1) Exchange(1, GridStage::b);
    for (std::size_t k = first; k < last; k++) Along(plan.steps[k]);
    if (right[1].both() < 1) Exchange(1, GridStage::x);
    return stages;
  }

private:
  struct Right {
    int  b = 0, x[2] = {0, 0}, d = 0; /* x: of red and black lines */
    bool has_remainder = false;       /* the counts below apply */
    int  balanced[2]   = {0, 0};      /* balanced right-hand sides of red and black lines */

    int both() const { return std::min(x[0], x[1]); }
  };

  void Along(const GridStep &s)
  {
    if (s.level >= division.levels) CoarseSolve();
    else if (s.op == GridOp::solve) Solve(s);
    else if (s.op == GridOp::restrict) Restrict(s);
    else if (s.op == GridOp::prolong) Prolong(s);
    else RemainderStep(s);
  }
  /* Remainder entries are within lines, so they need no other rows */
  void RemainderStep(const GridStep &s)
  {
    Right &r = right[s.level];

    if (s.op == GridOp::enter) {
      r.has_remainder = true;
      r.x[0] = r.x[1] = division.overlap[s.level]; /* zeros in the columns of remainder entries */
    } else r.balanced[s.colour] = std::min(r.b, r.x[s.colour]);
    Step();
  }
  void Prolong(const GridStep &s)
  {
    Right    &r      = right[s.level];
    const int coarse = right[s.level + 1].both() << plan.levels[s.level].pair_j;

    for (int &x : r.x) x = std::min(x, coarse);
    Step();
  }
  void Step()
  {
    if (stages.empty() || stages.back().kind != GridStage::steps) stages.push_back({GridStage::steps, steps, steps, 0, GridStage::x});
    stages.back().to = ++steps;
  }
  void Exchange(int level, GridStage::Array array)
  {
    Right    &r    = right[level];
    const int sent = std::min(GridDivision::sent, division.overlap[level]);

    stages.push_back({GridStage::exchange, 0, 0, level, array});
    if (array == GridStage::b) r.b = sent;
    else if (array == GridStage::d) r.d = sent;
    else r.x[0] = r.x[1] = sent;
  }
  void CoarseSolve()
  {
    Right &r = right.back();

    if (stages.empty() || stages.back().kind != GridStage::coarse) stages.push_back({GridStage::coarse, 0, 0, division.levels, GridStage::x});
    r.x[0] = r.x[1] = division.overlap.back();
  }
  /* Reads one more row of the other colour */
  void Solve(const GridStep &s)
  {
    const int l = s.level, c = s.colour;
    Right    &r      = right[l];
    int       across = division.overlap[l] + 1;

    if (s.correct && right[l + 1].both() < 1) Exchange(l + 1, GridStage::x);
    if (!s.zero && r.x[1 - c] < 1) Exchange(l, GridStage::x);
    if (!s.zero) across = std::min(across, r.x[1 - c]);
    if (s.correct) across = std::min(across, right[l + 1].both() << plan.levels[l].pair_j);
    if (s.zero) r.balanced[c] = r.b;
    const int now = std::min(r.has_remainder ? r.balanced[c] : r.b, across - 1);
    if (s.change) r.d = std::min(now, r.x[c]);
    r.x[c] = now;
    Step();
  }
  void Restrict(const GridStep &s)
  {
    Right &r = right[s.level], &coarse = right[s.level + 1];

    if (s.change && r.d < 1) Exchange(s.level, GridStage::d);
    if (!s.change && r.x[1] < 1) Exchange(s.level, GridStage::x);
    int now = std::min((s.change ? r.d : r.x[1]) - 1, r.x[0]);
    if (r.has_remainder) now = std::min({now, r.balanced[0], r.balanced[1]});
    coarse.b = now >> plan.levels[s.level].pair_j;
    Step();
    if (s.level + 1 < division.levels && coarse.b < GridDivision::sent) Exchange(s.level + 1, GridStage::b);
  }

  const GridPlan        &plan;
  const GridDivision    &division;
  std::vector<Right>     right; /* of each level */
  std::vector<GridStage> stages;
  int                    steps = 0;
};

double cells_of(const GridExtent &e)
{
  return static_cast<double>(e.K) * e.J * e.I;
}

} // namespace

std::vector<GridStage> grid_divided_stages(const GridPlan &plan, const GridDivision &division)
{
  return Stager(plan, division).All();
}

std::vector<GridStage> grid_coarse_stages(const GridPlan &plan, const GridDivision &division)
{
  return Stager(plan, division).Coarse();
}

double grid_gathered_cost(const GridPlan &plan, double moved, const GridDividedCost &cost)
{
  double total = 2 * (moved * cost.moved + cost.exchange);

  for (const GridExtent &e : plan.levels) total += cells_of(e);
  return total;
}

double grid_divided_cost(const GridPlan &plan, const GridDivision &division, double moved, const GridDividedCost &cost)
{
  double total = 2 * (moved * cost.moved + cost.exchange);

  for (int l = 0; l < static_cast<int>(plan.levels.size()); l++)
    total += cells_of(plan.levels[l]) * (l < division.levels ? static_cast<double>(division.MostRows(plan, l)) / plan.levels[l].J : 1);
  for (const GridStage &s : grid_divided_stages(plan, division))
    total += cost.exchange * (s.kind == GridStage::exchange ? 1 : s.kind == GridStage::coarse ? 2 : 0);
  return total;
}

double grid_red_columns_cost(const GridPlan &plan, const GridDivision &division)
{
  const bool without = division.overlap[0] >= GridDivision::wide;

  return without ? 0 : GridDividedTuning::red_columns * cells_of(plan.levels[0]) * division.MostRows(plan, 0) / plan.levels[0].J;
}

} // namespace heptane

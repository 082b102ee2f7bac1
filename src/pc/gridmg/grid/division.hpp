/*
   How the finest levels of a hierarchy are divided among processes: in slabs of rows of lines along the slower axis across, with rows of the neighbours beside them, and when these must be brought up to
   date in a cycle. The other levels are on all of them. Host only; knows no values, no device, no messages.

   Rows beside a slab are computed as those of the slab are, by both processes alike. Each half sweep needs what lies one row further out, so what is right ends one row earlier after it; rows are sent
   only where nothing right would be left. So the cycle is that of one process, and one with one divided level and one sweep sends no rows but those of the right-hand side.
*/
#pragma once

#include "divided_tuning.hpp"
#include "plan.hpp"
#include <string>

namespace heptane
{

/* The rows of a level that a process has: its own, from `first` of the level on, and those of its neighbours beside them */
struct GridRows {
  int first = 0, own = 0, south = 0, north = 0;

  int all() const { return south + own + north; }
  int offset() const { return first - south; } /* of the first row */
};

struct GridDivision {
  static constexpr int sent = 2; /* rows beside a slab that are brought up to date together: those of an aggregate */
  static constexpr int wide =
    4; /* beside slabs, where they are there: CG without red columns sends so many rows of z once per iteration, see reduced/reduced.hpp */

  int              levels = 0; /* that are divided; 0: none. Level `levels` is the first one behind */
  std::vector<int> start;      /* [processes with rows + 1]: rows of the finest level, multiples of what aggregates join on the divided levels */
  std::vector<int> beside;     /* [levels + 1]: rows beside a slab, even on divided levels, so that lines have their colours */
  bool             operator==(const GridDivision &o) const { return levels == o.levels && start == o.start; }
  int              processes() const { return static_cast<int>(start.size()) - 1; }
  GridRows         Rows(const GridPlan &plan, int level, int process) const;
  int              MostRows(const GridPlan &plan, int level) const; /* of a process, with those beside */
};

/* `levels` levels of a plan divided among at most so many processes. Not empty: why they cannot be */
std::string grid_divide(const GridPlan &plan, int processes, int levels, GridDivision *division);

/* What happens in a cycle, in order */
struct GridStage {
  enum Kind {
    steps,    /* those from `from` to before `to` of the slab's plan */
    exchange, /* rows beside the slab: of b, x or d of a level */
    behind    /* levels behind: right-hand side there, its steps, the solution back */
  } kind;
  enum Array { b, x, d };

  int   from = 0, to = 0;
  int   level = 0;
  Array array = x;
};

/* The levels of a process, with the one behind them, and the steps on them */
GridPlan grid_slab_plan(const GridPlan &plan, const GridDivision &division, int process);
/* The levels behind, with their steps */
GridPlan               grid_behind_plan(const GridPlan &plan, const GridDivision &division);
std::vector<GridStage> grid_divided_stages(const GridPlan &plan, const GridDivision &division);
/*
   Of a cycle with one sweep what lies between the restriction of the finest level and the correction there. Before it own rows of the right-hand side of the level behind are right, after it its solution in
   own rows and one beside them at least.
*/
std::vector<GridStage> grid_coarse_stages(const GridPlan &plan, const GridDivision &division);

/* What an application takes, by an estimate, in units of a cell of a cycle on one process; moved: numbers of a vector that come from other processes */
double grid_gathered_cost(const GridPlan &plan, double moved, const GridDividedCost &cost);
double grid_divided_cost(const GridPlan &plan, const GridDivision &division, double moved, const GridDividedCost &cost);
/* What CG on all columns takes more than without red ones, which needs wide slabs */
double grid_red_columns_cost(const GridPlan &plan, const GridDivision &division);

} // namespace heptane

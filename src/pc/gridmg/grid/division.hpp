/*
   Division of the finest levels of a hierarchy among processes into slabs: rows of lines along the slower axis across,
   with overlap rows of the neighbours. Stages of a divided cycle, which exchange the overlap. Coarser levels are
   replicated. Host only; independent of values, devices, messages.
   Both neighbours compute overlap rows alike. Each half sweep reads one row further out and so invalidates one overlap
   row; the overlap is exchanged only when none would be valid. The result is that of the cycle on one process. With one
   divided level and one sweep only rows of the right-hand side are sent.
*/
#pragma once

#include "plan.hpp"
#include <string>

namespace heptane
{

/* Estimated cost of the parts of a divided cycle, in units of the time per cell of a cycle on one process */
struct GridDividedCost {
  double exchange = 0; /* a message or a barrier, with the work that depends on it */
  double moved    = 0; /* a number of a vector that is sent to another process */

  /* The same with b unknowns per cell, which has 7 b^2 coefficients and 2 b numbers of vectors */
  GridDividedCost Of(int b) const
  {
    const double numbers = (7. * b + 2) * b / 9;

    return {exchange / numbers, moved / numbers};
  }
};

/*
   A cycle is divided if its estimated time is at most `gain` times that of a cycle on the first process, which receives
   vectors by messages. host: processes on the host, with slabs or messages; messages: devices, through the host;
   shared: slabs on devices; nccl: devices, slabs or vectors, 15 us and 50 GB/s. Guesses, consistent with 128^3 cells on
   two H200 of one host; `shared` fits one and two divided levels there, which differ by 2 to 4 % from 128^3 to 256^3
   cells.
*/
struct GridDividedTuning {
  static constexpr GridDividedCost host() { return {1000, 0.2}; }
  static constexpr GridDividedCost messages() { return {1e6, 500}; }
  static constexpr GridDividedCost shared() { return {1.8e5, 1}; }
  static constexpr GridDividedCost nccl() { return {1e6, 10}; }
  static constexpr double          gain = 0.9;
  /* Extra cost of CG on all columns over CG without red columns, per cell of the finest level. Guess: 270 - 141 bytes,
     over 60 bytes of a cycle */
  static constexpr double red_columns = 2;
  /* Least number of cells for which two GPUs are faster than one: 0.88 of its time with 4.1M cells, two H100 */
  static constexpr double one_gpu_cells = 2.5e6;
};

/* The rows of a level that a process stores: own rows, from row `first` of the level on, and overlap rows of both
   neighbours */
struct GridRows {
  int first = 0, owned = 0, south = 0, north = 0;

  int all() const { return south + owned + north; }
  int offset() const { return first - south; } /* of the first row */
};

struct GridDivision {
  static constexpr int sent = 2; /* overlap rows that are exchanged together: the rows of an aggregate */
  /* overlap rows of a wide slab: CG without red columns sends this number of rows of z per iteration, see
     reduced/reduced.hpp */
  static constexpr int wide = 4;

  int              levels = 0; /* divided levels, 0: none. Level `levels` is the first undivided one */
  std::vector<int> start;      /* [processes with rows + 1]: rows of the finest level, multiples of the rows of an aggregate of the divided levels */
  std::vector<int> overlap;    /* [levels + 1]: overlap rows, an even number on divided levels, so that lines keep their colours */
  bool             operator==(const GridDivision &o) const { return levels == o.levels && start == o.start; }
  int              processes() const { return static_cast<int>(start.size()) - 1; }
  GridRows         Rows(const GridPlan &plan, int level, int process) const;
  int              MostRows(const GridPlan &plan, int level) const; /* of any process, with overlap rows */
};

/* Divides `levels` levels of a plan among at most `processes` processes. Returns the reason if that is impossible,
   otherwise an empty string. */
std::string grid_divide(const GridPlan &plan, int processes, int levels, GridDivision *division);

/* A stage of a divided cycle */
struct GridStage {
  enum Kind {
    steps,    /* steps `from` to `to` - 1 of the slab's plan */
    exchange, /* overlap rows of b, x or d of a level */
    coarse    /* undivided levels: gather the right-hand side, run their steps, return the solution */
  } kind;
  enum Array { b, x, d };

  int   from = 0, to = 0;
  int   level = 0;
  Array array = x;
};

/* The divided levels of a process and the first undivided one, with the steps on them */
GridPlan grid_slab_plan(const GridPlan &plan, const GridDivision &division, int process);
/* The undivided levels, with their steps */
GridPlan               grid_coarse_plan(const GridPlan &plan, const GridDivision &division);
std::vector<GridStage> grid_divided_stages(const GridPlan &plan, const GridDivision &division);
/*
   The part of a cycle with one sweep between the restriction of the finest level and the correction there. On entry own
   rows of the right-hand side of level 1 are valid; on return its solution is valid in own rows and at least one
   overlap row.
*/
std::vector<GridStage> grid_coarse_stages(const GridPlan &plan, const GridDivision &division);

/* Estimated time of an application, in units of the time per cell of a cycle on one process; moved: vector entries
   received from other processes */
double grid_gathered_cost(const GridPlan &plan, double moved, const GridDividedCost &cost);
double grid_divided_cost(const GridPlan &plan, const GridDivision &division, double moved, const GridDividedCost &cost);
/* Extra cost of CG on all columns over CG without red columns, which requires wide slabs */
double grid_red_columns_cost(const GridPlan &plan, const GridDivision &division);

} // namespace heptane

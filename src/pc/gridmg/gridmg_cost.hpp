/*
   What the kernels of a cycle move, for the metrics: coefficients, right-hand sides and solutions that a kernel must read or write, each once, whatever neighbouring threads share. One unknown per
   cell; what several move is not known here.
*/
#pragma once

#include "../../metrics/metrics.hpp"
#include "gridmg_system.hpp"
#include "gridmg_tail.hpp"
#include <cmath>
#include <string>

namespace heptane
{

/* Cells of a level as stored, which kernels go through */
template <class Real>
double grid_cells(const GridLevel<Real> &L)
{
  return static_cast<double>(L.cells);
}

/* The places that four couplings across take */
template <class Real>
double grid_across_reals(const GridLevel<Real> &L)
{
  return L.half ? 2 : 4;
}

/* Lines of one colour: three coefficients of the line, b and x; not from zero four more across, and x of the other colour; the change; what the level behind adds */
template <class Real>
double grid_lines_reals(const GridSystem<Real> &S, const GridStep &s)
{
  const GridLevel<Real> &L     = S.levels[s.level];
  const double           cells = grid_cells(L) / 2;

  return cells * (5 + (s.zero ? 0 : 1 + grid_across_reals(L)) + s.change) + (s.correct ? grid_cells(S.levels[s.level + 1]) : 0);
}

/* Of the fine level F a part of the red cells, with their four coefficients across, and the black ones beside them; b of the coarse cells is written by those who count it */
template <class Real>
double grid_restrict_reals(const GridLevel<Real> &F, double part)
{
  return grid_cells(F) / 2 * (grid_across_reals(F) * part + 1);
}

template <class Real>
std::string grid_text(const GridSystem<Real> &S, const GridStep &s)
{
  const char *const ops[]  = {"remainder rows begin", s.colour ? "black lines solved" : "red lines solved", "remainder rows", "restriction", "prolongation"};
  const GridLevel<Real> &L = S.levels[s.level];

  return "gridmg " + std::to_string(L.K) + " x " + std::to_string(L.J) + " x " + std::to_string(L.I) + ": " + ops[static_cast<int>(s.op)] +
         (s.zero ? ", from zero" : "") + (s.correct ? ", corrected" : "");
}

/* One step */
template <class Real>
DeclaredPass grid_step_cost(const GridSystem<Real> &S, const GridStep &s)
{
  const GridLevel<Real> &L     = S.levels[s.level];
  double                 reals = NAN;

  if (S.B == 1 && s.op == GridOp::solve) reals = grid_lines_reals(S, s);
  if (S.B == 1 && s.op == GridOp::restrict) reals = grid_restrict_reals(L, 1.) + grid_cells(S.levels[s.level + 1]);
  if (S.B == 1 && s.op == GridOp::prolong) reals = 2 * grid_cells(L) + grid_cells(S.levels[s.level + 1]);
  return {grid_text(S, s), sizeof(Real) * reals};
}

/* A solution of one colour that does the restriction before it on the way: half of the red cells of the fine level */
template <class Real>
DeclaredPass grid_restricted_cost(const GridSystem<Real> &S, const GridStep &restriction, const GridStep &solve)
{
  return {grid_text(S, solve) + ", restriction inside", sizeof(Real) * (grid_lines_reals(S, solve) + grid_restrict_reals(S.levels[restriction.level], 0.5))};
}

/* The last levels in one kernel: what lies in the memory of its blocks is read once, and some of it written */
template <class Real>
DeclaredPass grid_tail_cost(const GridTail<Real> &T)
{
  return {"gridmg: the last " + std::to_string(T.levels) + " levels in one kernel", sizeof(Real) * T.blocks * static_cast<double>(T.reals())};
}

/* The right-hand side of the finest level taken, or the solution given */
template <class Real>
DeclaredPass grid_edge_cost(const GridSystem<Real> &S, const char *text)
{
  return {std::string("gridmg: ") + text, S.B * (sizeof(Scalar) + sizeof(Real)) * grid_cells(S.levels[0])};
}

} // namespace heptane

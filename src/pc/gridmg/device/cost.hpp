/*
   Bytes moved by the kernels of a set-up and of a cycle, for the metrics: coefficients, right-hand sides and solutions
   that a kernel must read or write, each counted once, even if neighbouring threads share them.
*/
#pragma once

#include "../../../metrics/metrics.hpp"
#include "../rows/system.hpp"
#include "../rows/tail.hpp"
#include <cmath>
#include <string>

namespace heptane
{

/* Cells of a level including padding, as kernels process them */
template <class Real>
double grid_cells(const GridLevel<Real> &L)
{
  return static_cast<double>(L.cells);
}

/* Stored numbers for four couplings across */
template <class Real>
double grid_across_reals(const GridLevel<Real> &L)
{
  return L.half ? 2 : 4;
}

/* The inverses of `lines` lines */
template <class Real>
double grid_dense_reals(const GridDense<Real> &D, double lines)
{
  return lines * D.n * D.n;
}

/* Lines of one colour: three coefficients of the line, b and x; not from zero, four couplings across and x of the other
   colour; the change; the coarse correction; inverses */
template <class Real>
double grid_lines_reals(const GridSystem<Real> &S, const GridStep &s)
{
  const GridLevel<Real> &L     = S.levels[s.level];
  const GridDense<Real>  D     = S.Dense(static_cast<std::size_t>(s.level));
  const double           cells = grid_cells(L) / 2, B = S.B;

  return grid_dense_reals(D, D.last(s.colour) - D.first(s.colour)) +
         cells * (3 * B * B + 2 * B + (s.zero ? 0 : B + grid_across_reals(L) * B * B) + s.change * B) + (s.correct ? B * grid_cells(S.levels[s.level + 1]) : 0);
}

/* The matrices of the lines of a level that have an inverse; a step of the inversion of all */
template <class Real>
DeclaredPass grid_dense_rows_cost(const GridSystem<Real> &S, std::size_t l)
{
  const GridDense<Real> D    = S.Dense(l);
  const double          rows = 1. * D.lines * D.n;

  return {"gridmg set-up: matrices of lines with remainder entries", sizeof(Scalar) * (grid_dense_reals(D, D.lines) + rows) +
                                                                       sizeof(Real) * (3 + grid_across_reals(S.levels[l])) * S.B * rows +
                                                                       (8. + sizeof(Real)) * S.remainder[l].entries};
}
template <class Real>
DeclaredPass grid_dense_step_cost(const GridSystem<Real> &S, int n)
{
  return {"gridmg set-up: inverses of lines with remainder entries", 2. * sizeof(Scalar) * S.dense_lines * n * n};
}

/* The part `part` of the red cells of the fine level F with four couplings across, and the adjacent black cells; the
   writer of the coarse b counts b */
template <class Real>
double grid_restrict_reals(const GridLevel<Real> &F, double part, double B = 1)
{
  return grid_cells(F) / 2 * (grid_across_reals(F) * part * B * B + B);
}

/* Remainder entries of the part `part` of the rows that have some: for each an index, a value, and x; the sum */
template <class Real>
double grid_remainder_bytes(const GridRemainder<Real> &K, double part)
{
  return part * ((8. + 2 * sizeof(Real)) * K.entries + (8. + 2 * sizeof(Real)) * K.rows);
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
  const GridLevel<Real>     &L = S.levels[s.level];
  const GridRemainder<Real> &K = S.remainder[s.level];
  const double               B = S.B, bytes = sizeof(Real);

  switch (s.op) {
  case GridOp::solve:
    return {grid_text(S, s), bytes * grid_lines_reals(S, s)};
  case GridOp::restrict:
    return {grid_text(S, s), bytes * (grid_restrict_reals(L, 1., B) + B * grid_cells(S.levels[s.level + 1]))};
  case GridOp::prolong:
    return {grid_text(S, s), bytes * B * (2 * grid_cells(L) + grid_cells(S.levels[s.level + 1]))};
  default:
    return {grid_text(S, s), grid_remainder_bytes(K, s.op == GridOp::enter || !K.rows ? 1. : (s.colour ? K.rows - K.reds : K.reds) / (1. * K.rows))};
  }
}

/* A kernel of the set-up: `scalars` numbers of the matrix and `reals` of the levels for each of B^2 entries of a
   cell */
template <class Real>
DeclaredPass grid_setup_cost(const std::string &text, int B, double cells, double scalars, double reals)
{
  return {"gridmg set-up: " + text, cells * B * B * (scalars * sizeof(Scalar) + reals * sizeof(Real))};
}

/* A level from the previous one */
template <class Real>
DeclaredPass grid_coarsen_cost(int B, const GridLevel<Real> &F, const GridLevel<Real> &C)
{
  return grid_setup_cost<Real>("a level from the one before", B, grid_cells(F) + grid_cells(C), 0, 3 + grid_across_reals(F));
}

/* The factors of all lines; levels: any container of levels */
template <class Levels>
DeclaredPass grid_factor_cost(int B, const Levels &levels)
{
  double cells = 0;

  for (const auto &L : levels) cells += grid_cells(L);
  return grid_setup_cost<std::remove_pointer_t<decltype(levels[0].coef)>>("factors of lines", B, cells, 0, 10);
}

/* A solve of one colour with the restriction before it inside: half of the red cells of the fine level */
template <class Real>
DeclaredPass grid_restricted_cost(const GridSystem<Real> &S, const GridStep &restriction, const GridStep &solve)
{
  return {grid_text(S, solve) + ", restriction inside", sizeof(Real) * (grid_lines_reals(S, solve) + grid_restrict_reals(S.levels[restriction.level], 0.5))};
}

/* The last levels in one kernel: the data in the shared memory of its blocks is read once, and a part is written */
template <class Real>
DeclaredPass grid_tail_cost(const GridTail<Real> &T)
{
  return {"gridmg: the last " + std::to_string(T.levels) + " levels in one kernel", sizeof(Real) * T.blocks * static_cast<double>(T.reals())};
}

/* Its coefficients, in the layout of its blocks */
template <class Real>
DeclaredPass grid_tail_image_cost(const GridTail<Real> &T)
{
  return {"gridmg set-up: coefficients of the last levels", 2. * sizeof(Real) * T.blocks * static_cast<double>(T.image_of())};
}

/* The right-hand side of the finest level loaded, or the solution stored */
template <class Real>
DeclaredPass grid_edge_cost(const GridSystem<Real> &S, const char *text)
{
  return {std::string("gridmg: ") + text, S.B * (sizeof(Scalar) + sizeof(Real)) * grid_cells(S.levels[0])};
}

} // namespace heptane

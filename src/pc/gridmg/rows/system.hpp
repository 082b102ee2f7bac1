/*
   Data of the executors of the multigrid: levels, remainder entries and steps, all on the host or with arrays on the
   device.
*/
#pragma once

#include "../../../device/with_block.hpp"
#include "../grid/remainder.hpp"
#include "../grid/plan.hpp"
#include "../grid/tuning.hpp"
#include "cycle_rows.hpp"
#include "dense.hpp"
#include "setup_rows.hpp"
#include <vector>

namespace heptane
{

template <class Real>
struct GridSystem {
  int                              B = 1;
  std::vector<GridLevel<Real>>     levels;
  std::vector<GridRemainder<Real>> remainder;             /* [levels] */
  std::vector<GridDense<Real>>     dense;                 /* [levels], or empty: no level has any */
  Scalar                          *dense_work  = nullptr; /* workspace of the inversion */
  int                              dense_lines = 0;       /* of all levels */
  GridNatural                      natural;
  Scalar                           scale = 1; /* the matrix of the levels is the solver's times this */
  GridPlan                         plan;
  Real                            *end = nullptr; /* end of the memory of the levels, which are contiguous */

  GridDense<Real> Dense(std::size_t l) const { return l < dense.size() ? dense[l] : GridDense<Real>(); }
};

/* Calls f with the number of unknowns of a cell as a compile-time constant */
template <class F>
void with_unknowns(int B, F &&f)
{
  with_block_of(GridTuning::Unknowns(), B, [&](auto b) {
    if constexpr (b() > 0) f(b);
  });
}

/* Number of levels with couplings across lines in 16 bits, if the matrix permits it */
template <class Real, int B>
inline constexpr std::size_t grid_half_levels = sizeof(Real) == sizeof(float) && sizeof(Scalar) > sizeof(Real) ? GridTuning::half_levels<B> : 0;

/* Calls f with a compile-time constant for L.half: see GridPacked */
template <class Real, int B, class F>
auto with_packed(const GridLevel<Real> &L, std::integral_constant<int, B>, F &&f)
{
  if constexpr (grid_half_levels < Real, B >> 0)
    if (L.half) return f(GridPacked<true>());
  return f(GridPacked<false>());
}

/* Couplings to which remainder entries are added keep full precision */
template <class Real>
void grid_choose_half(bool wanted, GridSystem<Real> *S)
{
  with_unknowns(S->B, [&](auto b) {
    for (std::size_t l = 0; l < S->levels.size(); l++) S->levels[l].half = wanted && l < grid_half_levels<Real, b()> && !S->remainder[l].blocks.count;
  });
}

/* Levels of a plan without memory */
template <class Real>
std::vector<GridLevel<Real>> grid_shape_levels(const GridPlan &plan)
{
  std::vector<GridLevel<Real>> levels;

  for (const GridExtent &e : plan.levels) {
    levels.push_back(grid_level_of<Real>(e.K, e.J, e.I));
    levels.back().pair_j = e.pair_j;
    levels.back().pair_i = e.pair_i;
  }
  return levels;
}

} // namespace heptane

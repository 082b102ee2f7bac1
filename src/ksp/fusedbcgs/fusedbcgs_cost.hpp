/*
   What the passes of BiCGStab cost, for the host alone: see step_cost.hpp.
*/
#pragma once

#include "../../pass/step_cost.hpp"
#include "fusedbcgs_steps.hpp"

namespace heptane
{

inline StepCost CostOf(const BcgsStart &, const FusedScalars &)
{
  return {"start: r0 = r, p = r, sums (r, r)", 3, 2};
}

inline StepCost CostOf(const BcgsHalf &, const BcgsScalars &)
{
  return {"half step: s = r - alpha v", 3, 2};
}

/* s takes the place of r where it is a vector */
inline StepCost CostOf(const BcgsUpdate &step, const BcgsScalars &)
{
  return {std::string("update: ") + (step.s ? "" : "s = r - alpha v, ") + "x += alpha p + omega s, r = s - omega t, p = r + beta (p - omega v), sums (r, r)", 8,
          step.s ? 12. : 14.};
}

} // namespace heptane

/*
   Costs of the passes of BiCGStab, only for the host: see step_cost.hpp.
*/
#pragma once

#include "../../pass/step_cost.hpp"
#include "mixed.hpp"

namespace heptane
{

inline StepCost CostOf(const BcgsStart &, const FusedScalars &)
{
  return {"start: r0 = r, p = r, sums (r, r)", 3, 2};
}

template <class T>
StepCost CostOf(const BcgsHalf<T> &, const BcgsScalars &)
{
  return {"half step: s = r - alpha v", scalars_of<T>(3), 2};
}

/* If s is a vector it is read instead of r */
template <class T>
StepCost CostOf(const BcgsUpdate<T> &step, const BcgsScalars &)
{
  return {std::string("update: ") + (step.s ? "" : "s = r - alpha v, ") + "x += alpha p + omega s, r = s - omega t, p = r + beta (p - omega v), sums (r, r)",
          scalars_of<T>(8), step.s ? 12. : 14.};
}

inline StepCost CostOf(const BcgsHalfRight &, const BcgsScalars &)
{
  return {"half step: x += alpha u, s = r - alpha v", 6, 4};
}

inline StepCost CostOf(const BcgsUpdateRight &, const BcgsScalars &)
{
  return {"update: s = r - alpha v, x += omega u, r = s - omega t, p = r + beta (p - omega v), sums (r, r)", 9, 12};
}

inline StepCost CostOf(const BcgsRound &step, const FusedScalars &)
{
  return {"residual in single precision, sums (r, r) (r, r0)",
          1. + scalars_of<Single>(step.how == BcgsRound::keeps    ? 4.5
                                  : step.how == BcgsRound::starts ? 3.5
                                                                  : 2.5),
          6};
}

} // namespace heptane

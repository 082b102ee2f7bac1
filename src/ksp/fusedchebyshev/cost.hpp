/*
   Costs of the passes of Chebyshev iteration, only for the host: see step_cost.hpp.
*/
#pragma once

#include "../../pass/step_cost.hpp"
#include "mixed.hpp"

namespace heptane
{

inline StepCost CostOf(const ChebyshevStep &step, const ChebyshevScalars &)
{
  const char *z = step.z ? "" : step.pc.form == FusedPc::point ? "z = D r, " : step.pc.form == FusedPc::blocks ? "z = B r, " : "z = r, ";

  return {std::string("update: ") + (step.b ? "r = b - w, " : "") + z + "x = p, p = (1 - o) x + o (p + s z), sums " + (step.norm_of_r ? "(r, r)" : "(z, z)"),
          4. + (step.b != nullptr) + (step.norm_of_r || !step.z) + (step.z ? 1 : pc_scalars(step.pc)), 7. + (step.b != nullptr) + pc_flops(step.pc)};
}

inline StepCost CostOf(const ChebyshevSingleStep &step, const ChebyshevScalars &)
{
  return {std::string("update: z -= w, y += d, d = (o - 1) d + o s z, sums ") + (step.weight ? "(r, r)" : "(z, z)"),
          scalars_of<Single>(7. + (step.weight != nullptr)), 7. + (step.weight != nullptr)};
}

inline StepCost CostOf(const ChebyshevRound &step, const FusedScalars &)
{
  const bool keeps = step.how == ChebyshevRound::keeps, starts = step.how == ChebyshevRound::starts, of_r = step.inverse != nullptr;

  return {"residual in single precision, sums (z, z)", 1. + of_r + scalars_of<Single>(2. + 2 * keeps + starts * (1. + of_r)), 4. + 2 * keeps + 2 * of_r};
}

inline StepCost CostOf(const ChebyshevFirst &step, const FusedScalars &)
{
  return {"start: p = x + s z, sums (z, z)", 3. + (step.inverse != nullptr), 4. + (step.inverse != nullptr)};
}

} // namespace heptane

/*
   Costs of the passes of BiCG, only for the host: see step_cost.hpp.
*/
#pragma once

#include "../../pass/step_cost.hpp"
#include "steps.hpp"

namespace heptane
{

/* The sums after the residuals, with or without a norm */
inline const char *bicg_sums_text(const FusedScalars &S, bool norm_of_r)
{
  return S.norm == FusedNorm::none || S.norm == FusedNorm::natural ? "sums (zr, rl)" : norm_of_r ? "sums (zr, rl) (rr, rr)" : "sums (zr, rl) (zr, zr)";
}

inline StepCost CostOf(const BicgDirection &, const BicgScalars &)
{
  return {"directions: pr = zr + b pr, pl = zl + b pl, x += a pr", 8, 6};
}

inline StepCost CostOf(const BicgComplete &, const BicgScalars &)
{
  return {"solution: x += a pr", 3, 2};
}

inline StepCost CostOf(const BicgUpdate &, const BicgScalars &)
{
  return {"residuals: rr -= a wr, rl -= a wl", 6, 4};
}

inline StepCost CostOf(const BicgResidual &step, const BicgScalars &S)
{
  const bool point = step.pc.form == FusedPc::point, blocks = step.pc.form == FusedPc::blocks;

  /* the inverses are read twice: by rows for zr, by columns for zl */
  return {std::string("residuals: rr -= a wr, rl -= a wl, ") +
            (point    ? "zr = D rr, zl = D rl, "
             : blocks ? "zr = B rr, zl = B^T rl, "
                      : "") +
            bicg_sums_text(S, step.norm_of_r),
          6. + 2 * (point || blocks) + (blocks ? 2 : 1) * pc_scalars(step.pc), 8 + 2 * pc_flops(step.pc)};
}

} // namespace heptane

/*
   Costs of the passes of CG, only for the host: see step_cost.hpp.
*/
#pragma once

#include "../../pass/step_cost.hpp"
#include "fold.hpp"
#include "mixed.hpp"
#include "steps.hpp"

namespace heptane
{

/* The sums after a residual, with or without a norm */
inline const char *cg_sums_text(const FusedScalars &S, bool norm_of_r)
{
  return S.norm == FusedNorm::none || S.norm == FusedNorm::natural ? "sums (z, r)" : norm_of_r ? "sums (z, r) (r, r)" : "sums (z, r) (z, z)";
}

/* Average over the iterations of one turn through the vectors of p */
template <class T>
StepCost CostOf(const CgDirection<T> &, const CgScalars &S)
{
  const int turns = 1 + S.others;

  return {turns > 1 ? "direction: every " + std::to_string(turns) + " iterations x += a p of as many, " : "direction: x += a p, ",
          scalars_of<T>(3 + (1. + turns) / turns), 4};
}

inline StepCost CostOf(const CgComplete &, const CgScalars &S)
{
  int pending = 0;

  for (Scalar step : S.pending) pending += step != Scalar(0);
  return {"solution: x += a p", 2. + pending, 2. * pending};
}

inline StepCost CostOf(const CgUpdate &, const CgScalars &)
{
  return {"residual: r -= a w", 3, 2};
}

inline StepCost CostOf(const CgResidual &step, const CgScalars &S)
{
  const bool point = step.pc.form == FusedPc::point, blocks = step.pc.form == FusedPc::blocks;

  return {std::string("residual: r -= a w, z = ") +
            (point    ? "D r, "
             : blocks ? "B r, "
                      : "r, ") +
            cg_sums_text(S, step.norm_of_r),
          3. + (point || blocks) + pc_scalars(step.pc), 6 + pc_flops(step.pc)};
}

inline StepCost CostOf(const CgScaledResidual &step, const CgScalars &S)
{
  return {std::string("residual: z -= a D w, r = z / D, ") + cg_sums_text(S, step.norm_of_r), 4, 8};
}

inline StepCost CostOf(const CgUnscale &, const FusedScalars &)
{
  return {"residual: r = z / D", 3, 1};
}

/* The first sum is (z, r) of CG, so that no second sum is needed for no norm or the natural norm */
template <class T>
StepCost CostOf(const CgFoldedResidual<T> &step, const CgScalars &)
{
  const char *norm = !step.inverse ? "" : step.norm_of_r ? "norm of r / S, " : "norm of S r, ";

  return {std::string("residual: r -= a w, ") + norm + "sums (r, r)", scalars_of<T>(3. + (step.inverse != nullptr)),
          4. + (step.inverse ? 2 + (std::is_same_v<T, Scalar> && step.norm_of_r) : 0)};
}

inline StepCost CostOf(const CgFold &step, const FusedScalars &)
{
  return {step.back ? "scaled back: x, r" : step.p ? "scaled: x, r, p" : "scaled: x, r", 5. + 2 * (step.p != nullptr), 4. + (step.p != nullptr)};
}

inline StepCost CostOf(const CgAddCorrection &step, const CgScalars &)
{
  return {"solution: x += S (y + a p)", 2. + (step.inverse != nullptr) + (step.kept != nullptr) + scalars_of<Single>(2 + CgDirections::most),
          2. + 2 * CgDirections::most};
}

inline StepCost CostOf(const CgRound &step, const FusedScalars &)
{
  return {"residual in single precision: r / S, sums (z, r) (n, n)", 1. + (step.inverse != nullptr) + scalars_of<Single>(1. + 2 * step.begins), 7};
}

} // namespace heptane

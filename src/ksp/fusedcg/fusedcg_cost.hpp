/*
   What the passes of CG and BiCG cost, for the host alone: see step_cost.hpp.
*/
#pragma once

#include "../../pass/step_cost.hpp"
#include "fusedcg_fold.hpp"
#include "fusedcg_steps.hpp"
#include <type_traits>

namespace heptane
{

/* The sums after a residual, of which there is a norm or none */
inline std::string cg_sums_text(const FusedScalars &S, bool norm_of_r, const std::string &z = "z", const std::string &r = "r", const std::string &l = "r")
{
  const std::string dot = "sums (" + z + ", " + l + ")";

  if (S.norm == FusedNorm::none || S.norm == FusedNorm::natural) return dot;
  return dot + (norm_of_r ? " (" + r + ", " + r + ")" : " (" + z + ", " + z + ")");
}

template <class Finish>
StepCost CostOf(const DotsStep<Finish> &step, const FusedScalars &S)
{
  const bool bicg = std::is_same_v<Finish, BicgFinish>;

  return {"norm, " + (bicg ? cg_sums_text(S, step.norm_of_r, "zr", "rr", "rl") : cg_sums_text(S, step.norm_of_r)), 2. + (step.norm_of_r && step.l != step.r),
          4};
}

/* On the average of the iterations in which p goes through its vectors */
inline StepCost CostOf(const CgDirection &, const FusedScalars &S)
{
  const int turns = 1 + S.cg.others;

  return {turns > 1 ? "direction: every " + std::to_string(turns) + " iterations x += a p of as many, " : "direction: x += a p, ", 3 + (1. + turns) / turns, 4};
}

inline StepCost CostOf(const CgComplete &, const FusedScalars &S)
{
  int pending = 0;

  for (Scalar step : S.cg.pending) pending += step != Scalar(0);
  return {"solution: x += a p", 2. + pending, 2. * pending};
}

inline StepCost CostOf(const CgUpdate &, const FusedScalars &)
{
  return {"residual: r -= a w", 3, 2};
}

inline StepCost CostOf(const CgResidual &step, const FusedScalars &S)
{
  const bool point = step.pc.kind == FusedPc::jacobi, blocks = step.pc.kind == FusedPc::blocks;

  return {std::string("residual: r -= a w, z = ") +
            (point    ? "D r, "
             : blocks ? "B r, "
                      : "r, ") +
            cg_sums_text(S, step.norm_of_r),
          3. + (point || blocks) + pc_scalars(step.pc), 6 + pc_flops(step.pc)};
}

inline StepCost CostOf(const CgScaledResidual &step, const FusedScalars &S)
{
  return {"residual: z -= a D w, r = z / D, " + cg_sums_text(S, step.norm_of_r), 4, 8};
}

inline StepCost CostOf(const CgUnscale &, const FusedScalars &)
{
  return {"residual: r = z / D", 3, 1};
}

/* The first sum is (z, r) of CG, so that there is no other where no norm, or the natural one, is wanted */
inline StepCost CostOf(const CgFoldedResidual &step, const FusedScalars &)
{
  const char *norm = !step.inverse ? "" : step.norm_of_r ? "norm of r / S, " : "norm of S r, ";

  return {std::string("residual: r -= a w, ") + norm + "sums (r, r)", 3. + (step.inverse != nullptr), 4. + (step.inverse ? 2 + step.norm_of_r : 0)};
}

inline StepCost CostOf(const CgFold &step, const FusedScalars &)
{
  return {step.back ? "scaled back: x, r" : step.p ? "scaled: x, r, p" : "scaled: x, r", 5. + 2 * (step.p != nullptr), 4. + (step.p != nullptr)};
}

inline StepCost CostOf(const BicgDirection &, const FusedScalars &)
{
  return {"directions: pr = zr + b pr, pl = zl + b pl, x += a pr", 8, 6};
}

inline StepCost CostOf(const BicgUpdate &, const FusedScalars &)
{
  return {"residuals: rr -= a wr, rl -= a wl", 6, 4};
}

inline StepCost CostOf(const BicgResidual &step, const FusedScalars &S)
{
  const bool point = step.pc.kind == FusedPc::jacobi, blocks = step.pc.kind == FusedPc::blocks;

  /* the inverses are read twice: by rows for zr, by columns for zl */
  return {std::string("residuals: rr -= a wr, rl -= a wl, ") +
            (point    ? "zr = D rr, zl = D rl, "
             : blocks ? "zr = B rr, zl = B^T rl, "
                      : "") +
            cg_sums_text(S, step.norm_of_r, "zr", "rr", "rl"),
          6. + 2 * (point || blocks) + (blocks ? 2 : 1) * pc_scalars(step.pc), 8 + 2 * pc_flops(step.pc)};
}

} // namespace heptane

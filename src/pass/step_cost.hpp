/*
   Name and cost of a step in the plan of an iteration: each step has StepCost CostOf(const Step &, const Step::Scalars
   &) next to it, for the host only. The engine does not compile with a step without one. This header has the functions
   of steps.hpp, divisible.hpp and add_correction.hpp, and of the product in a pass.
*/
#pragma once

#include "divisible.hpp"
#include "add_correction.hpp"
#include "steps.hpp"
#include <string>

namespace heptane
{

/*
   Per row: scalars read from or written to memory, and floating-point operations. A scalar that the same pass reads
   twice, or has just written, counts once.
*/
struct StepCost {
  std::string text;
  double      scalars = 0, flops = 0;
};

/* `numbers` numbers stored as T, in scalars */
template <class T>
constexpr double scalars_of(double numbers)
{
  return numbers * sizeof(T) / sizeof(Scalar);
}

/* M^-1 applied to a row */
inline double pc_scalars(const FusedPc &pc)
{
  /* own blocks: read instead of the matrix's blocks */
  return applies_loaded(pc, FusedPc::point) ? 1 : applies_loaded(pc, FusedPc::blocks) ? pc.block : 0;
}

inline double pc_flops(const FusedPc &pc)
{
  return applies(pc, FusedPc::point) ? 1 : applies(pc, FusedPc::blocks) ? 2. * pc.block : 0;
}

/* The vectors of its sums other than y and the u of the product */
template <class T>
double operand_scalars(const FusedProductOf<T> &P)
{
  const bool of_u = P.sums & (sum_yu | sum_wu), of_w = P.sums & (sum_wy | sum_wu);

  return (of_u && P.sum_q ? 1 + (P.sum_v != nullptr) : 0) + of_w * (double(sizeof(*P.w)) / sizeof(*P.y));
}

/*
   The combination of a product: rhs, old, and, unless it is loaded already, the vector that it multiplies; rhs may be
   either of these
*/
inline StepCost combination_cost(const FusedProduct &P, bool load_u)
{
  const ProductCombination &c      = P.combine;
  const bool                with_u = c.of_u != Scalar(0), rhs = c.rhs != nullptr, old = c.old != nullptr, again = rhs && (c.rhs == P.q || c.rhs == c.old);

  return {"", double(rhs && !again) + old + (with_u && load_u) + pc_scalars(P.pc), rhs + 1. + 2 * with_u + 2 * old + pc_flops(P.pc)};
}

/* A product in a pass, without the bytes of the matrix: u, y, M^-1, and the sums or the combination */
template <class T>
StepCost CostOf(const FusedProductOf<T> &P)
{
  const int formed = (P.v != nullptr) + (P.sum_v != nullptr);

  if constexpr (std::is_same_v<T, Single>) return {"", scalars_of<T>(2. + (P.v != nullptr) + operand_scalars(P)), 2. * number_of(P.sums) + 2 * formed};
  else if (combines(P)) {
    const StepCost more = combination_cost(P, false);

    return {"", 2. + more.scalars, more.flops};
  } else return {"", 2. + (P.v != nullptr) + operand_scalars(P) + pc_scalars(P.pc), 2. * number_of(P.sums) + 2 * formed + pc_flops(P.pc)};
}

/* y is read, and written whether M^-1 changes it or not */
template <int K>
StepCost CostOf(const ProductStep<K> &step, const FusedScalars &)
{
  const FusedProduct &P    = step.P;
  const bool          of_q = !P.sum_q && (P.sums & sum_yu), formed = of_q ? P.v != nullptr : P.sum_v != nullptr;

  return {pc_scalars(P.pc) > 0 ? "preconditioner and product's sums: " : "product's sums: ", 2. + of_q + (of_q && P.v) + operand_scalars(P) + pc_scalars(P.pc),
          2. * K + 2. * formed + pc_flops(P.pc)};
}

inline StepCost CostOf(const CombineStep &step, const FusedScalars &)
{
  const StepCost more = combination_cost(step.P, true);

  return {"update: ", 2. + more.scalars, more.flops};
}

inline StepCost CostOf(const DotsStep &step, const FusedScalars &)
{
  return {"norm, ", 2. + (step.n != step.z && step.n != step.l), 4};
}

inline StepCost CostOf(const ApplyPcStep &step, const FusedScalars &)
{
  const bool blocks = step.pc.form == FusedPc::blocks;

  return {"preconditioner: ", 2. + (blocks ? step.pc.block : 1), blocks ? 2. * step.pc.block : 1.};
}

inline StepCost CostOf(const UnitStep &, const FusedScalars &)
{
  return {"unit vector", 1, 0};
}

inline StepCost CostOf(const DivisibleStep &, const FusedScalars &)
{
  return {"whether D can be divided by", 1, 1};
}

inline StepCost CostOf(const AddCorrectionStep &step, const FusedScalars &)
{
  return {"solution: x += y", 2. + (step.kept != nullptr) + scalars_of<Single>(2), 1};
}

} // namespace heptane

/*
   Passes and cost of an iteration, for the view: recorded from the calls of the engine.
*/
#pragma once

#include "../../../pass/step_cost.hpp"
#include <string>
#include <vector>

namespace heptane
{

/* Counts of a solve, for the view */
struct FusedCounts {
  PetscInt64 launches = 0, reductions = 0, waits = 0, iterations = 0, copies = 0;
};

/* A macro-kernel, or a call between them */
struct FusedPlanStep {
  std::string text;
  bool        kernel; /* false: a call of a PETSc function */
};

/* Compared with the counts of a solve, and with figures of its own, in tests/ksp */
struct FusedPlan {
  std::vector<FusedPlanStep> steps;
  std::vector<std::string>   unknown;                      /* calls whose bytes are unknown */
  double                     row_bytes = 0, row_flops = 0; /* of the vectors and the preconditioner */
  double                     more_flops = 0;               /* of Launches() */
  /* with a matrix whose bytes are known; number of them in passes of the engine */
  int products = 0, fused_products = 0;
  int launches = 0, reductions = 0;

  /* Bytes of an iteration if a product moves `matrix` bytes */
  double BytesPerRow(double matrix, double rows) const { return row_bytes + (rows > 0 ? products * matrix / rows : 0); }
  /* Kernels whose bytes are unknown */
  void Launches(int kernels, double flops, const std::string &function, const std::string &text)
  {
    Call(function, text + ", " + std::to_string(kernels) + (kernels == 1 ? " kernel" : " kernels"));
    launches += kernels;
    more_flops += flops;
  }
  void Pass(const std::string &text, const StepCost &cost, int sums)
  {
    steps.push_back({text, true});
    row_bytes += sizeof(Scalar) * cost.scalars;
    row_flops += cost.flops;
    launches++;
    reductions += sums > 0;
  }
  /* A pass that multiplies with the operator */
  void Product(const std::string &text, const StepCost &cost, int sums)
  {
    Pass(text, cost, sums);
    products++;
    fused_products++;
  }
  void Call(const std::string &function, const std::string &text)
  {
    steps.push_back({function + ": " + text, false});
    unknown.push_back(function);
  }
  /* A product with a matrix whose bytes are known, which also reads and writes a vector */
  void KnownProduct(const std::string &function, const std::string &text)
  {
    steps.push_back({function + ": " + text, false});
    row_bytes += 2 * sizeof(Scalar);
    products++;
  }
};

/* Names of a product in the plan: y = A u, and the sums after it */
struct ProductText {
  const char *y, *u, *sums;
  const char *folded = "A"; /* instead of A if the preconditioner is folded into it */
  const char *before = "";  /* of a combination: text in front of M^-1 (b - A u) */
};

} // namespace heptane

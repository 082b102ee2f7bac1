/*
   What an iteration is made of and what it costs, for the view: recorded from what the engine is asked to run.
*/
#pragma once

#include "../../../pass/step_cost.hpp"
#include <string>
#include <vector>

namespace heptane
{

/* What a solve did, for the view */
struct FusedCounts {
  PetscInt64 launches = 0, reductions = 0, waits = 0, iterations = 0, copies = 0;
};

/* A macro-kernel, or a call between them */
struct FusedPlanStep {
  std::string text;
  bool        kernel; /* false: a call of PETSc's */
};

/* Compared with the counts of a solve, and with figures of its own, in tests/ksp */
struct FusedPlan {
  std::vector<FusedPlanStep> steps;
  std::vector<std::string>   unknown;                          /* calls that move what nobody here knows */
  double                     row_bytes = 0, row_flops = 0;     /* of the vectors and the preconditioner */
  double                     more_flops = 0;                   /* of Launches() */
  int                        products = 0, fused_products = 0; /* with a matrix whose bytes are known; of these in our passes */
  int                        launches = 0, reductions = 0;

  /* Of an iteration with a matrix whose products move so many bytes */
  double BytesPerRow(double matrix, double rows) const { return row_bytes + (rows > 0 ? products * matrix / rows : 0); }
  /* of kernels that move what nobody here knows */
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
  /* of a matrix whose bytes are known: it reads and writes a vector beside these */
  void KnownProduct(const std::string &function, const std::string &text)
  {
    steps.push_back({function + ": " + text, false});
    row_bytes += 2 * sizeof(Scalar);
    products++;
  }
};

/* What a product is called in the plan: y = A u, and the sums after it */
struct ProductText {
  const char *y, *u, *sums;
  const char *folded = "A"; /* instead of A, where the preconditioner is folded into it */
  const char *before = "";  /* where it combines: what stands before M^-1 (b - A u) */
};

} // namespace heptane

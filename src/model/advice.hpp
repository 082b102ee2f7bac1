/*
   What is said of solves: predicted and measured times where they can run, where it begins to pay, what to choose. As a table for people and as lines of JSON. Knows neither PETSc nor CUDA.
*/
#pragma once

#include "../metrics/json_line.hpp"
#include "predict.hpp"
#include <string>
#include <vector>

namespace heptane
{

/* Solves of one kind: what was measured of them where they ran */
struct SolveTimes {
  std::vector<double> us;             /* of each solve, copies included */
  double              iterations = 0; /* of all together */
  double              Median() const { return median_of(us); }
};

struct SolveAdvice {
  std::string solver, matrix, pc; /* types */
  SolveWork   first;              /* as the first solve found matrix and vectors */
  SolveWork   last;               /* as the last one did: iterations are those of a solve on average */
  SolveTimes  host, device;
};

/* What is derived from it */
struct AdviceFigures {
  Prediction  host, device;
  double      host_us = 0, device_us = 0; /* predicted, of the last solve */
  double      first_device_us     = 0;    /* of the first one: the matrix had to be copied */
  double      crossing_rows       = 0;
  double      crossing_iterations = 0;
  const char *choice              = ""; /* of -heptane_device */
};
AdviceFigures figures_of(const Machine &machine, const SolveAdvice &advice);

/* One line, before the first solve */
std::string advice_before(const Machine &machine, const SolveAdvice &advice);
std::string advice_table(const Machine &machine, const std::vector<SolveAdvice> &advices);
std::string advice_json(const Machine &machine, const std::vector<SolveAdvice> &advices, const JsonLine &environment);

} // namespace heptane

/*
   Predicted and measured times of a solve on each side, their crossing, and the recommended choice: as a table and as a
   line of JSON. Without PETSc and CUDA.
*/
#pragma once

#include "predict.hpp"
#include <string>
#include <vector>

namespace heptane
{

struct SolveAdvice {
  std::string         solver, matrix, pc; /* types */
  SolveWork           first;              /* the values of the matrix are new */
  SolveWork           last;               /* and unchanged */
  std::vector<double> host, device;       /* us of each solve that was timed, copies included */
};

/* Figures derived from it */
struct AdviceFigures {
  Prediction  host, device;
  double      host_us = 0, device_us = 0; /* predicted, of the last solve */
  double      first_device_us     = 0;    /* of the first one: the matrix had to be copied */
  double      crossing_rows       = 0;
  double      crossing_iterations = 0;
  const char *choice              = ""; /* of -heptane_device */
};
AdviceFigures figures_of(const Machine &machine, const SolveAdvice &advice);

std::string advice_table(const Machine &machine, const SolveAdvice &advice);
std::string advice_json(const Machine &machine, const SolveAdvice &advice);

} // namespace heptane

/*
   The metrics of a run as a table and as lines of JSON. Uses neither PETSc nor CUDA.
*/
#pragma once

#include "collect.hpp"
#include "json_line.hpp"
#include "occupancy.hpp"

namespace heptane
{

struct MetricsReport {
  DeviceLimits           device; /* without a name: no kernel could run */
  double                 copy_gbs = NAN, host_copy_gbs = NAN;
  std::string            remark; /* why there are no times, or fewer than launches */
  std::vector<KernelRow> kernels;
  std::vector<PassRow>   passes;
  long long              others    = 0; /* launches of kernels of other libraries */
  double                 others_us = 0;
  JsonLine               environment; /* the end of every line */
};

/* Figures derived from a row */
struct KernelFigures {
  Occupancy occupancy;
  Waves     waves;
  double    gbs = NAN, beta = NAN;
};
KernelFigures figures_of(const MetricsReport &report, const KernelRow &row);

std::string metrics_table(const MetricsReport &report);
std::string metrics_json(const MetricsReport &report);

} // namespace heptane

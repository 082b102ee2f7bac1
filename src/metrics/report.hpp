/*
   The metrics of a run as a table for people and as lines of JSON, and what an earlier run on the host left in such lines. Knows neither PETSc nor CUDA.
*/
#pragma once

#include "collect.hpp"
#include "json_line.hpp"
#include "occupancy.hpp"

namespace heptane
{

/* Times of passes on the host, from the lines of a run with -heptane_device host */
class HostPasses {
public:
  /* A line of a file of metrics; those of other things are passed over. *why: what is wrong where it is none */
  bool Add(const std::string &line, std::string *why);
  /* Of the pass of this name that moves about as much; NaN: there is none */
  double Microseconds(const std::string &text, double bytes) const;
  bool   Any() const { return !times.empty(); }

private:
  struct Timed {
    double bytes, us;
  };
  std::multimap<std::string, Timed> times;
};

struct MetricsReport {
  DeviceLimits           device; /* without a name: no kernel could run */
  double                 copy_gbs = NAN, host_copy_gbs = NAN;
  std::string            remark; /* why there are no times, or fewer than launches */
  std::vector<KernelRow> kernels;
  std::vector<PassRow>   passes;
  long long              others    = 0; /* launches of kernels of others */
  double                 others_us = 0;
  HostPasses             host;
  JsonLine               environment; /* how every line ends */
};

/* What is derived from a row */
struct KernelFigures {
  Occupancy occupancy;
  Waves     waves;
  double    gbs = NAN, beta = NAN, host_us = NAN, acceleration = NAN;
};
KernelFigures figures_of(const MetricsReport &report, const KernelRow &row);

std::string metrics_table(const MetricsReport &report);
std::string metrics_json(const MetricsReport &report);

} // namespace heptane

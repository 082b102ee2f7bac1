/*
   The metrics of a run as a table and as lines of JSON, and the reader of such lines of an earlier run on the host.
   Uses neither PETSc nor CUDA.
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
  /* Reads a line of a metrics file; skips lines of other kinds. *why: the reason if the line is invalid */
  bool Add(const std::string &line, std::string *why);
  /* Of the pass of this name with about the same bytes; NaN: there is none */
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
  long long              others    = 0; /* launches of kernels of other libraries */
  double                 others_us = 0;
  HostPasses             host;
  JsonLine               environment; /* the end of every line */
};

/* Figures derived from a row */
struct KernelFigures {
  Occupancy occupancy;
  Waves     waves;
  double    gbs = NAN, beta = NAN, host_us = NAN, acceleration = NAN;
};
KernelFigures figures_of(const MetricsReport &report, const KernelRow &row);

std::string metrics_table(const MetricsReport &report);
std::string metrics_json(const MetricsReport &report);

} // namespace heptane

/*
   Time as a function of size, from samples that a machine was measured by. Knows neither PETSc nor CUDA.
*/
#pragma once

#include <vector>

namespace heptane
{

/*
   Between two neighbouring sizes time is c0 + c1 bytes, with coefficients of that range of sizes: one latency and one bandwidth do not describe caches, or copies that are staged. Beyond
   the last size the line of the last range goes on, below the first one that of the first. Time never falls with size.
*/
class Curve {
public:
  struct Point {
    double bytes, us;
  };

  Curve() = default;
  /* Several samples of one size: their median counts. Samples that are not positive or not finite are left out. */
  explicit Curve(const std::vector<Point> &samples);

  bool                      Any() const { return !points.empty(); }
  const std::vector<Point> &Points() const { return points; }
  double                    Microseconds(double bytes) const; /* NaN without samples */
  double                    Latency() const;                  /* of nothing */
  double                    Rate(double bytes) const;         /* bytes per us beyond the latency, at this size: 1e-3 GB/s */

private:
  std::vector<Point> points; /* sizes ascend, times do not fall */
};

double median_of(std::vector<double> values); /* NaN of none */

} // namespace heptane

/*
   Time as a function of size, interpolated from measured samples. Without PETSc and CUDA.
*/
#pragma once

#include <vector>

namespace heptane
{

/*
   Between two neighbouring sizes time is c0 + c1 bytes, with coefficients of that range of sizes: a single latency and
   bandwidth do not describe caches, or copies that are staged. Beyond the last size the line of the last range is
   extrapolated, below the first size the line of the first range. Time never falls with size.
*/
class Curve {
public:
  struct Point {
    double bytes, us;
  };

  Curve() = default;
  /* Samples of one size are represented by their median. Samples that are not positive or not finite are ignored. */
  explicit Curve(const std::vector<Point> &samples);

  bool                      Any() const { return !points.empty(); }
  const std::vector<Point> &Points() const { return points; }
  double                    Microseconds(double bytes) const; /* NaN without samples */
  double                    Latency() const;                  /* time of zero bytes */
  double                    Rate(double bytes) const;         /* bytes per us beyond the latency, at this size: 1e-3 GB/s */

private:
  std::vector<Point> points; /* sizes ascend, times do not fall */
};

double median_of(std::vector<double> values); /* NaN of none */

} // namespace heptane

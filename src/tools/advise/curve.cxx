/*
   Time as a function of size.
*/
#include "curve.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace heptane
{

namespace
{

/* Times that fall with size are replaced by the mean of the falling run: the nearest times that do not fall */
void make_monotone(std::vector<Curve::Point> *points)
{
  struct Run {
    double      us;
    std::size_t count;
  };
  std::vector<Run> runs;

  for (const Curve::Point &p : *points) {
    runs.push_back({p.us, 1});
    while (runs.size() > 1 && runs[runs.size() - 2].us > runs.back().us) {
      const Run last = runs.back();

      runs.pop_back();
      Run &before = runs.back();
      before.us   = (before.us * before.count + last.us * last.count) / (before.count + last.count);
      before.count += last.count;
    }
  }
  std::size_t k = 0;
  for (const Run &run : runs)
    for (std::size_t j = 0; j < run.count; j++) (*points)[k++].us = run.us;
}

double on_line(const Curve::Point &a, const Curve::Point &b, double bytes)
{
  return a.us + (b.us - a.us) / (b.bytes - a.bytes) * (bytes - a.bytes);
}

} // namespace

double median_of(std::vector<double> values)
{
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;

  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Curve::Curve(const std::vector<Point> &samples)
{
  std::map<double, std::vector<double>> of_size;

  for (const Point &s : samples)
    if (std::isfinite(s.bytes) && std::isfinite(s.us) && s.bytes >= 0 && s.us > 0) of_size[s.bytes].push_back(s.us);
  for (const auto &size : of_size) points.push_back({size.first, median_of(size.second)});
  make_monotone(&points);
}

double Curve::Microseconds(double bytes) const
{
  if (points.empty()) return NAN;
  if (points.size() == 1) return points[0].us;
  std::size_t k = 1;
  while (k + 1 < points.size() && points[k].bytes < bytes) k++;
  return std::max(on_line(points[k - 1], points[k], bytes), 0.);
}

double Curve::Latency() const
{
  return Microseconds(0);
}

double Curve::Rate(double bytes) const
{
  const double us = Microseconds(bytes) - Latency();

  if (us > 0) return bytes / us;
  return points.empty() ? NAN : INFINITY;
}

} // namespace heptane

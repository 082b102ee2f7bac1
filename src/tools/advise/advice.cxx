/*
   Advice as text.
*/
#include "advice.hpp"
#include "../../metrics/json_line.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace heptane
{

namespace
{

template <class... T>
std::string format(const char *text, T... values)
{
  char line[512];

  std::snprintf(line, sizeof(line), text, values...);
  return line;
}

std::string number(double value)
{
  if (!std::isfinite(value)) return "-";
  return format(value >= 1000 ? "%.0f" : value >= 10 ? "%.1f" : "%.3g", value);
}

std::string row(const std::string &place, const Prediction &p, double iterations, double measured)
{
  return format("  %-28s %12s %12s %12s %12s %12s %12s\n", place.c_str(), number(p.Total(iterations)).c_str(), number(measured).c_str(),
                number(p.start).c_str(), number(p.matrix).c_str(), number(p.vectors).c_str(), number(p.iteration).c_str());
}

std::string crossings(const SolveAdvice &a, const AdviceFigures &f)
{
  std::string text = "  crossing: ";

  if (std::isinf(f.crossing_rows)) text += format("with %.0f iterations the host is faster for any number of rows up to 1e9", a.last.iterations);
  else if (f.crossing_rows == 0) text += format("with %.0f iterations the GPU is faster for any number of rows", a.last.iterations);
  else text += format("with %.0f iterations the GPU is faster from %.0f rows on", a.last.iterations, f.crossing_rows);
  if (std::isinf(f.crossing_iterations)) return text + format("; with %.0f rows the host is faster for any number of iterations\n", a.last.rows);
  return text + format("; with %.0f rows, from %.0f iterations on\n", a.last.rows, f.crossing_iterations);
}

std::string of_copies(const Machine &m)
{
  if (!m.HasDevice()) return "No figures of a GPU: none is usable here, and -machine has read none\n";
  return format("Copies to the GPU: %.1f us, %.1f GB/s (pinned memory %.1f us, %.1f GB/s); back: %.1f us, %.1f GB/s (pinned %.1f us, %.1f GB/s)\n",
                m.up_pageable.Latency(), 1e-3 * m.up_pageable.Rate(1 << 26), m.up_pinned.Latency(), 1e-3 * m.up_pinned.Rate(1 << 26), m.down_pageable.Latency(),
                1e-3 * m.down_pageable.Rate(1 << 26), m.down_pinned.Latency(), 1e-3 * m.down_pinned.Rate(1 << 26)) +
         format(
           "GPU: a kernel of a graph %.2f us, memory %.0f GB/s; queueing a kernel %.2f us, a look of the host %.1f us, a sum over all blocks %.2f us, a load %.2f us\n",
           m.device_pass.Latency(), 1e-3 * m.device_pass.Rate(1 << 28), m.launch_us, m.wait_us, m.barrier_us, m.latency_us);
}

std::string of_machine(const Machine &m)
{
  return format("Advice: host %s, %.1f GB/s from memory, %.1f GB/s from caches; GPU %s\n", m.cpu.c_str(), 1e-3 * m.host_pass.Rate(1 << 28),
                1e-3 * m.host_pass.Rate(1 << 18), m.gpu.c_str()) +
         of_copies(m);
}

} // namespace

AdviceFigures figures_of(const Machine &m, const SolveAdvice &a)
{
  AdviceFigures f;

  f.host                = predict_host(m, a.last);
  f.device              = predict_device(m, a.last);
  f.host_us             = f.host.Total(a.last.iterations);
  f.device_us           = f.device.Total(a.last.iterations);
  f.first_device_us     = predict_device(m, a.first).Total(a.last.iterations);
  f.crossing_rows       = crossing_rows(m, a.last);
  f.crossing_iterations = crossing_iterations(m, a.last);
  /* measured times are more reliable than predicted ones */
  const double host = a.host.empty() ? f.host_us : median_of(a.host), device = a.device.empty() ? f.device_us : median_of(a.device);
  f.choice = device < host ? "device" : "host";
  return f;
}

std::string advice_table(const Machine &m, const SolveAdvice &a)
{
  const AdviceFigures f    = figures_of(m, a);
  std::string         text = of_machine(m);

  text += a.solver + ", matrix " + a.matrix + ", pc " + a.pc +
          format(", %.0f rows, %zu solves of %.0f iterations\n", a.last.rows, a.host.size() + a.device.size(), a.last.iterations);
  text += format("  %-28s %12s %12s %12s %12s %12s %12s\n", "us", "a solve", "measured", "start", "matrix", "vectors", "an iteration");
  text += row("host", f.host, a.last.iterations, median_of(a.host));
  if (!m.HasDevice()) return text;
  text += row("one GPU", f.device, a.last.iterations, median_of(a.device));
  text += format("  the first solve on the GPU, with the copy of the matrix: %s us\n", number(f.first_device_us).c_str());
  text += crossings(a, f);
  return text + format("  choose: -heptane_device %s\n", f.choice);
}

std::string advice_json(const Machine &m, const SolveAdvice &a)
{
  const AdviceFigures f = figures_of(m, a);
  JsonLine            line;

  line.Add("what", "heptane_advice").Add("ksp", a.solver).Add("mat", a.matrix).Add("pc", a.pc);
  line.Add("rows", static_cast<long long>(a.last.rows)).Add("iterations", a.last.iterations);
  line.Add("solves_host", static_cast<long long>(a.host.size())).Add("solves_device", static_cast<long long>(a.device.size()));
  line.Add("host_predicted_us", f.host_us).Add("host_measured_us", median_of(a.host)).Add("host_iteration_us", f.host.iteration);
  line.Add("device_predicted_us", f.device_us).Add("device_measured_us", median_of(a.device)).Add("device_iteration_us", f.device.iteration);
  line.Add("device_start_us", f.device.start).Add("device_matrix_us", f.device.matrix).Add("device_vectors_us", f.device.vectors);
  line.Add("first_device_predicted_us", f.first_device_us).Add("crossing_rows", f.crossing_rows).Add("crossing_iterations", f.crossing_iterations);
  line.Add("choose", f.choice).Add("persistent", a.last.persistent ? 1 : 0).Add("cpu", m.cpu).Add("gpu", m.gpu);
  return line.Text() + "\n";
}

} // namespace heptane

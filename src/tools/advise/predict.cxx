/*
   Predictions of solves.
*/
#include "predict.hpp"
#include "model_tuning.hpp"
#include <algorithm>
#include <cmath>

namespace heptane
{

namespace
{

/* Time of `passes` passes over a working set that move `bytes` bytes in all */
double passes_us(const Curve &pass, double passes, double bytes, double working_set)
{
  return passes * pass.Latency() + bytes / pass.Rate(working_set);
}

double copies_us(const Curve &copy, double bytes, int copies)
{
  return copies ? copies * copy.Microseconds(bytes / copies) : 0;
}

double matrix_us(const Curve &copy, double bytes)
{
  return bytes > 0 ? copy.Microseconds(bytes) : 0;
}

/* From compressed rows into the format, on the host: values and columns are read, values written */
double fill_us(const Machine &m, const SolveWork &w)
{
  return w.fill > 0 ? 2.5 * w.fill / m.host_pass.Rate(2.5 * w.fill) : 0;
}

/* Data in registers and shared memory is not moved; every reduction is a sum over all blocks and a wait for loads */
double persistent_us(const Machine &m, const SolveWork &w)
{
  const double moved = std::max(w.device_bytes - m.kept_bytes, 0.);

  return w.reductions * (m.barrier_us + m.latency_us) + moved / m.device_pass.Rate(w.working_set);
}

/* Whether the device is faster with `rows` rows */
bool device_wins(const Machine &m, const SolveWork &work, double rows)
{
  const SolveWork w = scaled_to(work, rows);

  return predict_device(m, w).Total(w.iterations) < predict_host(m, w).Total(w.iterations);
}

} // namespace

SolveWork scaled_to(const SolveWork &work, double rows)
{
  const double times = work.rows > 0 ? rows / work.rows : 0;
  SolveWork    w     = work;

  w.rows = rows;
  for (double *bytes : {&w.host_bytes, &w.device_bytes, &w.working_set, &w.fill, &w.matrix_up, &w.vectors_up, &w.vectors_down, &w.product_us, &w.product_bytes})
    *bytes *= times;
  return w;
}

Prediction predict_host(const Machine &m, const SolveWork &w)
{
  Prediction p;

  p.matrix    = fill_us(m, w);
  p.iteration = w.passes * ModelTuning::host_pass_us + passes_us(m.host_pass, w.passes, w.host_bytes, w.working_set);
  if (w.product_us > 0) { /* the remaining bytes are moved by passes over vectors */
    const double rest = std::max(w.host_bytes - w.products * w.product_bytes, 0.), others = std::max(w.passes - w.products, 0.);

    p.iteration = w.products * w.product_us + w.passes * ModelTuning::host_pass_us + passes_us(m.host_pass, others, rest, w.working_set);
  }
  p.start = p.iteration; /* the first residual and its norm cost a product and some passes */
  return p;
}

Prediction predict_device(const Machine &m, const SolveWork &w)
{
  Prediction p;

  if (!m.HasDevice()) return {NAN, NAN, NAN, NAN};
  const double launched = passes_us(m.device_pass, w.launches, w.device_bytes, w.working_set);

  p.iteration = w.persistent ? persistent_us(m, w) : launched;
  p.start     = ModelTuning::solve_launches * m.launch_us + ModelTuning::solve_waits * m.wait_us + w.device_bytes / m.device_pass.Rate(w.working_set);
  p.matrix    = matrix_us(m.up_pageable, w.matrix_up) + fill_us(m, w);
  p.vectors   = copies_us(m.up_pageable, w.vectors_up, w.vectors_up_count) + copies_us(m.down_pageable, w.vectors_down, w.vectors_down_count);
  return p;
}

double crossing_rows(const Machine &m, const SolveWork &w)
{
  double low = 1, high = 1e9;

  if (!m.HasDevice() || !(w.rows > 0) || !device_wins(m, w, high)) return INFINITY;
  if (device_wins(m, w, low)) return 0;
  while (high / low > 1.001) {
    const double middle = std::sqrt(low * high);

    (device_wins(m, w, middle) ? high : low) = middle;
  }
  return high;
}

double crossing_iterations(const Machine &m, const SolveWork &w)
{
  const Prediction host = predict_host(m, w), device = predict_device(m, w);
  const double     gain = host.iteration - device.iteration, more = device.Total(0) - host.Total(0);

  if (!(gain > 0)) return more < 0 ? 0 : INFINITY;
  return std::max(std::ceil(more / gain), 0.);
}

} // namespace heptane

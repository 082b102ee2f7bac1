/*
   The energy of work that is done again and again, between two steps of a counter. Reading a counter may take milliseconds (NVML), many times as long as the work, so the time of the work is
   that of a loop without readings, and its energy the mean power times that. Knows neither PETSc nor CUDA.
*/
#pragma once
#include "energy.hpp"

namespace bench
{

// Whether a counter that there is has moved: the GPU's, or without one the processor's
inline bool counter_moved(const EnergyReading &before, const EnergyReading &after)
{
  return std::isnan(after.gpu_joules) ? after.cpu_joules != before.cpu_joules : after.gpu_joules != before.gpu_joules; // NaN differs too: nothing to wait for
}

// Work, for at least twice as long as a reading takes, and readings in turns, until a counter has just moved
template <class Meter, class Work>
auto energy_until_step(Meter &meter, double reading_seconds, Work work, EnergyReading *at) -> decltype(work())
{
  constexpr double    longest_step = 0.5;
  const EnergyReading before       = meter.now();

  do {
    const double start = meter.clock().seconds;

    do {
      const auto error = work();
      if (error) return error;
    } while (meter.clock().seconds - start < 2 * reading_seconds);
    *at = meter.now();
  } while (!counter_moved(before, *at) && at->seconds - before.seconds < longest_step);
  return {};
}

// Work for at least so many seconds: its calls, their time, and their share of the energy between two steps around them. work: its error, 0 if there is none
template <class Meter, class Work>
auto energy_of_calls(Meter &meter, double seconds, Work work, long long *calls, EnergyReading *of_calls) -> decltype(work())
{
  EnergyReading begin, end, last;
  const double  asked = meter.clock().seconds;

  (void)meter.now();
  const double reading_seconds = meter.clock().seconds - asked;
  if (const auto error = energy_until_step(meter, reading_seconds, work, &begin)) return error;
  const EnergyReading start = meter.clock();
  *calls                    = 0;
  do {
    if (const auto error = work()) return error;
    ++*calls;
    last = meter.clock();
  } while (last.seconds - start.seconds < seconds);
  if (const auto error = energy_until_step(meter, reading_seconds, work, &end)) return error;
  const EnergyReading whole = end - begin;
  const double        share = (last.seconds - start.seconds) / whole.seconds;

  *of_calls            = last - start;
  of_calls->gpu_joules = share * whole.gpu_joules;
  of_calls->cpu_joules = share * whole.cpu_joules;
  return {};
}

} // namespace bench

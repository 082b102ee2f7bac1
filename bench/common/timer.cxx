/*
   Calibration, interleaved samples, and their median.
*/
#include "timer.hpp"
#include "capture.hpp"
#include <petsctime.h>
#include <algorithm>
#include <cmath>

namespace bench
{

PetscErrorCode timer_options(TimerOptions *o)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-samples", &o->samples, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-sample_ms", &o->sample_ms, nullptr));
  PetscCheck(o->samples > 0 && o->sample_ms > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-samples and -sample_ms must be positive");
  PetscFunctionReturn(PETSC_SUCCESS);
}

Timing timing_of(std::vector<double> seconds, PetscInt calls)
{
  Timing t;

  std::sort(seconds.begin(), seconds.end());
  const size_t n = seconds.size();
  t.us_median    = 1e6 * (n % 2 ? seconds[n / 2] : 0.5 * (seconds[n / 2 - 1] + seconds[n / 2]));
  t.us_min       = 1e6 * seconds.front();
  t.us_max       = 1e6 * seconds.back();
  t.samples      = static_cast<int>(n);
  t.calls        = calls;
  return t;
}

// Adds the seconds of `calls` calls and one wait
static PetscErrorCode back_to_back(MPI_Comm comm, const DeviceInfo &device, const Timed &c, PetscInt calls, double *seconds)
{
  PetscLogDouble begin, end;

  PetscFunctionBeginUser;
  PetscCall(device_synchronize(device));
  PetscCallMPI(MPI_Barrier(comm));
  PetscCall(PetscTime(&begin));
  for (PetscInt k = 0; k < calls; k++) PetscCall(c.call());
  PetscCall(device_synchronize(device));
  PetscCall(PetscTime(&end));
  *seconds += end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Seconds of `calls` calls, on the slowest rank
static PetscErrorCode sample(MPI_Comm comm, const DeviceInfo &device, const Timed &c, PetscInt calls, double *seconds)
{
  double mine = 0;

  PetscFunctionBeginUser;
  if (c.before_sample) PetscCall(c.before_sample());
  if (c.before_call) {
    for (PetscInt k = 0; k < calls; k++) {
      PetscCall(c.before_call());
      PetscCall(back_to_back(comm, device, c, 1, &mine));
    }
  } else {
    PetscCall(back_to_back(comm, device, c, calls, &mine));
  }
  PetscCallMPI(MPI_Allreduce(&mine, seconds, 1, MPI_DOUBLE, MPI_MAX, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Warm up, then find how many calls fill a sample; all ranks get the same number because `seconds` is the same
static PetscErrorCode calibrate(MPI_Comm comm, const DeviceInfo &device, const TimerOptions &o, Timed *c)
{
  const double target = 1e-3 * o.sample_ms;
  double       seconds;
  PetscInt     calls = 1;

  PetscFunctionBeginUser;
  PetscCall(sample(comm, device, *c, 2, &seconds));
  PetscCall(sample(comm, device, *c, calls, &seconds));
  while (seconds < 0.5 * target) {
    calls *= 2;
    PetscCall(sample(comm, device, *c, calls, &seconds));
  }
  // a tenth more than the target, so that a sample that runs faster than this one still lasts long enough
  c->timing.calls = PetscMax(1, static_cast<PetscInt>(std::ceil(1.1 * target * static_cast<double>(calls) / seconds)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode time_interleaved(MPI_Comm comm, const DeviceInfo &device, const TimerOptions &o, std::vector<Timed> &candidates)
{
  PetscFunctionBeginUser;
  for (Timed &c : candidates) {
    c.seconds.clear();
    if (!c.error.empty()) continue;
    ErrorCapture capture;
    c.error = capture.message(calibrate(comm, device, o, &c));
  }
  for (PetscInt s = 0; s < o.samples; s++) {
    for (Timed &c : candidates) {
      const Traffic before = traffic_now();
      double        t      = 0;

      if (!c.error.empty()) continue;
      ErrorCapture capture;
      c.error = capture.message(sample(comm, device, c, c.timing.calls, &t));
      c.seconds.push_back(t / static_cast<double>(c.timing.calls));
      const Traffic moved = traffic_now() - before;
      c.traffic.h2d_copies += moved.h2d_copies;
      c.traffic.h2d_bytes += moved.h2d_bytes;
      c.traffic.d2h_copies += moved.d2h_copies;
      c.traffic.d2h_bytes += moved.d2h_bytes;
      c.counted += c.timing.calls;
    }
  }
  for (Timed &c : candidates) {
    double moved[4] = {c.traffic.h2d_copies, c.traffic.h2d_bytes, c.traffic.d2h_copies, c.traffic.d2h_bytes};

    if (c.error.empty()) c.timing = timing_of(c.seconds, c.timing.calls);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, moved, 4, MPI_DOUBLE, MPI_SUM, comm));
    c.traffic = {moved[0], moved[1], moved[2], moved[3]};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

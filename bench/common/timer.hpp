/*
   Timing as a user meets an operation: warm-up, then samples of back-to-back calls of at least 20 ms, the device
   synchronised around a sample and nowhere inside; candidates that are compared take turns, A B A B.
*/
#pragma once
#include "device.hpp"
#include <functional>
#include <vector>

namespace bench
{

struct Timing {
  double   us_median = 0, us_min = 0, us_max = 0; // of one call; over ranks, the slowest counts
  int      samples = 0;
  PetscInt calls   = 0; // in one sample
};

struct TimerOptions {
  PetscInt  samples   = 9;
  PetscReal sample_ms = 20; // shortest sample
};
PetscErrorCode timer_options(TimerOptions *options);

struct Timed {
  std::function<PetscErrorCode()> call;
  Timing                          timing{};
  Traffic                         traffic{};   // between host and device during all samples, all ranks
  PetscInt64                      counted = 0; // calls in all samples, of one rank
  std::string                     error{};     // why it left the comparison, empty if it did not
  std::vector<double>             seconds{};   // of one call, a number a sample, in the order of the samples

  // Work that is not timed: before a sample; before each call, which then is timed alone, the device synchronised around it
  std::function<PetscErrorCode()> before_sample{};
  std::function<PetscErrorCode()> before_call{};
};

// A candidate whose call fails keeps the message in `error` and takes no further turns
PetscErrorCode time_interleaved(MPI_Comm comm, const DeviceInfo &device, const TimerOptions &options, std::vector<Timed> &candidates);

// Of seconds a call, one number a sample of `calls` calls
Timing timing_of(std::vector<double> seconds, PetscInt calls);

} // namespace bench

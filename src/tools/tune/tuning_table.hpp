/*
   All launches that were measured, and their file, of which the library reads the fastest. Knows neither PETSc nor CUDA.
*/
#pragma once

#include "launch_model.hpp"

namespace heptane
{

/* A candidate of a kernel and a size that was measured */
struct TunedLaunch {
  std::string     name;     /* of what was measured */
  LaunchQuestion  question; /* what the launcher asked; of its kernels whether there are any */
  LaunchCandidate launch;
  KernelNeeds     needs; /* of the kernel of this launch */
  double          us       = 0;
  double          model_us = 0;
  bool            best     = false; /* the fastest: later runs take it */
  bool            model    = false; /* the model's choice */
};

struct TuningTable {
  LaunchDevice             device; /* that was measured, as the program believed it to be */
  std::vector<TunedLaunch> launches;
};

/* Lines of JSON: one of the device, one for each launch */
std::string tuning_json(const TuningTable &table);
/* For people: each kernel and size with the number of candidates, the model's choice and the fastest; and how far the model is off */
std::string tuning_text(const TuningTable &table);

} // namespace heptane

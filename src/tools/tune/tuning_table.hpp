/*
   All measured launches, and their file, of which the library reads the fastest. Without PETSc and CUDA.
*/
#pragma once

#include "launch_model.hpp"

namespace heptane
{

/* A candidate of a kernel and a size that was measured */
struct TunedLaunch {
  std::string     name;     /* of the case */
  LaunchQuestion  question; /* the launcher's question; of its kernels only whether there are any */
  LaunchCandidate launch;
  KernelNeeds     needs; /* of the kernel of this launch */
  double          us       = 0;
  double          model_us = 0;
  bool            best     = false; /* the fastest: used by later runs */
  bool            model    = false; /* the model's choice */
};

struct TuningTable {
  LaunchDevice             device; /* the measured device, as the program believed it to be */
  std::vector<TunedLaunch> launches;
};

/* Lines of JSON: one of the device, one for each launch */
std::string tuning_json(const TuningTable &table);
/*
   Readable text: each kernel and size with the number of candidates, the model's choice and the fastest; and the error
   of the model
*/
std::string tuning_text(const TuningTable &table);

} // namespace heptane

/*
   The measured figures of a machine, from which times are predicted, and their file. Without PETSc and CUDA.
*/
#pragma once

#include "curve.hpp"
#include <string>

namespace heptane
{

struct Machine {
  static constexpr int schema = 1;

  std::string cpu = "unknown", gpu = "none";

  /*
     A pass of the host over a number of bytes, repeated until the data is in its place between two passes (cache or
     memory)
  */
  Curve host_pass;
  /* Copies between host and device, from and to ordinary and pinned memory */
  Curve up_pageable, up_pinned, down_pageable, down_pinned;
  /* A pass on the device, one of many consecutive ones in a graph */
  Curve device_pass;

  double launch_us  = 0; /* of the host, to queue a kernel */
  double wait_us    = 0; /* a kernel, a copy of some bytes to the host, and the host's wait for them */
  double barrier_us = 0; /* a sum over one block per multiprocessor of a running kernel */
  double latency_us = 0; /* a load from 64 MiB that were written before: of the second-level cache if it holds them */
  double kept_bytes = 0; /* registers and shared memory of all multiprocessors */
  bool   HasDevice() const { return device_pass.Any() && up_pageable.Any() && down_pageable.Any(); }
};

/* Lines of JSON: one with the numbers, one for each point of a curve */
std::string machine_json(const Machine &machine);
/* *why: the error, and its line */
bool parse_machine(const std::string &text, Machine *machine, std::string *why);

} // namespace heptane

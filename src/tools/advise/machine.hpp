/*
   The figures of a machine that times are predicted from, and the file that keeps them. Knows neither PETSc nor CUDA.
*/
#pragma once

#include "curve.hpp"
#include <string>

namespace heptane
{

struct Machine {
  static constexpr int schema = 1;

  std::string cpu = "unknown", gpu = "none";
  int         gpus = 0; /* that the process sees */

  /* A pass of the host over so many bytes, as often as it takes to find them where they stay between two passes */
  Curve host_pass;
  /* Copies between host and device, from and to ordinary and pinned memory */
  Curve up_pageable, up_pinned, down_pageable, down_pinned;
  /* A pass on the device, one of many behind each other in a graph */
  Curve device_pass;
  /* Copies between two GPUs */
  Curve between_gpus;

  double launch_us  = 0; /* of the host, to queue a kernel */
  double wait_us    = 0; /* a kernel, a copy of some bytes to the host, and the host's wait for them */
  double barrier_us = 0; /* a sum over one block per multiprocessor of a running kernel */
  double latency_us = 0; /* a load of 64 MiB that were written before: of the second-level cache where that has them */
  double kept_bytes = 0; /* registers and shared memory of all multiprocessors */
  bool   HasDevice() const { return device_pass.Any() && up_pageable.Any() && down_pageable.Any(); }
};

/* Lines of JSON: one with the numbers, one for each point of a curve */
std::string machine_json(const Machine &machine);
/* *why: what is wrong, and in which line */
bool parse_machine(const std::string &text, Machine *machine, std::string *why);

} // namespace heptane

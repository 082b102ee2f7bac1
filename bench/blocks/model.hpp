/*
   How long factorisations of many small dense blocks in registers should take, from what a GPU takes for their pieces. After Anderson, Sheffield, Keutzer, A predictive model for solving small
   linear algebra problems in GPU registers, IPDPS 2012.
*/
#pragma once
#include "machine.hpp"
#include <string>

namespace bench
{

enum class Factor { inverse, lu, qr };

struct Prediction {
  double us      = 0;                               // of a set-up: the call, and memory and steps, which hide each other in part
  double call_us = 0, memory_us = 0, steps_us = 0;  // the call around it, the bytes at copy bandwidth, the steps of the eliminations by themselves
  double latency_ns = 0, busy_ns = 0, resident = 0; // of a step: what it waits, what it takes of a multiprocessor; blocks in flight on one
};

Prediction predict(const Machine &machine, Factor method, PetscInt count, int b);

// Times set-ups of -pc_type blockjacobireg with every method on blocks of 4 to 96 rows beside the predictions; prints and writes the parameters and both
PetscErrorCode model_run(Bench &run, PetscInt seed);

// Predictions for what model_run() wrote to a file, on this machine or another, from the parameters in it; an error where most are off by more than `tolerated` (of one)
PetscErrorCode model_from(const Bench &run, const std::string &file, double tolerated);

} // namespace bench

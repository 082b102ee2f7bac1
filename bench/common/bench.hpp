/*
   What all benchmark programs do around their own work: PETSc's start and end, the device, the options that all have, the host's copy rate.
*/
#pragma once
#include "timer.hpp"

namespace bench
{

class Bench {
public:
  MPI_Comm     comm = MPI_COMM_NULL;
  DeviceInfo   device;
  TimerOptions timer;
  PetscBool    corrupt     = PETSC_FALSE; // -bench_corrupt, for the benchmarks' own tests: damages what answers are checked with, or against
  double       device_copy = 0;           // GB/s, measured by the program with each problem
  double       host_copy   = 0;           // measured before run()
  bool         failed      = false;       // a candidate at least: the exit code is 1

  virtual ~Bench() = default;
  // The whole program; what main() returns
  int main(int argc, char **argv, const char help[]);

protected:
  // Reads and checks the command line before anything is measured
  virtual PetscErrorCode options() = 0;
  // Measures and prints
  virtual PetscErrorCode run() = 0;

private:
  PetscErrorCode all();
};

} // namespace bench

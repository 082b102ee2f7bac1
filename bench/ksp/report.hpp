/*
   Lines of results and the two tables: every candidate, then each fused solver against the best of PETSc's own.
*/
#pragma once
#include "../common/results.hpp"
#include "energy_run.hpp"
#include "solver.hpp"

namespace bench
{

struct Report {
  Table all{
    {"ksp", "mat", "pc", "mode", "us", "min", "max", "launches", "waits", "its", "x best", "verified"}
  };
  Table best{
    {"fused", "mat", "pc", "mode", "us", "best of PETSc", "us", "x", "best with this mat", "x"}
  };
  Table energy{
    {"ksp", "mat", "pc", "mode", "us", "busy us", "GPU mJ", "net", "W", "CPU mJ", "net", "W", "both mJ"}
  };
  bool failed = false; // one candidate at least
};

// `timed` one a candidate: an iteration, a whole solve, or with timed_iterations 0 a solve to rtol after its set-up. copy_gbs: of the device, of the host
PetscErrorCode report_results(MPI_Comm comm, const DeviceInfo &device, const Problem &p, const char *what, PetscInt timed_iterations, PetscReal rtol,
                              const std::vector<Solver> &solvers, const std::vector<Timed> &timed, const double copy_gbs[2], const EnergyRun &energy_run,
                              const std::vector<EnergyPerCall> &energy, Report *report);

} // namespace bench

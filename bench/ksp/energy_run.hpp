/*
   Energy of solves: repeated for some seconds between two steps of the GPU's counter, which moves every few hundredths of a second.
*/
#pragma once
#include "../common/energy.hpp"
#include "../common/results.hpp"

namespace bench
{

struct EnergyRun {
  PetscBool   wanted  = PETSC_FALSE; // -energy
  PetscReal   seconds = 2;           // of a candidate, and of idling; -energy_seconds
  EnergyMeter meter;
  IdlePower   idle;
};

// Reads the options; where energy is wanted opens the counters and measures what is taken while nothing runs
PetscErrorCode energy_options(EnergyRun *run);
PetscErrorCode energy_idle(MPI_Comm comm, const DeviceInfo &device, EnergyRun *run);

// What each call of the candidate takes, divided by the operations (iterations) of a call
PetscErrorCode energy_measure(const DeviceInfo &device, EnergyRun *run, const Timed &candidate, double operations, EnergyPerCall *energy);

// The keys of a line; nothing where energy was not wanted
Record energy_record(const EnergyRun &run, const EnergyPerCall &energy);

} // namespace bench

/*
   The energy of candidates, and of idling.
*/
#include "energy_run.hpp"
#include "../common/energy_loop.hpp"
#include <thread>

namespace bench
{

PetscErrorCode energy_options(EnergyRun *run)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-energy", &run->wanted, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-energy_seconds", &run->seconds, nullptr));
  PetscCheck(run->seconds > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-energy_seconds must be positive");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode energy_idle(MPI_Comm comm, const DeviceInfo &device, EnergyRun *run)
{
  PetscMPIInt   ranks;
  long long     naps;
  EnergyReading difference;

  PetscFunctionBeginUser;
  if (!run->wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCheck(ranks == 1, comm, PETSC_ERR_SUP, "-energy measures one process and its GPU: run it without mpiexec");
  run->meter.open(device.address);
  if (!run->meter.gpu_missing().empty()) PetscCall(progress(comm, "energy of the GPU is missing: " + run->meter.gpu_missing()));
  if (!run->meter.cpu_missing().empty()) PetscCall(progress(comm, "energy of the processor is missing: " + run->meter.cpu_missing()));
  PetscCall(device_synchronize(device));
  const auto nap = []() -> PetscErrorCode {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return PETSC_SUCCESS;
  };
  PetscCall(energy_of_calls(run->meter, (double)run->seconds, nap, &naps, &difference));
  run->idle = power_of(difference);
  PetscCall(progress(comm, "idle: GPU " + cell("%.1f", run->idle.gpu_watts) + " W, processor " + cell("%.1f", run->idle.cpu_watts) + " W"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode energy_measure(const DeviceInfo &device, EnergyRun *run, const Timed &candidate, double operations, EnergyPerCall *energy)
{
  EnergyReading difference;
  long long     calls = 0;
  const auto    work  = [&]() -> PetscErrorCode {
    PetscFunctionBeginUser;
    if (candidate.before_call) PetscCall(candidate.before_call());
    PetscCall(candidate.call());
    PetscCall(device_synchronize(device));
    PetscFunctionReturn(PETSC_SUCCESS);
  };

  PetscFunctionBeginUser;
  *energy = EnergyPerCall();
  if (!run->wanted || !candidate.error.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  if (candidate.before_sample) PetscCall(candidate.before_sample());
  PetscCall(energy_of_calls(run->meter, (double)run->seconds, work, &calls, &difference));
  *energy = energy_per_call(difference, run->idle, operations * static_cast<double>(calls));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Record energy_record(const EnergyRun &run, const EnergyPerCall &e)
{
  Record r;

  if (!run.wanted) return r;
  r.add("joules", e.joules).add("gpu_joules", e.gpu_joules).add("cpu_joules", e.cpu_joules).add("gpu_net_joules", e.gpu_net).add("cpu_net_joules", e.cpu_net);
  r.add("gpu_watts", e.gpu_watts).add("cpu_watts", e.cpu_watts).add("gpu_idle_watts", run.idle.gpu_watts).add("cpu_idle_watts", run.idle.cpu_watts);
  r.add("energy_us", e.us).add("busy_us", e.busy_us).add("energy_seconds", e.seconds);
  return r;
}

} // namespace bench

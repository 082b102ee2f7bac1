/*
   The engine's interface for the loop around the iterations: begins and ends solves, records iterations as plans, and
   copies scalars to the host.
*/
#pragma once

#include "engine.hpp"

namespace heptane
{

class FusedDriver : public FusedEngine {
public:
  /*
     For a solve with this KSP. all: the vectors that passes read or write, the solution first; the right-hand side, if
     it is one of them, is only read. Passes run on the device if all vectors are there. Collective.
  */
  PetscErrorCode Begin(KSP solver, const std::vector<Vec> &all, PetscBool blocking);
  PetscErrorCode End();
  /* Adds the engine calls of f(), which returns a PetscErrorCode, to the plan without running or counting them */
  template <class F>
  PetscErrorCode Record(FusedPlan *into, F &&f)
  {
    PetscFunctionBegin;
    plan                      = into;
    const PetscErrorCode code = f();
    plan                      = nullptr;
    PetscCall(code);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const FusedCounts &Counts() const { return counts; }
  FusedCounts       &Counts() { return counts; }

  /* Clears the scalars of the passes, so that no pass is skipped; no wait and no copy */
  PetscErrorCode ClearScalars() { return OnDevice() ? on_device.ClearScalars() : PETSC_SUCCESS; }
  /* Queues copies of scalars, sums and the norms of iterations (from, to] to the host; slot: 0 or 1 */
  PetscErrorCode CopyScalarsAsync(int slot, int from, int to) { return OnDevice() ? on_device.CopyScalarsAsync(slot, from, to) : PETSC_SUCCESS; }
  /* Synchronizes with these copies, which become the host's scalars, sums and norms */
  PetscErrorCode WaitScalars(int slot) { return OnDevice() ? on_device.WaitScalars(slot) : PETSC_SUCCESS; }
  /* For solves without checks: synchronizes with the passes; error if an exchange with another process has timed out */
  PetscErrorCode CheckExchange() { return OnDevice() ? on_device.CheckExchange() : PETSC_SUCCESS; }
  /* Collective, after a solve: an error if another process has failed; -heptane_test_comm_check */
  PetscErrorCode CheckProcesses();

  /* How sums and halo were exchanged in the last solve */
  const char *SumsBy() const { return processes.Sums().Text(); }
  const char *HaloBy() const { return halo_by; }
  /* Why peer memory was not used, if it was requested */
  const std::string &WhyNotPeers() const { return processes.WhyMpi(); }
  std::string        WhyNotNccl() const { return processes.WhyNotNccl(); }

private:
  const char *halo_by = "";
};

} // namespace heptane

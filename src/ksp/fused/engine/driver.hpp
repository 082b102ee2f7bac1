/*
   The engine as the loop around the iterations has it: solves begin and end, iterations are recorded as plans, and
   scalars come to the host.
*/
#pragma once

#include "engine.hpp"

namespace heptane
{

class FusedDriver : public FusedEngine {
public:
  /*
     For a solve with this KSP. all: the vectors that passes read or write, the solution first; the right-hand side, if
     it is one of them, is only read. Passes run on the device if all of them are there. Collective.
  */
  PetscErrorCode Begin(KSP solver, const std::vector<Vec> &all, PetscBool blocking);
  PetscErrorCode End();
  /* What f(), which returns a PetscErrorCode, asks of the engine is added to the plan, not done and not counted */
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

  /* The scalars that the passes see become zeros, so that nothing stands still; no wait, and nothing is copied */
  PetscErrorCode ClearScalars() { return OnDevice() ? on_device.ClearScalars() : PETSC_SUCCESS; }
  /* Queues copies of scalars, sums and the norms of iterations (from, to] to the host; slot: 0 or 1 */
  PetscErrorCode PostLook(int slot, int from, int to) { return OnDevice() ? on_device.PostLook(slot, from, to) : PETSC_SUCCESS; }
  /* Waits for these copies, which become the host's scalars, sums and norms */
  PetscErrorCode Look(int slot) { return OnDevice() ? on_device.Look(slot) : PETSC_SUCCESS; }
  /* If nothing looks: waits for the passes, and is an error if a wait of theirs for other processes has failed */
  PetscErrorCode CheckExchange() { return OnDevice() ? on_device.CheckExchange() : PETSC_SUCCESS; }
  /* -heptane_comm_check */
  PetscErrorCode CheckCounts();

  /* How sums and columns go between the processes, in the last solve */
  const char *SumsBy() const { return processes.Sums().Text(); }
  const char *HaloBy() const { return halo_by; }
  /* Why not from memory to memory, if that was wanted */
  const std::string &WhyNotPeers() const { return processes.WhyMpi(); }
  std::string        WhyNotNccl() const { return processes.WhyNotNccl(); }
  /*
     Sums and columns go by NCCL, which takes as long if the iteration stands still: no batch is queued behind its end.
     Graphs save its calls.
  */
  bool ByNccl() const { return processes.Sums().Apart(); }

private:
  const char *halo_by = "";
};

} // namespace heptane

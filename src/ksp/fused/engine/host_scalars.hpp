/*
   Scalars, sums and norms of a solve as the host has them.
*/
#pragma once

#include "../../../pass/step_host.hpp"
#include "processes.hpp"
#include <vector>

namespace heptane
{

class FusedHostScalars {
public:
  /* The scalars of the method, up to date after Begin() and WaitScalars(), and always if FusedEngine::HostScalars() */
  template <class Method = FusedScalars>
  Method &Host()
  {
    return *reinterpret_cast<Method *>(host_memory.scalars[0]);
  }
  template <class Method = FusedScalars>
  const Method &Host() const
  {
    return *reinterpret_cast<const Method *>(host_memory.scalars[0]);
  }
  const Scalar *HostSums() const { return host_memory.sums; }
  Real          Norm(int it) const { return norms[it % PassTuning::history]; }
  /* A ring of PassTuning::history norms */
  Real *History() { return norms.data(); }
  /* Scalars, in the first of the copies, and sums */
  FusedMemory &HostMemory() { return host_memory; }

  /* The scalars as a step needs them, from the sums before it; false: it does not change them */
  template <class Step>
  bool Advance(const Step &step)
  {
    if constexpr (Step::changes) advance_host(step, Host<typename Step::Scalars>(), host_memory.sums, History(), PassTuning::history);
    else (void)step;
    return Step::changes;
  }
  /* The sums of a pass, added over the processes, for the next step that changes the scalars */
  PetscErrorCode Keep(int k, int at, const Scalar sums[], const ProcessSums &by)
  {
    PetscFunctionBegin;
    Leave(k, at, sums);
    PetscCall(AddLeft(k, at, by));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* Both steps of Keep() */
  void           Leave(int k, int at, const Scalar sums[]) { std::copy(sums, sums + k, host_memory.sums + at); }
  PetscErrorCode AddLeft(int k, int at, const ProcessSums &by) { return by.Add(k, at, host_memory.sums + at); }

private:
  FusedMemory       host_memory = {};
  std::vector<Real> norms       = std::vector<Real>(PassTuning::history);
};

} // namespace heptane

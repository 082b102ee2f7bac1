/*
   How an engine runs a pass, whose type is that of a step: the templates of engine.hpp, which includes this.
*/
#pragma once

#include "engine.hpp"

namespace heptane
{

template <class Method>
const Method *FusedEngine::Scalars() const
{
#if PetscDefined(HAVE_CUDA)
  if (device) return static_cast<const Method *>(Copy(turn));
#endif
  return &Host<Method>();
}

template <class F>
PetscErrorCode FusedEngine::Record(FusedPlan *into, F &&f)
{
  PetscFunctionBegin;
  plan                      = into;
  const PetscErrorCode code = f();
  plan                      = nullptr;
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the vectors are; the scalars are advanced by the host before, or by the pass itself on the device */
template <class Step>
PetscErrorCode FusedEngine::Launch(const Step &step, const FusedPc &pc, bool always)
{
  const bool cells   = Step::cells && applies_loaded(pc, FusedPc::blocks);
  Scalar     sums[4] = {};

  PetscFunctionBegin;
  (void)always; /* on the device alone: here the host knows whether the iteration stands still */
  if (!device) run_step_host(step, (std::size_t)n, cells, pc.block, Host<typename Step::Scalars>(), sums);
#if PetscDefined(HAVE_CUDA)
  else {
    const bool advances = Step::changes && !host_scalars;

    PetscCall(WaitForKernels());
    if (n || PassesSum()) {
      PetscCallCUDA(launch_step(step, (std::size_t)n, cells, pc.block, aligned, {Copy(turn), advances ? Copy(1 - turn) : nullptr}, reduction, always, stream));
      if (advances) turn = 1 - turn;
    }
    if (Step::sums && host_scalars) {
      PetscCall(WaitForSums());
      if (n) std::copy(host_sums + step.first_sum(), host_sums + step.first_sum() + Step::sums, sums);
    }
  }
#endif
  if (Step::sums && host_scalars) PetscCall(KeepSums(Step::sums, step.first_sum(), sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Step>
PetscErrorCode FusedEngine::Run(const Step &step, const FusedPc &pc, bool always, const char *detail)
{
  using Method = typename Step::Scalars;

  PetscFunctionBegin;
  if (plan) {
    const StepCost cost = CostOf(step, Host<Method>());

    plan->Pass(cost.text + detail, cost, Step::sums);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!always && Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  if constexpr (Step::changes) {
    if (host_scalars) {
      advance_host(step, Host<Method>(), own.sums, history, PassTuning::history);
      if (device) PetscCall(SetScalars());
      if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  counts.launches++;
  if (Step::sums) counts.reductions++;
  const MetricsPass metrics(device, [&] {
    const StepCost cost = CostOf(step, Host<Method>());

    return DeclaredPass{cost.text + detail, sizeof(Scalar) * cost.scalars * (double)n};
  });
  PetscCall(Launch(step, pc, always));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Step, class HostCall, class DeviceCall>
PetscErrorCode FusedEngine::RunBy(Step step, int kernels, double flops, const char *function, const char *text, HostCall host, DeviceCall on_device)
{
  using Method   = typename Step::Scalars;
  Scalar sums[4] = {};

  PetscFunctionBegin;
  if (plan) {
    plan->Launches(kernels, flops, function, text);
    plan->reductions++;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  if (host_scalars) advance_host(step, Host<Method>(), own.sums, history, PassTuning::history);
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  counts.launches += kernels;
  counts.reductions++;
  const MetricsPass metrics(device, [&] { return DeclaredPass{std::string(function) + ": " + text, NAN}; });
  if (!device) {
    step.begin(Host<Method>());
    host(step, sums);
    PetscCall(KeepSums(Step::sums, Step::first_sum(), sums));
  }
#if PetscDefined(HAVE_CUDA)
  else if (n) {
    PetscCall(WaitForKernels());
    PetscCallCUDA(on_device(FusedState{Copy(turn), Copy(1 - turn)}, reduction, stream));
    turn = 1 - turn;
  }
#else
  (void)on_device;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane

/*
   The engine's interface for a method's Iteration(): passes, and calls of PETSc's functions between them. HostPasses or
   DevicePasses runs a pass, or FusedPlan records it; calls.hpp has the calls.
*/
#pragma once

#include "device_passes.hpp"
#include "host_passes.hpp"
#include "scratch.hpp"
#include "singles.hpp"
#include "tuning.hpp"

namespace heptane
{

class FusedEngine : public FusedOperands, public FusedHostScalars {
public:
  /* A pass over the vectors. always: also if the iteration has stopped; detail: appended to the text of the step */
  template <class Step>
  PetscErrorCode Run(const Step &step, const FusedPc &pc = FusedPc(), bool always = false, const char *detail = "")
  {
    return Execute(StepPass<Step>(*this, step, pc, always, detail));
  }
  /* Kernels outside the engine, see KernelsPass; `launch` returns a CUDA error */
  template <class Step, class HostCall, class DeviceCall>
  PetscErrorCode RunBy(const Step &step, int kernels, double flops, const char *function, const char *text, HostCall host, DeviceCall launch)
  {
    return Execute(KernelsPass<Step, HostCall, DeviceCall>(*this, step, kernels, flops, function, text, host, launch));
  }
  /* On the host: sums of such kernels, without a step */
  PetscErrorCode KeepSums(int k, int at, const Scalar sums[]) { return Keep(k, at, sums, processes.Sums()); }
  /*
     y = M^-1 A u and its sums: one pass, or MatMult(), PCApply() if M^-1 is no row arithmetic, and a pass. in, out: the
     vectors of P.q (P.v null) and P.y; between: for A u if PCApply() follows.
  */
  PetscErrorCode Product(const FusedProduct &P, Vec in, Vec out, Vec between, const ProductText &text);
  /* The same with the copy stored as Single, always in one pass */
  PetscErrorCode Product(const FusedProductOf<Single> &P, const ProductText &text) { return Execute(ProductPass<Single>(*this, P, text, false)); }
  /* The same for the combination of a product. in: the vector of P.q; product, applied: for A u and M^-1 (rhs - A u) */
  PetscErrorCode Combine(const FusedProduct &P, Vec in, Vec product, Vec applied, const ProductText &text);
  /* to = A^T from: a pass, or KSP_MatMultHermitianTranspose() */
  PetscErrorCode ProductTranspose(Vec from, Vec to, const char *text);
  /* to = M^-1 from: a pass, or PCApply() between passes */
  PetscErrorCode ApplyPC(const FusedPc &pc, Vec from, Vec to, const char *text);
  PetscErrorCode ApplyPCTranspose(Vec from, Vec to, const char *text);
  /* Restores the arrays for calls of PETSc functions on the vectors */
  PetscErrorCode Release();
  PetscErrorCode Acquire() { return Take(); }

  /* The host has the scalars after every pass: on the host, or if MPI adds the sums of several processes */
  bool HostScalars() const { return !OnDevice() || processes.Sums().ByHost(); }
  /*
     Sums and halo are exchanged by NCCL, whose calls take as long after the iteration has stopped: no batch is queued
     after its end. Graphs save the calls.
  */
  bool ByNccl() const { return processes.Sums().Apart(); }
  /* The preconditioner too is launched; see FusedTuning::called_interval */
  bool LaunchesPcByNccl() const { return ByNccl() && Passes(); }
  /* The host's scalars show that the iteration has stopped */
  bool Stopped() const { return !plan && HostScalars() && Host().stop != FusedStop::no; }
  /* Scalars and sums of the next pass, to take the address of one of them */
  template <class Method>
  const Method *Scalars() const
  {
    return OnDevice() ? static_cast<const Method *>(on_device.Scalars()) : &Host<Method>();
  }
  const Scalar *Sums() const { return HostScalars() ? HostSums() : on_device.Sums(); }
  /* Uploads the host's scalars for the passes */
  PetscErrorCode SetScalars() { return OnDevice() ? on_device.SetScalars() : PETSC_SUCCESS; }
  /* A member of the host's scalars becomes zero, here and for the passes */
  PetscErrorCode Clear(void *member, std::size_t bytes);

  /* Vectors of the solver's own, stored as Scalar and as Single */
  FusedScratch scratch;
  FusedSingles singles;
  /* For launches that are no passes */
  DevicePasses       &Device() { return on_device; }
  const DevicePasses &Device() const { return on_device; }

protected:
  ~FusedEngine() = default;

  FusedCounts    counts;
  FusedProcesses processes{*this};
  FusedPlan     *plan = nullptr; /* not null: being recorded */
  HostPasses     on_host{*this, counts};
  DevicePasses   on_device{*this, *this, counts};

private:
  /* The plan, the device or the host runs a pass */
  template <class Pass>
  PetscErrorCode Execute(const Pass &pass)
  {
    if (plan) return pass.Record(plan, *this), PETSC_SUCCESS;
    return OnDevice() ? on_device.Run(pass) : on_host.Run(pass);
  }
  /* f(calls): functions of PETSc between two passes, called or recorded */
  template <class F>
  PetscErrorCode CallBetween(F f);
  PetscErrorCode RowsOfProduct(const FusedProduct &P, const ProductText &text);
};

} // namespace heptane

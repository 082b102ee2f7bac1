/*
   The passes of an iteration as objects.
*/
#pragma once

#include "../../../metrics/metrics.hpp"
#include "host_scalars.hpp"
#include "plan.hpp"
#include "product_text.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include "../../../pass/step_launch.hpp"
#endif

namespace heptane
{

/*
   A pass has
     always, changes                 runs also if the iteration has stopped; changes the scalars
     Launches(), Sums(), FirstSum()  numbers of its launches and sums, and the index of the first sum
     Everywhere(by)                  on the device it is launched on processes without rows too
     Record(plan, S)                 adds it to the plan of an iteration
     Metrics(device, S)              declares its bytes for -heptane_metrics, while the result exists
     Advance(S)                      advances the host's scalars before it; false: it does not change them
     Before(S, stream)               on the device: runs before its launch
     Host(S, sums)                   runs it on the host
   and launch_pass(pass, at) launches it on the device.
   This is the base of all passes, with the members that most of them share.
*/
struct PassOf {
  static constexpr bool changes = false;
  static constexpr bool joins   = false; /* its sums are added over the processes together with the sums of the next pass that has some */
  const FusedOperands  &operands;
  bool                  always;

  int  Launches() const { return 1; }
  int  Sums() const { return 0; }
  int  FirstSum() const { return 0; }
  bool Everywhere(const ProcessSums &) const { return false; }
  bool Advance(FusedHostScalars &) const { return false; }
#if PetscDefined(HAVE_CUDA)
  /* On the device, before its launch */
  PetscErrorCode Before(const FusedScalars *, cudaStream_t) const
  {
    return PETSC_SUCCESS;
  }
#endif
};

/* Sums that passes have left since the last addition over the processes */
struct LeftSums {
  int at = 0, end = 0;

  /* After a pass; false: the addition is made later */
  template <class Pass>
  bool Add(const Pass &pass, int *first, int *count)
  {
    const int begin = pass.FirstSum(), to = begin + pass.Sums();

    at  = end ? std::min(at, begin) : begin;
    end = std::max(end, to);
    if (Pass::joins) return false;
    *first = at;
    *count = end - at;
    *this  = LeftSums();
    return true;
  }
};

/* A step over the vectors. detail: appended to the text of the step */
template <class Step>
struct StepPass : PassOf {
  using Method                  = typename Step::Scalars;
  static constexpr bool changes = Step::changes;
  static constexpr bool joins   = Step::joins;
  const Step           &step;
  const FusedPc        &pc;
  const char           *detail;

  StepPass(const FusedOperands &of, const Step &s, const FusedPc &p, bool all, const char *text) : PassOf{of, all}, step(s), pc(p), detail(text) {}
  int  Sums() const { return Step::sums; }
  int  FirstSum() const { return step.first_sum(); }
  bool Everywhere(const ProcessSums &by) const { return by.InPasses(); }
  bool Cells() const { return Step::cells && applies_loaded(pc, FusedPc::blocks); }
  void Record(FusedPlan *plan, const FusedHostScalars &S) const
  {
    const StepCost cost = CostOf(step, S.template Host<Method>());

    plan->Pass(cost.text + detail, cost, joins ? 0 : Step::sums);
  }
  MetricsPass Metrics(bool device, const FusedHostScalars &S) const
  {
    return MetricsPass(device, [&] {
      const StepCost cost = CostOf(step, S.template Host<Method>());

      return DeclaredPass{cost.text + detail, sizeof(Scalar) * cost.scalars * (double)operands.Rows()};
    });
  }
  bool           Advance(FusedHostScalars &S) const { return S.Advance(step); }
  PetscErrorCode Host(FusedHostScalars &S, Scalar sums[]) const
  {
    PetscFunctionBegin;
    run_step_host(step, (std::size_t)operands.Rows(), Cells(), pc.block, S.template Host<Method>(), sums);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/*
   Kernels outside the engine. step: advances the scalars before them and declares their sums. host(step, sums) and
   device(state, reduction, stream) run them.
*/
template <class Step, class HostCall, class DeviceCall>
struct KernelsPass : PassOf {
  using Method                  = typename Step::Scalars;
  static constexpr bool changes = Step::changes;
  const Step           &step;
  int                   kernels;
  double                flops;
  const char           *function, *text;
  const HostCall       &host;
  const DeviceCall     &device;

  KernelsPass(const FusedOperands &of, const Step &s, int launches, double f, const char *name, const char *t, const HostCall &h, const DeviceCall &d)
    : PassOf{of, false}, step(s), kernels(launches), flops(f), function(name), text(t), host(h), device(d)
  {
    static_assert(changes && Step::sums > 0, "the scalars advance before such kernels, which leave sums");
  }
  int  Launches() const { return kernels; }
  int  Sums() const { return Step::sums; }
  int  FirstSum() const { return Step::first_sum(); }
  void Record(FusedPlan *plan, const FusedHostScalars &) const
  {
    plan->Launches(kernels, flops, function, text);
    plan->reductions++;
  }
  MetricsPass Metrics(bool on_device, const FusedHostScalars &) const
  {
    return MetricsPass(on_device, [&] { return DeclaredPass{std::string(function) + ": " + text, NAN}; });
  }
  bool           Advance(FusedHostScalars &S) const { return S.Advance(step); }
  PetscErrorCode Host(FusedHostScalars &S, Scalar sums[]) const
  {
    Step begun = step;

    PetscFunctionBegin;
    begun.begin(S.template Host<Method>());
    host(begun, sums);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* y = M^-1 A u and its sums, or a combination, by the operator */
template <class T>
struct ProductPass : PassOf {
  const FusedProductOf<T> &P;
  const ProductText       &text;

  ProductPass(const FusedOperands &of, const FusedProductOf<T> &product, const ProductText &t, bool all) : PassOf{of, all}, P(product), text(t) {}
  int         Sums() const { return number_of(P.sums); }
  int         FirstSum() const { return P.at; }
  bool        Everywhere(const ProcessSums &by) const { return by.InPasses(); }
  void        Record(FusedPlan *plan, const FusedHostScalars &) const { plan->Product(product_text(P, text), CostOf(P), Sums()); }
  MetricsPass Metrics(bool device, const FusedHostScalars &) const
  {
    return MetricsPass(device, [&] {
      return DeclaredPass{product_text(P, text), operands.Operator()->MatrixBytes() + sizeof(Scalar) * CostOf(P).scalars * (double)operands.Rows()};
    });
  }
#if PetscDefined(HAVE_CUDA)
  PetscErrorCode Before(const FusedScalars *S, cudaStream_t stream) const
  {
    return operands.Operator()->Receive(P, S, stream);
  }
#endif
  PetscErrorCode Host(FusedHostScalars &S, Scalar sums[]) const
  {
    FusedProductOf<T>    Q  = P;
    FusedOperator *const op = operands.Operator();

    PetscFunctionBegin;
    if (!combines(P)) Q.q = input_of(P, S.Host());
    if (op->Exchange()) PetscCall(op->Exchange()->Receive(Q.q));
    op->Host(Q, sums);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* to = A^T from */
struct TransposePass : PassOf {
  const Scalar *from;
  Scalar       *to;
  const char   *text;

  TransposePass(const FusedOperands &of, const Scalar *x, Scalar *y, const char *t) : PassOf{of, false}, from(x), to(y), text(t) {}
  std::string Text() const { return std::string("transposed product: ") + text; }
  void        Record(FusedPlan *plan, const FusedHostScalars &) const { plan->Product(Text(), {"", 2, 0}, 0); }
  MetricsPass Metrics(bool device, const FusedHostScalars &) const
  {
    return MetricsPass(device, [&] { return DeclaredPass{Text(), operands.Operator()->MatrixBytes() + 2 * sizeof(Scalar) * (double)operands.Rows()}; });
  }
  PetscErrorCode Host(FusedHostScalars &, Scalar *) const
  {
    PetscFunctionBegin;
    operands.Matrix()->HostTranspose(from, to);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/* to = M^-1 from by PcPasses, which exist only on the device; their kernels declare their bytes */
struct PcPass : PassOf {
  const Scalar *from;
  Scalar       *to;
  const char   *text;

  PcPass(const FusedOperands &of, const Scalar *x, Scalar *y, const char *t) : PassOf{of, false}, from(x), to(y), text(t) {}
  int Launches() const { return operands.Passes()->Launches(); }
  /* processes may wait for each other in it */
  bool           Everywhere(const ProcessSums &) const { return operands.Processes() > 1; }
  void           Record(FusedPlan *plan, const FusedHostScalars &) const { plan->Launches(Launches(), operands.Passes()->Flops(), "PCApply", text); }
  bool           Metrics(bool, const FusedHostScalars &) const { return false; }
  PetscErrorCode Host(FusedHostScalars &, Scalar *) const
  {
    PetscFunctionBegin;
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "Launches of a preconditioner in a solve on the host");
  }
};

#if PetscDefined(HAVE_CUDA)
/*
   Arguments of the launch of a pass. state.next: null if the host advances the scalars, or the pass does not change
   them
*/
struct PassLaunch {
  FusedState            state;
  const FusedReduction &reduction;
  cudaStream_t          stream;
};

template <class Step>
cudaError_t launch_pass(const StepPass<Step> &pass, const PassLaunch &at)
{
  const FusedOperands &of = pass.operands;

  return launch_step(pass.step, (std::size_t)of.Rows(), pass.Cells(), pass.pc.block, of.Aligned(), at.state, at.reduction, pass.always, at.stream);
}

template <class Step, class HostCall, class DeviceCall>
cudaError_t launch_pass(const KernelsPass<Step, HostCall, DeviceCall> &pass, const PassLaunch &at)
{
  return pass.device(at.state, at.reduction, at.stream);
}

template <class T>
cudaError_t launch_pass(const ProductPass<T> &pass, const PassLaunch &at)
{
  return pass.operands.Operator()->Launch(pass.P, at.state.now, at.reduction, at.stream);
}

inline cudaError_t launch_pass(const TransposePass &pass, const PassLaunch &at)
{
  return pass.operands.Matrix()->LaunchTranspose(pass.from, pass.to, at.state.now, at.stream);
}

inline cudaError_t launch_pass(const PcPass &pass, const PassLaunch &at)
{
  return pass.operands.Passes()->Launch(pass.from, pass.to, at.stream);
}
#endif

} // namespace heptane

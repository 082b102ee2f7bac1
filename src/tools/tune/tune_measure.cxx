/*
   Candidates as launches, and their times.
*/
#include "tune_measure.hpp"
#include "launch_tuning.hpp"
#include "tune_cases.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../advise/curve.hpp"
  #include <petscdevice_cuda.h>
  #include <algorithm>
  #include <map>
#endif

namespace heptane
{

#if PetscDefined(HAVE_CUDA)

namespace
{

/* Question and answer of the current launch */
struct Forced {
  LaunchQuestion question;
  LaunchChoice   choice;
  bool           answers = false;
} forced;

LaunchChoice forced_choice(const LaunchQuestion &q)
{
  LaunchChoice compiled;

  forced.question  = q;
  compiled.threads = q.threads;
  compiled.grid    = q.grid;
  return forced.answers ? forced.choice : compiled;
}

/* Launches are answered by forced_choice() for the time of its life */
struct Answering {
  LaunchAdviser before = launch_adviser;

  Answering() { launch_adviser = forced_choice; }
  ~Answering()
  {
    launch_adviser = before;
    forced.answers = false;
  }
};

/*
   Allows the kernel `bytes` bytes of dynamic shared memory. The limit never falls: graphs may have launches with more
*/
bool allow_shared(const void *kernel, long bytes)
{
  static std::map<const void *, long> allowed;
  long                               &most = allowed[kernel];

  if (bytes <= most) return true;
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)) != cudaSuccess) {
    (void)cudaGetLastError(); /* it is dealt with */
    return false;
  }
  most = bytes;
  return true;
}

struct Timed {
  LaunchCandidate     candidate;
  cudaGraphExec_t     exec = nullptr;
  std::vector<double> us;
};

PetscErrorCode Record(const TuneCase &c, int launches, cudaStream_t capture, cudaGraphExec_t *exec)
{
  cudaGraph_t graph;
  cudaError_t err = cudaSuccess;

  PetscFunctionBegin;
  PetscCallCUDA(cudaStreamBeginCapture(capture, cudaStreamCaptureModeThreadLocal));
  for (int k = 0; k < launches && !err; k++) err = c.launch(capture);
  const cudaError_t end = cudaStreamEndCapture(capture, &graph);

  PetscCallCUDA(err);
  PetscCallCUDA(end);
  PetscCallCUDA(cudaGraphInstantiate(exec, graph, 0));
  PetscCallCUDA(cudaGraphDestroy(graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TimeGraph(cudaGraphExec_t exec, const cudaEvent_t event[2], cudaStream_t stream, double *us)
{
  float ms;

  PetscFunctionBegin;
  PetscCallCUDA(cudaEventRecord(event[0], stream));
  PetscCallCUDA(cudaGraphLaunch(exec, stream));
  PetscCallCUDA(cudaEventRecord(event[1], stream));
  PetscCallCUDA(cudaEventSynchronize(event[1]));
  PetscCallCUDA(cudaEventElapsedTime(&ms, event[0], event[1]));
  *us = 1e3 * ms;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Number of launches of a sample that is long enough */
PetscErrorCode LaunchesOf(const TuneCase &c, const cudaEvent_t event[2], cudaStream_t stream, cudaStream_t capture, int *launches)
{
  constexpr int   few = 8;
  cudaGraphExec_t exec;
  double          us;

  PetscFunctionBegin;
  PetscCall(Record(c, few, capture, &exec));
  for (int k = 0; k < 2; k++) PetscCall(TimeGraph(exec, event, stream, &us)); /* the first one loads the kernel */
  PetscCallCUDA(cudaGraphExecDestroy(exec));
  *launches = std::clamp(static_cast<int>(LaunchTuning::sample_us * few / std::max(us, 1.)), 2, LaunchTuning::most_launches);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In turns, so that slow changes affect all of them alike */
PetscErrorCode TimeAll(std::vector<Timed> *all, int launches, const cudaEvent_t event[2], cudaStream_t stream)
{
  double us;

  PetscFunctionBegin;
  for (int s = 0; s <= LaunchTuning::samples; s++)
    for (Timed &t : *all) {
      PetscCall(TimeGraph(t.exec, event, stream, &us));
      if (s) t.us.push_back(us / launches);
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeasureCase(const TuneCase &c, const LaunchDevice &assumed, const DeviceLimits &real, const cudaEvent_t event[2], cudaStream_t stream,
                           cudaStream_t capture, TuningTable *table)
{
  std::vector<Timed> all;
  int                launches = 0;
  Answering          answering;

  PetscFunctionBegin;
  forced.question = LaunchQuestion();
  PetscCall(LaunchesOf(c, event, stream, capture, &launches));
  if (!forced.question.kernel) PetscFunctionReturn(PETSC_SUCCESS); /* nothing to choose */
  const LaunchQuestion  q       = forced.question;
  const LaunchKernels  &kernels = kernels_of(q);
  const LaunchCandidate chosen  = choose_candidate(assumed, q, kernels);

  forced.answers = true;
  for (const LaunchCandidate &candidate : launch_candidates(assumed, q, kernels)) {
    Timed t;

    t.candidate   = candidate;
    forced.choice = choice_of(assumed.limits, real, q, candidate);
    PetscCall(Record(c, launches, capture, &t.exec));
    all.push_back(t);
  }
  PetscCall(TimeAll(&all, launches, event, stream));
  double least = HUGE_VAL;
  for (Timed &t : all) least = std::min(least, median_of(t.us));
  for (const Timed &t : all) {
    TunedLaunch l;

    PetscCallCUDA(cudaGraphExecDestroy(t.exec));
    l.name     = c.name;
    l.question = q;
    l.needs    = t.candidate.narrow ? kernels.narrow : kernels.wide;
    l.launch   = t.candidate;
    l.us       = median_of(t.us);
    l.model_us = launch_us(assumed, q, kernels, t.candidate);
    l.best     = l.us == least;
    l.model    = t.candidate == chosen;
    if (l.best) least = -1; /* only the first of equal ones */
    table->launches.push_back(l);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

const LaunchKernels &kernels_of(const LaunchQuestion &q)
{
  static std::map<const void *, LaunchKernels> known;
  const auto                                   found = known.find(q.kernel);

  if (found != known.end()) return found->second;
  LaunchKernels &made = known[q.kernel];
  const auto     ask  = [](const void *kernel, KernelNeeds *needs) {
    cudaFuncAttributes a = {};

    if (kernel && cudaFuncGetAttributes(&a, kernel) == cudaSuccess) {
      needs->registers = a.numRegs;
      needs->shared    = static_cast<long>(a.sharedSizeBytes);
    }
  };

  ask(q.kernel, &made.wide);
  ask(q.narrow, &made.narrow);
  return made;
}

PetscErrorCode DeviceCacheBytes(double *bytes)
{
  int device, size;

  PetscFunctionBegin;
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaDeviceGetAttribute(&size, cudaDevAttrL2CacheSize, device));
  *bytes = size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

LaunchChoice choice_of(const DeviceLimits &assumed, const DeviceLimits &real, const LaunchQuestion &q, const LaunchCandidate &c)
{
  const LaunchKernels  &kernels  = kernels_of(q);
  const KernelNeeds    &needs    = c.narrow ? kernels.narrow : kernels.wide;
  const KernelResources resource = {c.threads, needs.registers, needs.shared + static_cast<long>(c.threads / q.lanes) * q.shared};
  LaunchChoice          choice;

  choice.threads = c.threads;
  choice.narrow  = c.narrow;
  if (q.grid) {
    const int blocks = std::max(std::min(c.blocks, resident_blocks(assumed, q, kernels, c)), 1);

    choice.grid = std::min(static_cast<unsigned>(blocks) * assumed.multiprocessors, q.room);
    return choice;
  }
  const long unused = unused_shared(real, assumed, resource);

  /* if this is refused, the artificial GPU has too many resident blocks */
  if (unused > 0 && allow_shared(c.narrow ? q.narrow : q.kernel, resource.shared - needs.shared + unused)) choice.unused = static_cast<unsigned>(unused);
  return choice;
}

PetscErrorCode MeasureLaunches(const LaunchDevice &assumed, const DeviceLimits &real, double most_rows, TuningTable *table)
{
  TunePasses   passes;
  cudaEvent_t  event[2];
  cudaStream_t stream, capture;

  PetscFunctionBegin;
  table->device = assumed;
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(cudaStreamCreateWithFlags(&capture, cudaStreamNonBlocking));
  for (cudaEvent_t &e : event) PetscCallCUDA(cudaEventCreate(&e));
  PetscCall(passes.Make(real));
  for (int k = 0; k < TuneCases(most_rows); k++) {
    TuneCase c;

    PetscCall(MakeTuneCase(k, most_rows, passes, &c));
    PetscCallCUDA(cudaDeviceSynchronize());
    PetscCall(MeasureCase(c, assumed, real, event, stream, capture, table));
  }
  for (cudaEvent_t &e : event) PetscCallCUDA(cudaEventDestroy(e));
  PetscCallCUDA(cudaStreamDestroy(capture));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

const LaunchKernels &kernels_of(const LaunchQuestion &)
{
  static const LaunchKernels none;

  return none;
}

LaunchChoice choice_of(const DeviceLimits &, const DeviceLimits &, const LaunchQuestion &q, const LaunchCandidate &)
{
  return {q.threads, q.grid, 0, false};
}

PetscErrorCode DeviceCacheBytes(double *bytes)
{
  *bytes = 0;
  return PETSC_SUCCESS;
}

PetscErrorCode MeasureLaunches(const LaunchDevice &, const DeviceLimits &, double, TuningTable *)
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "PETSc was configured without CUDA");
}

#endif

} // namespace heptane

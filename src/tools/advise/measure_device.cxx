/*
   The device: copies to and from it, passes over its memory, its latencies.
*/
#include "measure.hpp"
#include "../../device/buffer.hpp"
#include "../../pass/pass_tuning.hpp"
#include "model_tuning.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../../metrics/trace.hpp"
  #include "../../pass/step_launch.hpp"
  #include "measure_kernels.hpp"
  #include "pass_memory.hpp"
  #include <petscdevice_cuda.h>
  #include <algorithm>
  #include <chrono>
  #include <memory>
  #include <numeric>
#endif

namespace heptane
{

#if PetscDefined(HAVE_CUDA)

namespace
{

double us_now()
{
  return 1e6 * std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* us of f(), which queues work, until that is done: the median of some, after a first one that does not count */
template <class F>
PetscErrorCode TimeOf(cudaStream_t stream, F &&f, double *us)
{
  std::vector<double> samples;

  PetscFunctionBegin;
  for (int s = 0; s <= ModelTuning::samples; s++) {
    PetscCallCUDA(cudaStreamSynchronize(stream));
    const double begin = us_now();

    PetscCall(f());
    PetscCallCUDA(cudaStreamSynchronize(stream));
    if (s) samples.push_back(us_now() - begin);
  }
  *us = median_of(samples);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pinned memory: freed with the owner */
PetscErrorCode Pinned(std::size_t bytes, std::shared_ptr<char> *memory)
{
  void *made = nullptr;

  PetscFunctionBegin;
  PetscCallCUDA(cudaMallocHost(&made, bytes));
  memory->reset(static_cast<char *>(made), [](char *p) { (void)cudaFreeHost(p); });
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TimeCopies(cudaStream_t stream, char *to, const char *from, cudaMemcpyKind kind, std::size_t last, Curve *curve)
{
  std::vector<Curve::Point> samples;

  PetscFunctionBegin;
  for (std::size_t bytes = ModelTuning::copy_first; bytes <= last; bytes *= 4) {
    double us = 0;

    PetscCall(TimeOf(
      stream,
      [&] {
        PetscFunctionBegin;
        PetscCallCUDA(cudaMemcpyAsync(to, from, bytes, kind, stream));
        PetscFunctionReturn(PETSC_SUCCESS);
      },
      &us));
    samples.push_back({(double)bytes, us});
  }
  *curve = Curve(samples);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs work until the device has reached its clock rate */
PetscErrorCode WarmUp(cudaStream_t stream)
{
  Buffer<char> memory(ModelTuning::copy_last);
  char        *p;
  const double end = us_now() + ModelTuning::warm_us;

  PetscFunctionBegin;
  PetscCall(memory.Memory(Where::device, &p));
  do {
    PetscCallCUDA(cudaMemsetAsync(p, 0, ModelTuning::copy_last, stream));
    PetscCallCUDA(cudaStreamSynchronize(stream));
  } while (us_now() < end);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeasureCopies(cudaStream_t stream, Machine *m)
{
  constexpr std::size_t last = ModelTuning::copy_last;
  Buffer<char>          device(last);
  std::vector<char>     pageable(last, 1);
  std::shared_ptr<char> pinned;
  char                 *d;

  PetscFunctionBegin;
  PetscCall(device.Zeros(Where::device, &d));
  PetscCall(Pinned(last, &pinned));
  std::fill_n(pinned.get(), last, char(1));
  PetscCall(TimeCopies(stream, d, pageable.data(), cudaMemcpyHostToDevice, last, &m->up_pageable));
  PetscCall(TimeCopies(stream, d, pinned.get(), cudaMemcpyHostToDevice, last, &m->up_pinned));
  PetscCall(TimeCopies(stream, pageable.data(), d, cudaMemcpyDeviceToHost, last, &m->down_pageable));
  PetscCall(TimeCopies(stream, pinned.get(), d, cudaMemcpyDeviceToHost, last, &m->down_pinned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Passes of a preconditioner and of scalar products by turns, n rows; v: three vectors */
PetscErrorCode QueuePasses(const PassMemory &memory, std::size_t n, Scalar *v, int passes, cudaStream_t stream)
{
  FusedPc pc;

  PetscFunctionBegin;
  pc.form    = FusedPc::point;
  pc.inverse = v;
  for (int k = 0; k < passes; k++) {
    if (k % 2) PetscCallCUDA(launch_step(DotsStep(v + n, v + 2 * n, v + n), n, false, 1, true, {memory.now, nullptr}, memory.reduction, false, stream));
    else PetscCallCUDA(launch_step(ApplyPcStep(pc, v + n, v + 2 * n), n, false, 1, true, {memory.now, nullptr}, memory.reduction, false, stream));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RecordPasses(const PassMemory &memory, std::size_t n, Scalar *v, cudaStream_t capture, cudaGraphExec_t *exec)
{
  cudaGraph_t graph;

  PetscFunctionBegin;
  PetscCallCUDA(cudaStreamBeginCapture(capture, cudaStreamCaptureModeThreadLocal));
  PetscCall(QueuePasses(memory, n, v, ModelTuning::launches, capture));
  PetscCallCUDA(cudaStreamEndCapture(capture, &graph));
  PetscCallCUDA(cudaGraphInstantiate(exec, graph, 0));
  PetscCallCUDA(cudaGraphDestroy(graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeasurePasses(const PassMemory &memory, cudaStream_t stream, Curve *curve)
{
  std::size_t               last = ModelTuning::device_last, free_bytes, all;
  std::vector<Curve::Point> samples;
  cudaStream_t              capture;
  Buffer<Scalar>            vectors;
  Scalar                   *v;

  PetscFunctionBegin;
  PetscCallCUDA(cudaMemGetInfo(&free_bytes, &all));
  while (last > ModelTuning::pass_first && 2 * last > free_bytes) last /= 4;
  vectors.Resize(last / sizeof(Scalar));
  PetscCall(vectors.Zeros(Where::device, &v));
  PetscCallCUDA(cudaStreamCreateWithFlags(&capture, cudaStreamNonBlocking));
  for (std::size_t bytes = ModelTuning::pass_first; bytes <= last; bytes *= 4) {
    const std::size_t n = bytes / (3 * sizeof(Scalar)) / 2 * 2; /* even: the vectors are aligned for packs of two */
    cudaGraphExec_t   exec;
    double            us = 0;

    PetscCall(RecordPasses(memory, n, v, capture, &exec));
    PetscCall(TimeOf(
      stream,
      [&] {
        PetscFunctionBegin;
        PetscCallCUDA(cudaGraphLaunch(exec, stream));
        PetscFunctionReturn(PETSC_SUCCESS);
      },
      &us));
    PetscCallCUDA(cudaGraphExecDestroy(exec));
    samples.push_back({2.5 * sizeof(Scalar) * n, us / ModelTuning::launches}); /* three values per row and two by turns */
  }
  PetscCallCUDA(cudaStreamDestroy(capture));
  *curve = Curve(samples);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times on the host: queueing a kernel; queueing a kernel and a small copy back, and waiting for them */
PetscErrorCode MeasureHostWaits(const PassMemory &memory, cudaStream_t stream, Machine *m)
{
  constexpr int         kernels = 256;
  constexpr std::size_t back    = sizeof(FusedMemory);
  std::shared_ptr<char> pinned;
  Buffer<Scalar>        vectors(6);
  Scalar               *v;
  std::vector<double>   samples;

  PetscFunctionBegin;
  PetscCall(Pinned(back, &pinned));
  PetscCall(vectors.Zeros(Where::device, &v));
  for (int s = 0; s <= ModelTuning::samples; s++) {
    PetscCallCUDA(cudaStreamSynchronize(stream));
    const double begin = us_now();

    PetscCall(QueuePasses(memory, 2, v, kernels, stream));
    if (s) samples.push_back((us_now() - begin) / kernels);
  }
  m->launch_us = median_of(samples);
  PetscCall(TimeOf(
    stream,
    [&] {
      PetscFunctionBegin;
      PetscCall(QueuePasses(memory, 2, v, 1, stream));
      PetscCallCUDA(cudaMemcpyAsync(pinned.get(), memory.now, back, cudaMemcpyDeviceToHost, stream));
      PetscFunctionReturn(PETSC_SUCCESS);
    },
    &m->wait_us));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   us of one of `more` operations that f(number) queues, as the difference from a few operations, so that the time of
   the launch cancels
*/
template <class F>
PetscErrorCode TimePerOne(cudaStream_t stream, int more, F &&f, double *us)
{
  constexpr int few    = 8;
  double        us_few = 0, us_all = 0;

  PetscFunctionBegin;
  PetscCall(TimeOf(
    stream, [&] { return f(few); }, &us_few));
  PetscCall(TimeOf(
    stream, [&] { return f(few + more); }, &us_all));
  *us = std::max(us_all - us_few, 0.) / more;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   us of a load along a path through 64 MiB that visits no cache line twice, run by run. bytes: size of other data that
   is written before
*/
PetscErrorCode TimeLoads(std::size_t bytes, cudaStream_t stream, double *us)
{
  constexpr std::size_t places = std::size_t(1) << 24, stride = 15485863;
  constexpr int         loads = 4000;
  std::vector<unsigned> path(places);
  Buffer<unsigned>      on_device, word{1};
  Buffer<char>          others(bytes);
  const unsigned       *d_path;
  unsigned             *d_word;
  char                 *d_others = nullptr;

  PetscFunctionBegin;
  for (std::size_t k = 0; k < places; k++) path[k] = static_cast<unsigned>((k + stride) % places);
  on_device.Take(std::move(path));
  PetscCall(on_device.Read(Where::device, &d_path));
  PetscCall(word.Zeros(Where::device, &d_word));
  if (bytes) PetscCall(others.Memory(Where::device, &d_others));
  PetscCall(TimePerOne(
    stream, loads,
    [&](int number) {
      PetscFunctionBegin;
      if (bytes) PetscCallCUDA(cudaMemsetAsync(d_others, 0, bytes, stream));
      PetscCallCUDA(launch_load_chain(d_path, number, d_word, stream));
      PetscFunctionReturn(PETSC_SUCCESS);
    },
    us));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeasureLatencies(const DeviceLimits &limits, cudaStream_t stream, Machine *m)
{
  constexpr int  sums = 1000;
  Buffer<char>   barrier(barrier_chain_bytes(limits.multiprocessors));
  Buffer<double> result{1};
  char          *d_barrier;
  double        *d_result;

  PetscFunctionBegin;
  PetscCall(TimeLoads(0, stream, &m->latency_us));
  PetscCall(barrier.Zeros(Where::device, &d_barrier));
  PetscCall(result.Zeros(Where::device, &d_result));
  PetscCall(TimePerOne(
    stream, sums,
    [&](int number) {
      PetscFunctionBegin;
      PetscCallCUDA(launch_barrier_chain(limits.multiprocessors, number, d_barrier, d_result, stream));
      PetscFunctionReturn(PETSC_SUCCESS);
    },
    &m->barrier_us));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MeasureMemoryLatency(double *us)
{
  constexpr int factor = 2; /* to fill the cache with something else */
  int           device, bytes;
  cudaStream_t  stream;

  PetscFunctionBegin;
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device));
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCall(WarmUp(stream));
  PetscCall(TimeLoads(factor * static_cast<std::size_t>(bytes), stream, us));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeasureDevice(Machine *m)
{
  DeviceLimits limits;
  PassMemory   memory;
  cudaStream_t stream;

  PetscFunctionBegin;
  PetscCall(DeviceLimitsNow(&limits));
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  m->gpu        = limits.name;
  m->kept_bytes = static_cast<double>(limits.multiprocessors) * (static_cast<double>(limits.shared) + 4. * limits.registers);
  PetscCall(memory.Make(limits));
  PetscCall(WarmUp(stream));
  PetscCall(MeasureCopies(stream, m));
  PetscCall(MeasurePasses(memory, stream, &m->device_pass));
  PetscCall(MeasureHostWaits(memory, stream, m));
  PetscCall(MeasureLatencies(limits, stream, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

PetscErrorCode MeasureMemoryLatency(double *)
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "PETSc was configured without CUDA");
}

PetscErrorCode MeasureDevice(Machine *)
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "PETSc was configured without CUDA");
}

#endif

} // namespace heptane

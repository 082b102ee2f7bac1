/*
   Runs a step on the device. A method's .cu instantiates launch_step() for each of its steps.
*/
#pragma once

#include "../device/chained_launch.cuh"
#include "../device/launch.hpp"
#include "../device/launch_policy.hpp"
#include "pass_tuning.hpp"
#include "reduction.cuh"
#include "step_launch.hpp"

namespace heptane
{

/*
   Computes  the rows of the step, see its comment, for n rows
   Threads   V = Pack<1> or Pack<Step::width>: one thread lanes<V> neighbouring rows at a time, in strides of the grid
   Bytes     each vector that the step reads or writes once; the scalars
   Order     deterministic: a thread's rows ascending, then lanes, threads and blocks in a fixed order
*/
template <class Step, class V>
__global__ void __launch_bounds__(PassTuning::threads) step_kernel(Step step, std::size_t n, const FusedState state, const FusedReduction red, bool always)
{
  constexpr int     K = Step::sums, N = lanes<V>;
  constexpr int     A     = K > 0 ? K : 1;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * PassTuning::threads + threadIdx.x;

  wait_for_predecessor();
  if (!begin_step(step, state, red, always)) return;
  V acc[A] = {};
  for (std::size_t i = first * N; i + N <= n; i += static_cast<std::size_t>(gridDim.x) * PassTuning::threads * N) step.rows(i, acc);
  Pack<1> tail[A] = {};
  if (N > 1 && first == 0) {
    for (std::size_t i = n - n % N; i < n; i++) step.rows(i, tail);
  }
  if constexpr (K > 0) {
    Scalar s[K];
#pragma unroll
    for (int k = 0; k < K; k++) s[k] = sum_of(acc[k]) + tail[k].v[0];
    publish_sums_of_ranks<PassTuning::threads>(s, red, step.first_sum());
  }
}

/*
   As step_kernel, for steps in which a row needs the other rows of its cell
   Threads   one per row; whole cells a block, through shared memory. With several sums registers are limited so that
             all blocks of a grid are resident; 0: the compiler decides.
*/
template <class Step>
__global__ void __launch_bounds__(PassTuning::threads, Step::sums > 1 ? PassTuning::blocks_per_sm : 0)
  step_cells_kernel(Step step, std::size_t n, int block, const FusedState state, const FusedReduction red, bool always)
{
  constexpr int     K      = Step::sums;
  const int         used   = PassTuning::threads - PassTuning::threads % block; /* threads with rows */
  const int         thread = threadIdx.x, corner = thread - thread % block;
  constexpr int     values = Step::cell_values;
  __shared__ Scalar value[values][PassTuning::threads];
  const Scalar     *cell[values];

  wait_for_predecessor();
  if (!begin_step(step, state, red, always)) return;
  Pack<1> acc[K > 0 ? K : 1] = {};
#pragma unroll
  for (int j = 0; j < values; j++) cell[j] = value[j] + corner;
  for (std::size_t tile = static_cast<std::size_t>(blockIdx.x) * used; tile < n; tile += static_cast<std::size_t>(gridDim.x) * used) {
    const std::size_t i      = tile + thread;
    const bool        active = thread < used && i < n;
    if (active) {
      Scalar v[values];
      step.first(i, v);
#pragma unroll
      for (int j = 0; j < values; j++) value[j][thread] = v[j];
    }
    __syncthreads();
    if (active) step.second(i, cell, thread - corner, acc);
    __syncthreads();
  }
  if constexpr (K > 0) {
    Scalar s[K];
#pragma unroll
    for (int k = 0; k < K; k++) s[k] = acc[k].v[0];
    publish_sums_of_ranks<PassTuning::threads>(s, red, step.first_sum());
  }
}

template <class Step>
cudaError_t launch_step(const Step &step, std::size_t n, bool cells, int block, bool aligned, const FusedState &state, const FusedReduction &red, bool always,
                        cudaStream_t stream)
{
  constexpr int threads = PassTuning::threads, width = Step::width;
  const bool    early  = red.chained && n <= PassTuning::chained_rows;
  const auto    single = step_kernel<Step, Pack<1>>, wide = step_kernel<Step, Pack<width>>;
  const auto    blocks = [](std::size_t items, int of_block, unsigned most) {
    return std::min(std::max(blocks_for(items, of_block), 1u), most);
  }; /* also without rows: other processes may have some */
  LaunchQuestion q;

  q.size    = Step::reads;
  q.items   = n;
  q.threads = threads;
  q.grid    = std::min(Step::blocks_per_sm * red.processors, red.max_blocks);
  q.room    = red.max_blocks;
  if (cells) {
    if constexpr (Step::cells) {
      q.family             = LaunchFamily::pass_cells;
      q.kernel             = reinterpret_cast<const void *>(step_cells_kernel<Step>);
      const LaunchChoice c = choose_launch(q);
      return launch_chained_with(c.unused, step_cells_kernel<Step>, blocks(n, threads - threads % block, c.grid), threads, stream, early, step, n, block, state,
                                 red, always);
    } else return cudaErrorNotSupported;
  }
  q.kernel             = reinterpret_cast<const void *>(aligned ? wide : single);
  q.narrow             = aligned && width > 1 ? reinterpret_cast<const void *>(single) : nullptr;
  q.width              = aligned ? width : 1;
  const LaunchChoice c = choose_launch(q);
  if (aligned && !c.narrow)
    return launch_chained_with(c.unused, wide, blocks((n + width - 1) / width, threads, c.grid), threads, stream, early, step, n, state, red, always);
  return launch_chained_with(c.unused, single, blocks(n, threads, c.grid), threads, stream, early, step, n, state, red, always);
}

/*
   Computes  whether the graph that contains this kernel repeats, from the scalars of the next iteration
   Threads   one
   Bytes     the scalars, and the sums; nothing is stored in the scalars
   Order     none
*/
template <class Step>
__global__ void repeat_kernel(Step step, const FusedScalars *now, const FusedReduction red, const FusedRepeat repeat)
{
  wait_for_predecessor();
#if HEPTANE_CUDA_LOOPS && defined(__CUDA_ARCH__)
  typename Step::Scalars S = *static_cast<const typename Step::Scalars *>(now);
  Scalar                 sums[Step::taken];

  for (int k = 0; k < Step::taken; k++) sums[k] = sum_of_pass(red.sums + k);
  if (S.stop == FusedStop::no) step.advance(S, sums);
  const bool again = S.stop == FusedStop::no && *repeat.count + 1 < repeat.most;
  *repeat.count    = again ? *repeat.count + 1 : 0;
  cudaGraphSetConditional(repeat.handle, again);
#endif
}

template <class Step>
cudaError_t launch_repeat(const Step &step, const FusedScalars *now, const FusedReduction &red, const FusedRepeat &repeat, cudaStream_t stream)
{
  return launch_chained(repeat_kernel<Step>, 1, 1, stream, red.chained, step, now, red, repeat);
}

/* For a step that begins an iteration that a graph may repeat */
#define HEPTANE_DEVICE_REPEAT(Step) \
  template cudaError_t launch_repeat(const Step &, const FusedScalars *, const FusedReduction &, const FusedRepeat &, cudaStream_t)

/* Used once for each step, in the device source of its method */
#define HEPTANE_DEVICE_STEP(Step) \
  template cudaError_t launch_step(const Step &, std::size_t, bool, int, bool, const FusedState &, const FusedReduction &, bool, cudaStream_t)

} // namespace heptane

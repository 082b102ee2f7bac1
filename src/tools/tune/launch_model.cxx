/*
   The model of launches.
*/
#include "launch_model.hpp"
#include "launch_tuning.hpp"
#include <algorithm>
#include <cmath>

namespace heptane
{

namespace
{

using Tuning = LaunchTuning;

KernelResources resources(const LaunchQuestion &q, const LaunchKernels &kernels, const LaunchCandidate &c)
{
  const KernelNeeds &k = c.narrow ? kernels.narrow : kernels.wide;

  return {c.threads, k.registers, k.shared + static_cast<long>(c.threads / q.lanes) * q.shared};
}

int spread_of(const LaunchDevice &device)
{
  return std::max(device.spread ? device.spread : device.limits.multiprocessors, 1);
}

/*
   Time of a round in which a number of thread blocks run together: dependent steps of a block, the memory, and the
   busiest multiprocessor's share of it and its schedulers limit each other
*/
struct Round {
  double after;  /* us of dependent steps in a block */
  double memory; /* us of the memory for a block */
  double issue;  /* us of a scheduler for a block */
  int    multiprocessors;

  double Microseconds(double blocks) const
  {
    constexpr double p = Tuning::sharpness;
    const double busy = std::ceil(blocks / multiprocessors), all = blocks * memory, share = busy * multiprocessors * memory / Tuning::share, over = all / after;

    if (blocks <= 0) return 0;
    const double us = std::pow(std::pow(after, p) + std::pow(all, p) + std::pow(share, p) + std::pow(busy * issue, p), 1 / p);

    return over > 1 ? us * (1 + Tuning::crowded * std::log2(over)) : us;
  }
};

Round round_of(const LaunchDevice &device, const LaunchQuestion &q, const LaunchCandidate &c)
{
  constexpr double   warp  = 32;
  const LaunchCost   cost  = Tuning::costs[static_cast<int>(q.family)];
  const double       width = c.narrow ? 1 : q.width, items = c.threads * width / q.lanes, steps = q.lanes > 1 ? q.size : 0;
  const double       bytes  = device.scalar_bytes * (q.lanes > 1 ? 2. * q.size * q.size : cost.scalars_size * q.size + cost.scalars);
  const LaunchMemory memory = memory_of(device, bytes * static_cast<double>(q.items));
  const double       chain  = (cost.loads + cost.loads_size * (q.size - 1)) * memory.latency_us + steps * cost.step_us;

  return {chain * (1 + Tuning::uneven * std::log2(c.threads / warp)), items * bytes / memory.bytes_per_us,
          c.threads / warp / Tuning::schedulers * steps * (Tuning::issue_us + Tuning::issue_size_us * q.size), spread_of(device)};
}

/* Blocks that run together */
double together(const LaunchDevice &device, const LaunchCandidate &c, int resident)
{
  const double n = device.limits.multiprocessors, spread = spread_of(device);

  /*
     without strides every multiprocessor has the same number, so that an artificial GPU has an integer number on each
  */
  return c.blocks ? std::min(c.blocks, resident) * n : std::max(std::floor(resident * n / spread), 1.) * spread;
}

} // namespace

LaunchMemory memory_of(const LaunchDevice &device, double working_set)
{
  const double part = device.cache_bytes > 0 ? working_set / device.cache_bytes : HUGE_VAL;
  const double in   = std::clamp((Tuning::cache_none - part) / (Tuning::cache_none - Tuning::cache_all), 0., 1.);

  if (in == 0 || device.cache_bytes_per_us <= device.bytes_per_us) return {device.bytes_per_us, device.latency_us};
  return {1 / (in / device.cache_bytes_per_us + (1 - in) / device.bytes_per_us), in * device.cache_latency_us + (1 - in) * device.latency_us};
}

LaunchCandidate compiled_launch(const DeviceLimits &limits, const LaunchQuestion &q)
{
  return {q.threads, q.grid ? std::max<int>(q.grid / std::max(limits.multiprocessors, 1), 1) : 0, false};
}

int resident_blocks(const DeviceLimits &limits, const LaunchQuestion &q, const LaunchKernels &kernels, const LaunchCandidate &c)
{
  return occupancy_of(limits, resources(q, kernels, c)).blocks;
}

std::vector<LaunchCandidate> launch_candidates(const LaunchDevice &device, const LaunchQuestion &q, const LaunchKernels &kernels)
{
  const DeviceLimits          &limits = device.limits;
  const bool                   fused  = q.family == LaunchFamily::fused_product || q.family == LaunchFamily::fused_products;
  std::vector<LaunchCandidate> all;
  const auto                   add = [&](const LaunchCandidate &c) {
    if (std::find(all.begin(), all.end(), c) == all.end()) all.push_back(c);
  };
  const auto with_blocks = [&](int threads, bool narrow) {
    LaunchCandidate c        = {threads, 0, narrow};
    const int       resident = resident_blocks(limits, q, kernels, c);
    /* fused products have at most the number of resident blocks according to CUDA, for which they are compiled */
    const int most = std::min<int>({resident, static_cast<int>(std::min(q.room / std::max(limits.multiprocessors, 1), 1024u)),
                                    fused ? std::max<int>(q.grid / std::max(limits.multiprocessors, 1), 1) : resident});

    if (!resident) return;
    if (!q.grid) add(c);
    else
      for (c.blocks = most; c.blocks >= 1; c.blocks--) add(c);
  };

  if (q.grid) {
    LaunchCandidate compiled = compiled_launch(limits, q);

    compiled.blocks = std::min(compiled.blocks, resident_blocks(limits, q, kernels, compiled));
    if (compiled.blocks > 0) add(compiled);
  }
  with_blocks(q.threads, false);
  if (q.narrow) with_blocks(q.threads, true);
  if (q.unit)
    for (const int threads : Tuning::threads)
      if (threads < q.threads && threads % q.unit == 0 && threads >= q.lanes) with_blocks(threads, false);
  return all;
}

double launch_us(const LaunchDevice &device, const LaunchQuestion &q, const LaunchKernels &kernels, const LaunchCandidate &c)
{
  const int    resident = resident_blocks(device.limits, q, kernels, c);
  const double of_block = c.threads * (c.narrow ? 1. : q.width) / q.lanes, blocks = std::ceil(static_cast<double>(q.items) / of_block);
  const double slots = together(device, c, resident), full = std::floor(blocks / slots), rest = blocks - full * slots;

  if (!resident) return HUGE_VAL;
  const Round  round = round_of(device, q, c);
  const double us    = Tuning::launch_us + full * round.Microseconds(slots) + round.Microseconds(rest) + (q.narrow && !c.narrow ? Tuning::wide_us : 0);

  /*
     Blocks of a grid in strides add their sums at the end, one after the other; blocks of other grids are started one
     after the other. With several rounds the running blocks hide most of that time, with a single one nothing does
  */
  const double ends = c.blocks ? Tuning::block_us * std::min(blocks, slots) : Tuning::start_us * blocks / device.limits.multiprocessors;

  return us + ends + (blocks <= slots ? Tuning::start_alone_us * blocks / spread_of(device) : 0);
}

LaunchCandidate choose_candidate(const LaunchDevice &device, const LaunchQuestion &q, const LaunchKernels &kernels)
{
  const std::vector<LaunchCandidate> all   = launch_candidates(device, q, kernels);
  LaunchCandidate                    best  = compiled_launch(device.limits, q); /* if none seems possible */
  double                             least = HUGE_VAL;

  for (const LaunchCandidate &c : all) {
    const double us = launch_us(device, q, kernels, c);

    if (us < least) {
      least = us;
      best  = c;
    }
  }
  return best;
}

long unused_shared(const DeviceLimits &real, const DeviceLimits &artificial, const KernelResources &kernel)
{
  const double wanted = static_cast<double>(occupancy_of(artificial, kernel).blocks) * artificial.multiprocessors / std::max(real.multiprocessors, 1);
  const int    blocks = std::max(static_cast<int>(wanted), 1);

  if (occupancy_of(real, kernel).blocks <= blocks) return 0;
  /* the largest share of a block if `blocks` blocks are resident, in whole units */
  const long share = real.shared / blocks / real.shared_unit() * real.shared_unit();

  return std::max(share - real.shared_reserved - kernel.shared, 0l);
}

} // namespace heptane

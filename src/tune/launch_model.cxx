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

/* What an item takes from memory, and what a thread has under way of it; warps that hide a chain of arithmetic where that limits the kernel */
struct Traffic {
  double bytes, under_way;
};

Traffic traffic_of(const LaunchQuestion &q, bool narrow)
{
  constexpr double scalar = 8;
  const double     b = q.size, width = narrow ? 1 : q.width;

  switch (q.family) {
  case LaunchFamily::bdiagh_product:
  case LaunchFamily::sellp_product:
  case LaunchFamily::fused_product:
    return {scalar * (7 * b + 2), scalar * 8 * width};
  case LaunchFamily::fused_products:
    return {scalar * (7 * b + 5), scalar * 10};
  case LaunchFamily::dense_apply:
    return {scalar * (b + 2), scalar * std::min(b, 8.)};
  case LaunchFamily::pass:
  case LaunchFamily::pass_cells:
    return {scalar * (b + 1), scalar * b * width};
  default:
    return {scalar * 2 * b * b, scalar * b};
  }
}

KernelResources resources(const LaunchQuestion &q, const LaunchKernels &kernels, const LaunchCandidate &c)
{
  const KernelNeeds &k = c.narrow ? kernels.narrow : kernels.wide;

  return {c.threads, k.registers, k.shared + static_cast<long>(c.threads / q.lanes) * q.shared};
}

/* Bytes per us while so many bytes are under way */
double rate(const LaunchDevice &device, double under_way)
{
  const double needed = device.bytes_per_us * device.latency_us, x = under_way / needed;
  const double loss = x > 1 ? 1 + Tuning::crowded * std::log2(x) : 1;

  return device.bytes_per_us / (std::pow(1 + std::pow(x, -Tuning::sharpness), 1 / Tuning::sharpness) * loss);
}

} // namespace

const char *launch_family_name(LaunchFamily family)
{
  static const char *const names[] = {"bdiagh product", "sellp product", "fused product", "fused products",     "pass", "pass of cells", "dense apply",
                                      "dense inverse",  "dense lu",      "dense qr",      "dense least squares"};
  static_assert(sizeof(names) / sizeof(*names) == static_cast<std::size_t>(LaunchFamily::number), "a name for each");
  return names[static_cast<int>(family)];
}

LaunchCandidate compiled_launch(const DeviceLimits &limits, const LaunchQuestion &q)
{
  return {q.threads, q.grid ? std::max<int>(q.grid / std::max(limits.multiprocessors, 1), 1) : 0, false};
}

int resident_blocks(const DeviceLimits &limits, const LaunchQuestion &q, const LaunchKernels &kernels, const LaunchCandidate &c)
{
  return occupancy_of(limits, resources(q, kernels, c)).blocks;
}

std::vector<LaunchCandidate> launch_candidates(const DeviceLimits &limits, const LaunchQuestion &q, const LaunchKernels &kernels)
{
  std::vector<LaunchCandidate> all;
  const auto                   add = [&](const LaunchCandidate &c) {
    if (std::find(all.begin(), all.end(), c) == all.end()) all.push_back(c);
  };
  const auto with_blocks = [&](int threads, bool narrow) {
    LaunchCandidate c        = {threads, 0, narrow};
    const int       resident = resident_blocks(limits, q, kernels, c), most = std::min<int>(resident, q.room / std::max(limits.multiprocessors, 1));

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
  const Traffic t        = traffic_of(q, c.narrow);
  const int     P        = device.limits.multiprocessors;
  const double  width    = c.narrow ? 1 : q.width;
  const double  of_block = c.threads * width / q.lanes, blocks = std::ceil(q.items / of_block);
  const int     resident  = resident_blocks(device.limits, q, kernels, c);
  const double  slots     = static_cast<double>(c.blocks ? std::min(c.blocks, resident) : resident) * P;
  const double  under_way = c.threads * t.under_way, bytes = of_block * t.bytes, chain = Tuning::chain * device.latency_us;
  const auto    round = [&](double n) { return n > 0 ? std::max(n * bytes / rate(device, n * under_way), chain) : 0; };
  const double  full = std::floor(blocks / slots), rest = blocks - full * slots;

  if (!resident) return HUGE_VAL;
  double us = full * round(slots) + round(rest);
  if (c.blocks) us += Tuning::block_us * std::min(blocks, slots);
  else us += Tuning::start_us * blocks / P;
  return us;
}

LaunchCandidate choose_candidate(const LaunchDevice &device, const LaunchQuestion &q, const LaunchKernels &kernels)
{
  const std::vector<LaunchCandidate> all   = launch_candidates(device.limits, q, kernels);
  LaunchCandidate                    best  = compiled_launch(device.limits, q); /* where none seems possible */
  double                             least = HUGE_VAL;

  for (const LaunchCandidate &c : all) {
    const double us = launch_us(device, q, kernels, c);

    if (us < least * (c == all.front() ? 1 : 1 - Tuning::least_gain)) {
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
  /* the largest share of a block of which so many are there, in whole units */
  const long share = real.shared / blocks / real.shared_unit() * real.shared_unit();

  return std::max(share - real.shared_reserved - kernel.shared, 0l);
}

} // namespace heptane

/*
   Theoretical occupancy and waves.
*/
#include "occupancy.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

constexpr int warp_threads = 32;

template <class T>
T round_up(T n, T unit)
{
  return (n + unit - 1) / unit * unit;
}

int blocks_by_registers(const DeviceLimits &device, int warps, int registers)
{
  if (registers <= 0) return Occupancy::unlimited;
  const int parts = device.register_parts(), of_warp = round_up(registers * warp_threads, device.register_unit);

  if (device.block_registers > 0 && round_up(warps, parts) * of_warp > device.block_registers) return 0; /* as many warps on every scheduler */
  return device.registers / parts / of_warp * parts / warps;
}

int blocks_by_shared(const DeviceLimits &device, long shared)
{
  const long of_block = round_up(shared + device.shared_reserved, static_cast<long>(device.shared_unit()));

  return of_block > 0 ? static_cast<int>(device.shared / of_block) : Occupancy::unlimited;
}

} // namespace

int DeviceLimits::register_parts() const
{
  return major == 6 && minor == 0 ? 2 : 4;
}

int DeviceLimits::shared_unit() const
{
  return major >= 8 ? 128 : 256;
}

Occupancy occupancy_of(const DeviceLimits &device, const KernelResources &kernel)
{
  const int warps = (kernel.threads + warp_threads - 1) / warp_threads;
  Occupancy o;

  if (warps < 1 || device.warps < 1) return o;
  o.by_warps     = device.warps / warps;
  o.by_blocks    = device.blocks;
  o.by_registers = blocks_by_registers(device, warps, kernel.registers);
  o.by_shared    = blocks_by_shared(device, kernel.shared);
  o.blocks       = std::min({o.by_warps, o.by_blocks, o.by_registers, o.by_shared});
  o.limit        = o.blocks == o.by_warps ? "warps" : o.blocks == o.by_registers ? "registers" : o.blocks == o.by_shared ? "shared" : "blocks";
  o.fraction     = static_cast<double>(o.blocks) * warps / device.warps;
  return o;
}

Waves waves_of(const DeviceLimits &device, const Occupancy &occupancy, std::size_t grid)
{
  Waves w;

  w.resident = static_cast<std::size_t>(std::max(occupancy.blocks, 0)) * std::max(device.multiprocessors, 0);
  if (!w.resident || !grid) return w;
  const std::size_t whole = (grid + w.resident - 1) / w.resident;

  w.waves = static_cast<double>(grid) / w.resident;
  w.tail  = grid % w.resident;
  w.lost  = 1 - w.waves / whole;
  return w;
}

} // namespace heptane

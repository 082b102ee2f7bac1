/*
   A table of launches as lines of JSON, and as text.
*/
#include "tuning_table.hpp"
#include "../../tune/launch_table.hpp"
#include <algorithm>
#include <cstdio>

namespace heptane
{

namespace
{

constexpr char kind[] = "heptane_tuning";

std::string launch_text(const LaunchCandidate &c)
{
  std::string text = std::to_string(c.threads);

  if (c.blocks) text += " x " + std::to_string(c.blocks);
  if (c.narrow) text += " narrow";
  return text;
}

/* Candidates of one kernel and size are adjacent */
bool same_kernel(const TunedLaunch &a, const TunedLaunch &b)
{
  return a.name == b.name && a.question.size == b.question.size && a.question.items == b.question.items;
}

} // namespace

std::string tuning_json(const TuningTable &table)
{
  const DeviceLimits &d = table.device.limits;
  std::string         text;
  JsonLine            head;

  head.Add("what", kind).Add("schema", LaunchTable::schema).Add("gpu", d.name).Add("major", d.major).Add("minor", d.minor);
  head.Add("multiprocessors", d.multiprocessors).Add("spread", table.device.spread).Add("warps", d.warps).Add("blocks", d.blocks).Add("registers", d.registers);
  head.Add("block_registers", d.block_registers).Add("shared", static_cast<long long>(d.shared));
  head.Add("shared_reserved", static_cast<long long>(d.shared_reserved)).Add("bytes_per_us", table.device.bytes_per_us);
  head.Add("latency_us", table.device.latency_us).Add("cache_bytes", table.device.cache_bytes).Add("cache_bytes_per_us", table.device.cache_bytes_per_us);
  head.Add("cache_latency_us", table.device.cache_latency_us).Add("scalar_bytes", table.device.scalar_bytes);
  text = head.Text() + "\n";
  for (const TunedLaunch &t : table.launches) {
    const LaunchQuestion &q = t.question;
    JsonLine              line;

    line.Add("what", kind).Add("schema", LaunchTable::schema).Add("family", launch_family_name(q.family)).Add("name", t.name).Add("size", q.size);
    line.Add("items", static_cast<long long>(q.items)).Add("width", q.width).Add("lanes", q.lanes).Add("compiled", q.threads).Add("unit", q.unit);
    line.Add("item_shared", q.shared).Add("grid", static_cast<long long>(q.grid)).Add("room", static_cast<long long>(q.room));
    line.Add("has_narrow", static_cast<int>(q.narrow != nullptr)).Add("registers", t.needs.registers);
    line.Add("static_shared", static_cast<long long>(t.needs.shared)).Add("threads", t.launch.threads).Add("blocks", t.launch.blocks);
    line.Add("narrow", static_cast<int>(t.launch.narrow)).Add("us", t.us).Add("model_us", t.model_us).Add("best", static_cast<int>(t.best));
    line.Add("model", static_cast<int>(t.model));
    text += line.Text() + "\n";
  }
  return text;
}

std::string tuning_text(const TuningTable &table)
{
  std::string text;
  char        line[256];
  double      sum = 0, worst = 0;
  int         pairs = 0;

  std::snprintf(line, sizeof(line), "Launches on %s, %d multiprocessors: threads per block x blocks per multiprocessor\n", table.device.limits.name.c_str(),
                table.device.limits.multiprocessors);
  text = line;
  std::snprintf(line, sizeof(line), "%-34s %5s %10s  %-5s %-16s %9s  %-16s %9s %7s\n", "kernel", "size", "items", "tried", "model", "us", "fastest", "us",
                "ratio");
  text += line;
  for (std::size_t first = 0, last; first < table.launches.size(); first = last) {
    const TunedLaunch &t = table.launches[first], *model = nullptr, *best = nullptr;

    for (last = first; last < table.launches.size() && same_kernel(table.launches[last], t); last++) {
      if (table.launches[last].model) model = &table.launches[last];
      if (table.launches[last].best) best = &table.launches[last];
    }
    if (!model || !best) continue;
    const double ratio = model->us / best->us;

    sum += ratio;
    worst = std::max(worst, ratio);
    pairs++;
    std::snprintf(line, sizeof(line), "%-34s %5d %10.0f  %-5d %-16s %9.2f  %-16s %9.2f %7.3f\n", t.name.c_str(), t.question.size,
                  static_cast<double>(t.question.items), static_cast<int>(last - first), launch_text(model->launch).c_str(), model->us,
                  launch_text(best->launch).c_str(), best->us, ratio);
    text += line;
  }
  if (pairs) {
    std::snprintf(line, sizeof(line), "%d pairs: the model's choices take %.2f %% more than the fastest on average, %.2f %% at most\n", pairs,
                  100 * (sum / pairs - 1), 100 * (worst - 1));
    text += line;
  }
  return text;
}

} // namespace heptane

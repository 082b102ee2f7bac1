/*
   A table of launches as lines of JSON, and as text.
*/
#include "tuning_table.hpp"
#include "../../tune/launch_table.hpp"
#include <algorithm>
#include <climits>
#include <cstdio>

namespace heptane
{

namespace
{

constexpr char kind[] = "heptane_tuning";

bool read_device(const JsonMembers &members, LaunchDevice *d, std::string *why)
{
  const auto    name = members.find("gpu");
  DeviceLimits &l    = d->limits;

  if (name == members.end()) {
    *why = "has no gpu";
    return false;
  }
  l.name = name->second;
  return whole_of(members, "major", 1000, &l.major, why) && whole_of(members, "minor", 1000, &l.minor, why) &&
         whole_of(members, "multiprocessors", 1e6, &l.multiprocessors, why) && whole_of(members, "spread", 1e6, &d->spread, why) &&
         whole_of(members, "warps", 1e4, &l.warps, why) && whole_of(members, "blocks", 1e4, &l.blocks, why) &&
         whole_of(members, "registers", 1e8, &l.registers, why) && whole_of(members, "block_registers", 1e8, &l.block_registers, why) &&
         whole_of(members, "shared", 1e9, &l.shared, why) && whole_of(members, "shared_reserved", 1e9, &l.shared_reserved, why) &&
         number_of(members, "bytes_per_us", &d->bytes_per_us, why) && number_of(members, "latency_us", &d->latency_us, why) &&
         number_of(members, "cache_bytes", &d->cache_bytes, why) && number_of(members, "cache_bytes_per_us", &d->cache_bytes_per_us, why) &&
         number_of(members, "cache_latency_us", &d->cache_latency_us, why) && number_of(members, "scalar_bytes", &d->scalar_bytes, why);
}

/* What the launcher asked */
bool read_question(const JsonMembers &members, LaunchQuestion *q, std::string *why)
{
  static const char mark = 0; /* of a kernel */
  int               narrow;

  if (!launch_family_of(members.at("family"), &q->family, why) || !whole_of(members, "size", 1e6, &q->size, why) ||
      !whole_of(members, "items", 1e15, &q->items, why) || !whole_of(members, "width", 64, &q->width, why) ||
      !whole_of(members, "lanes", 1024, &q->lanes, why) || !whole_of(members, "compiled", 1024, &q->threads, why) ||
      !whole_of(members, "unit", 1024, &q->unit, why) || !whole_of(members, "item_shared", 1e6, &q->shared, why) ||
      !whole_of(members, "grid", UINT_MAX, &q->grid, why) || !whole_of(members, "room", UINT_MAX, &q->room, why) ||
      !whole_of(members, "has_narrow", 1, &narrow, why))
    return false;
  q->kernel = &mark;
  q->narrow = narrow ? &mark : nullptr;
  if (q->size && q->width && q->lanes && q->threads) return true;
  *why = "size, width, lanes and compiled must be positive";
  return false;
}

bool read_launch(const JsonMembers &members, TunedLaunch *t, std::string *why)
{
  int        narrow, best, model;
  const auto name = members.find("name");

  if (!read_question(members, &t->question, why)) return false;
  if (name != members.end()) t->name = name->second;
  if (!whole_of(members, "threads", 1024, &t->launch.threads, why) || !whole_of(members, "blocks", 1024, &t->launch.blocks, why) ||
      !whole_of(members, "narrow", 1, &narrow, why) || !whole_of(members, "registers", 1024, &t->needs.registers, why) ||
      !whole_of(members, "static_shared", 1e6, &t->needs.shared, why) || !number_of(members, "us", &t->us, why) ||
      !number_of(members, "model_us", &t->model_us, why) || !whole_of(members, "best", 1, &best, why) || !whole_of(members, "model", 1, &model, why))
    return false;
  t->launch.narrow = narrow;
  t->best          = best;
  t->model         = model;
  return true;
}

std::string launch_text(const LaunchCandidate &c)
{
  std::string text = std::to_string(c.threads);

  if (c.blocks) text += " x " + std::to_string(c.blocks);
  if (c.narrow) text += " narrow";
  return text;
}

/* Candidates of one kernel and size lie next to each other */
bool same_kernel(const TunedLaunch &a, const TunedLaunch &b)
{
  return a.name == b.name && a.question.size == b.question.size && a.question.items == b.question.items;
}

} // namespace

void choose_again(TuningTable *table)
{
  std::vector<TunedLaunch> &all = table->launches;

  for (std::size_t first = 0, last; first < all.size(); first = last) {
    const LaunchQuestion &q = all[first].question;
    LaunchKernels         kernels;

    for (last = first; last < all.size() && same_kernel(all[last], all[first]); last++)
      (all[last].launch.narrow ? kernels.narrow : kernels.wide) = all[last].needs;
    const LaunchCandidate chosen = choose_candidate(table->device, q, kernels);

    for (std::size_t k = first; k < last; k++) {
      all[k].model    = all[k].launch == chosen;
      all[k].model_us = launch_us(table->device, q, kernels, all[k].launch);
    }
  }
}

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

bool parse_tuning(const std::string &text, TuningTable *table, std::string *why)
{
  TuningTable t;
  const auto  line = [&](const JsonMembers &members, bool head, std::string *wrong) {
    if (head) return read_device(members, &t.device, wrong);
    t.launches.emplace_back();
    return read_launch(members, &t.launches.back(), wrong);
  };

  if (!read_table_lines(text, line, why)) return false;
  *table = t;
  return true;
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

/*
   A table of launches as lines of JSON, and as text.
*/
#include "tuning_table.hpp"
#include "../metrics/json_line.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace heptane
{

namespace
{

constexpr char kind[] = "heptane_tuning";

bool number_of(const JsonMembers &members, const char *key, double *value, std::string *why)
{
  const auto found = members.find(key);
  char      *end   = nullptr;

  if (found == members.end()) {
    *why = std::string("has no ") + key;
    return false;
  }
  *value = std::strtod(found->second.c_str(), &end);
  if (end != found->second.c_str() && !*end && std::isfinite(*value) && *value >= 0) return true;
  *why = std::string(key) + " is " + found->second + ", and must be a number that is not negative";
  return false;
}

bool whole_of(const JsonMembers &members, const char *key, double most, int *value, std::string *why)
{
  double number;

  if (!number_of(members, key, &number, why)) return false;
  *value = static_cast<int>(number);
  if (number <= most && number == *value) return true;
  *why = std::string(key) + " is " + members.at(key) + ", and must be a whole number of at most " + std::to_string(static_cast<long>(most));
  return false;
}

bool read_device(const JsonMembers &members, LaunchDevice *d, std::string *why)
{
  const auto name = members.find("gpu");
  double     shared;

  if (name == members.end()) {
    *why = "has no gpu";
    return false;
  }
  d->limits.name = name->second;
  if (!whole_of(members, "major", 1000, &d->limits.major, why) || !whole_of(members, "minor", 1000, &d->limits.minor, why) ||
      !whole_of(members, "multiprocessors", 1e6, &d->limits.multiprocessors, why) || !number_of(members, "shared", &shared, why) ||
      !number_of(members, "bytes_per_us", &d->bytes_per_us, why) || !number_of(members, "latency_us", &d->latency_us, why) ||
      !number_of(members, "cache_bytes", &d->cache_bytes, why) || !number_of(members, "cache_bytes_per_us", &d->cache_bytes_per_us, why) ||
      !number_of(members, "cache_latency_us", &d->cache_latency_us, why))
    return false;
  d->limits.shared = static_cast<long>(shared);
  return true;
}

bool read_launch(const JsonMembers &members, const std::string &family, TunedLaunch *t, std::string *why)
{
  int        k    = 0, narrow, best, model;
  const auto name = members.find("name");

  while (k < static_cast<int>(LaunchFamily::number) && family != launch_family_name(static_cast<LaunchFamily>(k))) k++;
  if (k == static_cast<int>(LaunchFamily::number)) {
    *why = "the family " + family + " is unknown";
    return false;
  }
  t->family = static_cast<LaunchFamily>(k);
  if (name != members.end()) t->name = name->second;
  if (!whole_of(members, "size", 1e6, &t->size, why) || !number_of(members, "items", &t->items, why) ||
      !whole_of(members, "threads", 1024, &t->launch.threads, why) || !whole_of(members, "blocks", 1024, &t->launch.blocks, why) ||
      !whole_of(members, "narrow", 1, &narrow, why) || !number_of(members, "us", &t->us, why) || !number_of(members, "model_us", &t->model_us, why) ||
      !whole_of(members, "best", 1, &best, why) || !whole_of(members, "model", 1, &model, why))
    return false;
  if (!t->launch.threads || t->launch.threads % 32) {
    *why = "threads is " + members.at("threads") + ", and must be a multiple of 32";
    return false;
  }
  t->launch.narrow = narrow;
  t->best          = best;
  t->model         = model;
  return true;
}

bool read_line(const std::string &line, TuningTable *table, bool *head, std::string *why)
{
  JsonMembers members;
  double      schema;
  TunedLaunch launch;

  if (!parse_json_line(line, &members, why)) return false;
  const auto what = members.find("what");

  if (what == members.end() || what->second != kind) {
    *why = std::string("is not of a table of launches: its \"what\" is not \"") + kind + "\"";
    return false;
  }
  if (!number_of(members, "schema", &schema, why)) return false;
  if (schema != TuningTable::schema) {
    *why = "has schema " + members["schema"] + ", and this library reads schema " + std::to_string(TuningTable::schema);
    return false;
  }
  const auto family = members.find("family");

  if (family == members.end()) {
    *head = true;
    return read_device(members, &table->device, why);
  }
  if (!read_launch(members, family->second, &launch, why)) return false;
  table->launches.push_back(launch);
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
  return a.name == b.name && a.size == b.size && a.items == b.items;
}

double distance(double a, double b)
{
  return std::fabs(std::log(std::max(a, 1.) / std::max(b, 1.)));
}

} // namespace

const TunedLaunch *TuningTable::Find(LaunchFamily family, int size, double items) const
{
  const TunedLaunch *found = nullptr;
  double             sizes = 0, numbers = 0;

  for (const TunedLaunch &t : launches) {
    if (!t.best || t.family != family) continue;
    const double by_size = distance(t.size, size), by_number = distance(t.items, items);

    if (found && (by_size > sizes || (by_size == sizes && by_number >= numbers))) continue;
    found   = &t;
    sizes   = by_size;
    numbers = by_number;
  }
  return found;
}

LaunchCandidate candidate_of(const TuningTable &table, const DeviceLimits &limits, const LaunchQuestion &q)
{
  const TunedLaunch *t = table.Find(q.family, q.size, static_cast<double>(q.items));
  LaunchCandidate    c = compiled_launch(limits, q);

  if (!t) return c;
  if (q.unit) {
    const int threads = std::min(t->launch.threads, q.threads) / q.unit * q.unit;

    if (threads >= std::max(q.unit, q.lanes)) c.threads = threads;
  }
  if (q.grid && t->launch.blocks) c.blocks = t->launch.blocks;
  c.narrow = q.narrow && t->launch.narrow;
  return c;
}

std::string tuning_json(const TuningTable &table)
{
  const DeviceLimits &d = table.device.limits;
  std::string         text;
  JsonLine            head;

  head.Add("what", kind).Add("schema", TuningTable::schema).Add("gpu", d.name).Add("major", d.major).Add("minor", d.minor);
  head.Add("multiprocessors", d.multiprocessors).Add("shared", static_cast<long long>(d.shared));
  head.Add("bytes_per_us", table.device.bytes_per_us).Add("latency_us", table.device.latency_us);
  head.Add("cache_bytes", table.device.cache_bytes)
    .Add("cache_bytes_per_us", table.device.cache_bytes_per_us)
    .Add("cache_latency_us", table.device.cache_latency_us);
  text = head.Text() + "\n";
  for (const TunedLaunch &t : table.launches) {
    JsonLine line;

    line.Add("what", kind).Add("schema", TuningTable::schema).Add("family", launch_family_name(t.family)).Add("name", t.name).Add("size", t.size);
    line.Add("items", t.items).Add("threads", t.launch.threads).Add("blocks", t.launch.blocks).Add("narrow", static_cast<int>(t.launch.narrow));
    line.Add("us", t.us).Add("model_us", t.model_us).Add("best", static_cast<int>(t.best)).Add("model", static_cast<int>(t.model));
    line.Add("registers", t.needs.registers).Add("static_shared", static_cast<long long>(t.needs.shared)).Add("resident", t.resident);
    text += line.Text() + "\n";
  }
  return text;
}

bool parse_tuning(const std::string &text, TuningTable *table, std::string *why)
{
  std::istringstream lines(text);
  std::string        line;
  TuningTable        t;
  bool               head   = false;
  int                number = 0;

  while (std::getline(lines, line)) {
    number++;
    if (read_line(line, &t, &head, why)) continue;
    *why = "line " + std::to_string(number) + ": " + *why;
    return false;
  }
  if (!head) {
    *why = "there is no line with the GPU";
    return false;
  }
  *table = t;
  return true;
}

std::string tuning_differs(const TuningTable &table, const DeviceLimits &now)
{
  const DeviceLimits &t    = table.device.limits;
  const auto          text = [](const DeviceLimits &d) {
    return d.name + " (compute capability " + std::to_string(d.major) + "." + std::to_string(d.minor) + ", " + std::to_string(d.multiprocessors) +
           " multiprocessors, " + std::to_string(d.shared) + " bytes of shared memory each)";
  };

  if (t.name == now.name && t.major == now.major && t.minor == now.minor && t.multiprocessors == now.multiprocessors && t.shared == now.shared) return "";
  return "was measured on " + text(t) + ", and this is " + text(now);
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
    std::snprintf(line, sizeof(line), "%-34s %5d %10.0f  %-5d %-16s %9.2f  %-16s %9.2f %7.3f\n", t.name.c_str(), t.size, t.items,
                  static_cast<int>(last - first), launch_text(model->launch).c_str(), model->us, launch_text(best->launch).c_str(), best->us, ratio);
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

/*
   A table of launches: its file, and the launch that is nearest to a question.
*/
#include "launch_table.hpp"
#include <algorithm>
#include <cmath>
#include <sstream>

namespace heptane
{

namespace
{

constexpr char kind[] = "heptane_tuning";

bool read_gpu(const JsonMembers &members, DeviceLimits *d, std::string *why)
{
  const auto name = members.find("gpu");

  if (name == members.end()) {
    *why = "has no gpu";
    return false;
  }
  d->name = name->second;
  return whole_of(members, "major", 1000, &d->major, why) && whole_of(members, "minor", 1000, &d->minor, why) &&
         whole_of(members, "multiprocessors", 1e6, &d->multiprocessors, why) && whole_of(members, "shared", 1e9, &d->shared, why);
}

/* Launches that are not the fastest are skipped */
bool read_launch(const JsonMembers &members, std::vector<TableLaunch> *launches, std::string *why)
{
  int         narrow, best;
  TableLaunch t;

  if (!launch_family_of(members.at("family"), &t.family, why) || !whole_of(members, "size", 1e6, &t.size, why) ||
      !whole_of(members, "items", 1e15, &t.items, why) || !whole_of(members, "threads", 1024, &t.threads, why) ||
      !whole_of(members, "blocks", 1024, &t.blocks, why) || !whole_of(members, "narrow", 1, &narrow, why) || !whole_of(members, "best", 1, &best, why))
    return false;
  if (!t.threads || t.threads % 32) {
    *why = "threads is " + members.at("threads") + ", and must be a multiple of 32";
    return false;
  }
  t.narrow = narrow;
  if (best) launches->push_back(t);
  return true;
}

bool read_line(const std::string &line, const ReadTableLine &f, bool *head, std::string *why)
{
  JsonMembers members;

  if (!parse_json_line(line, &members, why) || !is_of_kind(members, kind, LaunchTable::schema, "table of launches", "library", why)) return false;
  const bool of_gpu = !members.count("family");

  *head = *head || of_gpu;
  return f(members, of_gpu, why);
}

double distance(double a, double b)
{
  return std::fabs(std::log(std::max(a, 1.) / std::max(b, 1.)));
}

} // namespace

const char *launch_family_name(LaunchFamily family)
{
  static const char *const names[] = {"bdiagh product", "sellp product", "fused product", "fused products",     "pass", "pass of cells", "dense apply",
                                      "dense inverse",  "dense lu",      "dense qr",      "dense least squares"};
  static_assert(sizeof(names) / sizeof(*names) == static_cast<std::size_t>(LaunchFamily::number), "a name for each");
  return names[static_cast<int>(family)];
}

bool launch_family_of(const std::string &name, LaunchFamily *family, std::string *why)
{
  for (int k = 0; k < static_cast<int>(LaunchFamily::number); k++) {
    *family = static_cast<LaunchFamily>(k);
    if (name == launch_family_name(*family)) return true;
  }
  *why = "the family " + name + " is unknown";
  return false;
}

const TableLaunch *LaunchTable::Find(LaunchFamily family, int size, double items) const
{
  const TableLaunch *found = nullptr;
  double             sizes = 0, numbers = 0;

  for (const TableLaunch &t : launches) {
    if (t.family != family) continue;
    const double by_size = distance(t.size, size), by_number = distance(t.items, items);

    if (found && (by_size > sizes || (by_size == sizes && by_number >= numbers))) continue;
    found   = &t;
    sizes   = by_size;
    numbers = by_number;
  }
  return found;
}

LaunchChoice choice_of(const LaunchTable &table, int multiprocessors, const LaunchQuestion &q)
{
  const TableLaunch *t = table.Find(q.family, q.size, static_cast<double>(q.items));
  /*
     Fused products may wait for other processes: they have at most the number of resident blocks, for which they are
     compiled
  */
  const bool   fused = q.family == LaunchFamily::fused_product || q.family == LaunchFamily::fused_products;
  LaunchChoice c     = {q.threads, q.grid, 0, false};

  if (!t) return c;
  if (q.unit) {
    const int threads = std::min(t->threads, q.threads) / q.unit * q.unit;

    if (threads >= std::max(q.unit, q.lanes)) c.threads = threads;
  }
  if (q.grid && t->blocks) c.grid = std::min(static_cast<unsigned>(t->blocks * multiprocessors), fused ? q.grid : q.room);
  c.narrow = q.narrow && t->narrow;
  return c;
}

bool read_table_lines(const std::string &text, const ReadTableLine &f, std::string *why)
{
  std::istringstream lines(text);
  std::string        line;
  bool               head   = false;
  int                number = 0;

  while (std::getline(lines, line)) {
    number++;
    if (read_line(line, f, &head, why)) continue;
    *why = "line " + std::to_string(number) + ": " + *why;
    return false;
  }
  if (!head) *why = "there is no line with the GPU";
  return head;
}

bool read_table(const std::string &text, LaunchTable *table, std::string *why)
{
  LaunchTable t;
  const auto  line = [&](const JsonMembers &members, bool head, std::string *wrong) {
    return head ? read_gpu(members, &t.device, wrong) : read_launch(members, &t.launches, wrong);
  };

  if (!read_table_lines(text, line, why)) return false;
  *table = t;
  return true;
}

std::string table_differs(const LaunchTable &table, const DeviceLimits &now)
{
  const DeviceLimits &t    = table.device;
  const auto          text = [](const DeviceLimits &d) {
    return d.name + " (compute capability " + std::to_string(d.major) + "." + std::to_string(d.minor) + ", " + std::to_string(d.multiprocessors) +
           " multiprocessors, " + std::to_string(d.shared) + " bytes of shared memory each)";
  };

  if (t.name == "any") return "";
  if (t.name == now.name && t.major == now.major && t.minor == now.minor && t.multiprocessors == now.multiprocessors && t.shared == now.shared) return "";
  return "was measured on " + text(t) + ", and this is " + text(now);
}

} // namespace heptane

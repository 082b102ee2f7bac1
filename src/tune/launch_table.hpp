/*
   A table of launches, read from a file of heptane-tune, and its answers to launchers. Without PETSc and CUDA.
*/
#pragma once

#include "../device/launch_policy.hpp"
#include "../metrics/json_line.hpp"
#include "../metrics/occupancy.hpp"
#include <functional>
#include <string>
#include <vector>

namespace heptane
{

/* The fastest launch of a kernel and a size */
struct TableLaunch {
  LaunchFamily family  = LaunchFamily::pass;
  int          size    = 1;
  double       items   = 0;
  int          threads = 0;     /* of a block */
  int          blocks  = 0;     /* of a grid in strides, per multiprocessor; 0: as many as the items require */
  bool         narrow  = false; /* one row per thread */
};

struct LaunchTable {
  static constexpr int schema = 1;
  /* Name, compute capability, multiprocessors and shared memory; the name "any" matches every GPU */
  DeviceLimits             device;
  std::vector<TableLaunch> launches;

  /* The launch of this family with the nearest size, and of these with the nearest number of items; null: none */
  const TableLaunch *Find(LaunchFamily family, int size, double items) const;
};

const char *launch_family_name(LaunchFamily family);
bool        launch_family_of(const std::string &name, LaunchFamily *family, std::string *why);

/* The table's launch on `multiprocessors` multiprocessors, as far as the kernel supports it; else the compiled one */
LaunchChoice choice_of(const LaunchTable &table, int multiprocessors, const LaunchQuestion &q);

/*
   Calls f(members, head, why) for each line; head: the line describes the GPU. If f returns false, *why is the error in
   the line; its number is put before the text.
*/
using ReadTableLine = std::function<bool(const JsonMembers &members, bool head, std::string *why)>;
bool read_table_lines(const std::string &text, const ReadTableLine &f, std::string *why);
bool read_table(const std::string &text, LaunchTable *table, std::string *why);
/* Empty: the table is of this GPU; else the difference */
std::string table_differs(const LaunchTable &table, const DeviceLimits &now);

} // namespace heptane

/*
   A table of launches, read from a file of heptane-tune, and what it answers launchers. Knows neither PETSc nor CUDA.
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
  int          blocks  = 0;     /* of a grid in strides, per multiprocessor; 0: as many as the items take */
  bool         narrow  = false; /* one row per thread */
};

struct LaunchTable {
  static constexpr int schema = 1;
  /* Name, compute capability, multiprocessors and shared memory; the name "any" stands for every GPU */
  DeviceLimits             device;
  std::vector<TableLaunch> launches;

  /* The launch of this family with the nearest size, and of these with the nearest number of items; null: none */
  const TableLaunch *Find(LaunchFamily family, int size, double items) const;
};

const char *launch_family_name(LaunchFamily family);
bool        launch_family_of(const std::string &name, LaunchFamily *family, std::string *why);

/* The table's launch on so many multiprocessors, as far as the kernel can be launched so; else as compiled */
LaunchChoice choice_of(const LaunchTable &table, int multiprocessors, const LaunchQuestion &q);

/*
   Calls f(members, head, why) for each line; head: the line describes the GPU. If f returns false, *why says what is
   wrong with the line, and its number is put before that.
*/
using ReadTableLine = std::function<bool(const JsonMembers &members, bool head, std::string *why)>;
bool read_table_lines(const std::string &text, const ReadTableLine &f, std::string *why);
bool read_table(const std::string &text, LaunchTable *table, std::string *why);
/* Empty: the table is of this GPU; else what differs */
std::string table_differs(const LaunchTable &table, const DeviceLimits &now);

} // namespace heptane

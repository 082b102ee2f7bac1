/*
   JSON lines, the table, and the environment that every line carries.
*/
#include "results.hpp"
#include <petsctime.h>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <set>
#include <vector>

#ifndef BENCH_COMMIT
  #define BENCH_COMMIT "unknown" // the makefile gives the commit that was built
#endif

namespace bench
{

static std::string quoted(const std::string &text)
{
  std::string out = "\"";

  for (const char c : text) {
    char escape[8];

    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      snprintf(escape, sizeof(escape), "\\u%04x", c);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

Record &Record::add(const char *key, const std::string &value)
{
  members_.emplace_back(key, quoted(value));
  return *this;
}

Record &Record::add(const char *key, double value)
{
  char text[40];

  snprintf(text, sizeof(text), "%.6g", value);
  members_.emplace_back(key, std::isfinite(value) ? text : "null");
  return *this;
}

Record &Record::add(const char *key, PetscInt64 value)
{
  members_.emplace_back(key, std::to_string(value));
  return *this;
}

Record &Record::add(const char *key, bool value)
{
  members_.emplace_back(key, value ? "true" : "false");
  return *this;
}

Record &Record::add(const Timing &t)
{
  return add("us_median", t.us_median).add("us_min", t.us_min).add("us_max", t.us_max).add("samples", t.samples).add("calls", static_cast<PetscInt64>(t.calls));
}

Record &Record::add(const Record &other)
{
  members_.insert(members_.end(), other.members_.begin(), other.members_.end());
  return *this;
}

std::string Record::json() const
{
  std::string out = "{";

  for (size_t k = 0; k < members_.size(); k++) out += (k ? ", " : "") + quoted(members_[k].first) + ": " + members_[k].second;
  return out + "}";
}

static std::string cpu_name()
{
  std::ifstream file("/proc/cpuinfo");
  std::string   line;

  while (std::getline(file, line)) {
    if (line.rfind("model name", 0) == 0) return line.substr(std::min(line.size(), line.find(':') + 2));
  }
  return "unknown";
}

static std::string mpi_name()
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int  length                               = 0;

  MPI_Get_library_version(text, &length);
  std::string name(text, text + length);
  name = name.substr(0, name.find('\n'));
  std::replace(name.begin(), name.end(), '\t', ' ');
  while (!name.empty() && (name.back() == ' ' || name.back() == '\0')) name.pop_back();
  return name;
}

// GPUs of all ranks, each of which may see its own alone
static PetscErrorCode count_gpus(MPI_Comm comm, const DeviceInfo &device, int *gpus)
{
  constexpr int         length       = 32;
  char                  mine[length] = "";
  PetscMPIInt           ranks;
  std::set<std::string> different;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  std::vector<char> all(static_cast<std::size_t>(ranks) * length);
  device.address.copy(mine, length - 1);
  PetscCallMPI(MPI_Allgather(mine, length, MPI_CHAR, all.data(), length, MPI_CHAR, comm));
  for (int r = 0; r < ranks; r++)
    if (all[static_cast<std::size_t>(r) * length]) different.insert(&all[static_cast<std::size_t>(r) * length]);
  *gpus = static_cast<int>(different.size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Where this program runs: gpu, driver, cuda, petsc, mpi, commit, date, ...
static PetscErrorCode environment_record(MPI_Comm comm, const DeviceInfo &device, Record *r)
{
  PetscInt     major, minor, subminor;
  PetscMPIInt  ranks;
  int          gpus = 0;
  char         date[32];
  const time_t now = time(nullptr);
  struct tm    utc;

  PetscFunctionBeginUser;
  PetscCall(PetscGetVersionNumber(&major, &minor, &subminor, nullptr));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCheck(gmtime_r(&now, &utc), PETSC_COMM_SELF, PETSC_ERR_SYS, "the system's clock gives no date");
  PetscCall(count_gpus(comm, device, &gpus));
  strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
  r->add("ranks", static_cast<int>(ranks)).add("gpus", gpus);
  r->add("gpu", device.name).add("driver", device.driver).add("cuda", device.cuda).add("cpu", cpu_name());
  r->add("petsc", std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(subminor)).add("mpi", mpi_name());
  r->add("scalar_bytes", static_cast<int>(sizeof(PetscScalar))).add("index_bytes", static_cast<int>(sizeof(PetscInt)));
  r->add("commit", BENCH_COMMIT).add("date", date);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append(MPI_Comm comm, const Record &record)
{
  char        file[PETSC_MAX_PATH_LEN] = "";
  PetscBool   wanted;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-json", file, sizeof(file), &wanted));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!wanted || rank) PetscFunctionReturn(PETSC_SUCCESS);
  std::ofstream out(file, std::ios::app);
  out << record.json() << '\n' << std::flush;
  PetscCheck(out.good(), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "-json: cannot write to %s; its folder must exist and be writable", file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

Record problem_record(const char *suite, const Problem &p, const char *what)
{
  Record r;

  r.add("suite", suite).add("problem", p.name).add("case", p.shape);
  r.add("rows", static_cast<PetscInt64>(p.global_rows)).add("block", static_cast<PetscInt64>(p.block)).add("nnz", p.global_nnz).add("what", what);
  return r;
}

PetscErrorCode results_write(MPI_Comm comm, const DeviceInfo &device, Record line, const Timed &timed, const Rate &rate, const Record &more)
{
  const bool good = timed.error.empty();
  Record     environment;

  PetscFunctionBeginUser;
  PetscCall(environment_record(comm, device, &environment));
  line.add(timed.timing).add("bytes", rate.bytes).add("gbs", good ? 1e-3 * rate.bytes / timed.timing.us_median : 0).add("copy_gbs", rate.copy_gbs);
  line.add(more).add("verified", good);
  if (!good) line.add("error", timed.error);
  PetscCall(append(comm, line.add(environment)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode progress(MPI_Comm comm, const std::string &text)
{
  PetscLogDouble now;
  static double  start = -1;

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&now));
  if (start < 0) start = now;
  PetscCall(PetscFPrintf(comm, stderr, "[%6.1f s] %s\n", now - start, text.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string cell(const char *format, double value)
{
  char text[64];

  if (!std::isfinite(value)) return "-";
  snprintf(text, sizeof(text), format, value);
  return text;
}

std::string cell_us(double value)
{
  return cell(value < 100 ? "%.2f" : "%.1f", value);
}

PetscErrorCode Table::print(MPI_Comm comm) const
{
  std::vector<size_t> width(head_.size());

  PetscFunctionBeginUser;
  for (size_t c = 0; c < head_.size(); c++) {
    width[c] = head_[c].size();
    for (const auto &row : rows_) {
      if (row.size() > 1 && c < row.size()) width[c] = std::max(width[c], row[c].size());
    }
  }
  // the name to the left, numbers to the right
  const auto line = [&](const std::vector<std::string> &row) {
    std::string text;

    for (size_t c = 0; c < row.size(); c++) {
      const std::string pad(c < width.size() && width[c] > row[c].size() ? width[c] - row[c].size() : 0, ' ');

      text += (c ? "  " : "") + (c ? pad + row[c] : row[c] + pad);
    }
    return text;
  };
  for (const auto &row : rows_) {
    if (row.size() == 1) PetscCall(PetscPrintf(comm, "\n%s\n%s\n", row[0].c_str(), line(head_).c_str()));
    else PetscCall(PetscPrintf(comm, "%s\n", line(row).c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench

/*
   Energy counters and the arithmetic on them.
*/
#include "energy.hpp"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <dlfcn.h>
#include <fstream>

namespace bench
{

double counted_joules(unsigned long long before, unsigned long long after, unsigned long long range, double unit)
{
  if (after >= before) return unit * static_cast<double>(after - before);
  return range > before ? unit * static_cast<double>(range - before + after) : NAN; // neither went on nor began anew
}

EnergyReading operator-(const EnergyReading &a, const EnergyReading &b)
{
  EnergyReading d;

  d.seconds      = a.seconds - b.seconds;
  d.busy_seconds = a.busy_seconds - b.busy_seconds;
  d.gpu_joules   = a.gpu_joules - b.gpu_joules;
  d.cpu_joules   = a.cpu_joules - b.cpu_joules;
  return d;
}

IdlePower power_of(const EnergyReading &difference)
{
  return {difference.gpu_joules / difference.seconds, difference.cpu_joules / difference.seconds};
}

EnergyPerCall energy_per_call(const EnergyReading &difference, const IdlePower &idle, double calls)
{
  const IdlePower power = power_of(difference);
  EnergyPerCall   e;

  e.seconds    = difference.seconds;
  e.us         = 1e6 * difference.seconds / calls;
  e.busy_us    = 1e6 * difference.busy_seconds / calls;
  e.gpu_watts  = power.gpu_watts;
  e.cpu_watts  = power.cpu_watts;
  e.gpu_joules = difference.gpu_joules / calls;
  e.cpu_joules = difference.cpu_joules / calls;
  e.gpu_net    = e.gpu_joules - idle.gpu_watts * difference.seconds / calls;
  e.cpu_net    = e.cpu_joules - idle.cpu_watts * difference.seconds / calls;
  e.joules     = std::isnan(e.gpu_joules) ? e.cpu_joules : std::isnan(e.cpu_joules) ? e.gpu_joules : e.gpu_joules + e.cpu_joules;
  return e;
}

// The functions of libnvidia-ml that are used, and the device
struct EnergyMeter::Nvml {
  int (*init)();
  int (*shutdown)();
  int (*by_address)(const char *, void **);
  int (*energy)(void *, unsigned long long *);
  const char *(*text)(int);
  void *device = nullptr;
};

EnergyMeter::EnergyMeter() = default;

EnergyMeter::~EnergyMeter()
{
  if (nvml_) (void)nvml_->shutdown();
}

template <class F>
static bool find(void *library, const char *name, F *function)
{
  *function = reinterpret_cast<F>(dlsym(library, name));
  return *function != nullptr;
}

bool EnergyMeter::gpu_millijoules(unsigned long long *value) const
{
  return nvml_ && nvml_->energy(nvml_->device, value) == 0;
}

void EnergyMeter::open_gpu(const std::string &address)
{
  auto  nvml    = std::make_unique<Nvml>();
  void *library = address.empty() ? nullptr : dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);

  if (nvml_) (void)nvml_->shutdown();
  nvml_.reset();
  gpu_joules_  = NAN;
  gpu_missing_ = address.empty() ? "there is no GPU" : "libnvidia-ml.so.1, a part of the driver, was not found";
  if (!library) return;
  gpu_missing_ = "libnvidia-ml.so.1 has no energy counter";
  if (!find(library, "nvmlInit_v2", &nvml->init) || !find(library, "nvmlShutdown", &nvml->shutdown) ||
      !find(library, "nvmlDeviceGetHandleByPciBusId_v2", &nvml->by_address) || !find(library, "nvmlDeviceGetTotalEnergyConsumption", &nvml->energy) ||
      !find(library, "nvmlErrorString", &nvml->text))
    return;
  int err = nvml->init();
  if (!err) {
    err = nvml->by_address(address.c_str(), &nvml->device);
    if (!err) err = nvml->energy(nvml->device, &gpu_last_);
    if (err) (void)nvml->shutdown();
  }
  gpu_missing_ = err ? std::string("NVML says ") + nvml->text(err) : "";
  if (err) return;
  gpu_joules_ = 0;
  nvml_       = std::move(nvml);
}

static bool read_count(const std::string &file, unsigned long long *value)
{
  std::ifstream in(file);

  return static_cast<bool>(in >> *value);
}

// Zones of whole packages; those below them (cores, memory) are parts
void EnergyMeter::open_packages(const std::string &powercap)
{
  DIR                     *folder = opendir(powercap.c_str());
  std::vector<std::string> zones;

  packages_.clear();
  cpu_missing_ = powercap + " has no packages of processors";
  if (!folder) return;
  while (const dirent *entry = readdir(folder)) zones.push_back(powercap + "/" + entry->d_name);
  closedir(folder);
  std::sort(zones.begin(), zones.end());
  for (const std::string &zone : zones) {
    std::ifstream named(zone + "/name");
    std::string   name;
    PackageZone   package;

    if (!(named >> name) || name.rfind("package", 0) != 0) continue;
    package.file = zone + "/energy_uj";
    if (read_count(package.file, &package.last) && read_count(zone + "/max_energy_range_uj", &package.range)) packages_.push_back(package);
    else cpu_missing_ = package.file + " cannot be read (the administrator can allow it: chmod a+r)";
  }
  if (!packages_.empty()) cpu_missing_.clear();
}

void EnergyMeter::open(const std::string &gpu, const std::string &powercap)
{
  open_gpu(gpu);
  open_packages(powercap);
}

EnergyReading EnergyMeter::clock()
{
  EnergyReading   r;
  struct timespec busy = {};

  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &busy);
  r.busy_seconds = static_cast<double>(busy.tv_sec) + 1e-9 * static_cast<double>(busy.tv_nsec);
  r.seconds      = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return r;
}

EnergyReading EnergyMeter::now()
{
  EnergyReading      r;
  unsigned long long value;

  if (gpu_millijoules(&value)) {
    gpu_joules_ += counted_joules(gpu_last_, value, 0, 1e-3);
    gpu_last_    = value;
    r.gpu_joules = gpu_joules_;
  }
  for (PackageZone &p : packages_) {
    if (!read_count(p.file, &value)) p.joules = NAN;
    else {
      p.joules += counted_joules(p.last, value, p.range, 1e-6);
      p.last = value;
    }
    r.cpu_joules = (std::isnan(r.cpu_joules) && &p == &packages_[0] ? 0 : r.cpu_joules) + p.joules;
  }
  const EnergyReading at = clock();
  r.seconds              = at.seconds;
  r.busy_seconds         = at.busy_seconds;
  return r;
}

} // namespace bench

/*
   Counters of energy: NVML's of the GPU, loaded at run time, and those of the processor's packages (powercap, RAPL). What is absent or unreadable is NaN, with the reason. Knows neither PETSc nor
   CUDA.
*/
#pragma once
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace bench
{

// Joules between two values of a counter that goes up in steps of `unit` joules and begins anew after `range` steps (0: never)
double counted_joules(unsigned long long before, unsigned long long after, unsigned long long range, double unit);

// Since the meter was opened
struct EnergyReading {
  double seconds = 0, busy_seconds = 0; // of the clock; of this process on processors, all of its threads
  double gpu_joules = NAN, cpu_joules = NAN;
};
EnergyReading operator-(const EnergyReading &a, const EnergyReading &b);

struct IdlePower {
  double gpu_watts = NAN, cpu_watts = NAN;
};
IdlePower power_of(const EnergyReading &difference);

// Of one operation out of many that were done one after the other
struct EnergyPerCall {
  double joules     = NAN; // of what is known of GPU and processor
  double gpu_joules = NAN, cpu_joules = NAN;
  double gpu_net = NAN, cpu_net = NAN;     // less what they take idle in that time
  double gpu_watts = NAN, cpu_watts = NAN; // in that time
  double us = NAN, busy_us = NAN;
  double seconds = 0; // of the measurement
};
EnergyPerCall energy_per_call(const EnergyReading &difference, const IdlePower &idle, double calls);

// One zone of powercap, by its folder
struct PackageZone {
  std::string        file; // energy_uj
  unsigned long long range = 0, last = 0;
  double             joules = 0; // since it was opened
};

class EnergyMeter {
public:
  EnergyMeter();
  ~EnergyMeter();
  // gpu: its address on the bus, empty for none. What cannot be read is said in gpu_missing(), cpu_missing()
  void                 open(const std::string &gpu, const std::string &powercap = "/sys/class/powercap");
  EnergyReading        now();   // milliseconds, where NVML takes them
  static EnergyReading clock(); // without the counters: at once
  const std::string   &gpu_missing() const { return gpu_missing_; }
  const std::string   &cpu_missing() const { return cpu_missing_; }

private:
  struct Nvml;
  void open_gpu(const std::string &address);
  void open_packages(const std::string &powercap);
  bool gpu_millijoules(unsigned long long *value) const;

  std::unique_ptr<Nvml>    nvml_;
  unsigned long long       gpu_last_   = 0;
  double                   gpu_joules_ = NAN;
  std::vector<PackageZone> packages_;
  std::string              gpu_missing_, cpu_missing_;
};

} // namespace bench

/*
   Energy counters of the benchmarks: wrap-around, what idling takes, zones of powercap read from a folder made here, and what is absent.
*/
#include "../../bench/common/energy_loop.hpp"
#include <cstdlib>
#include <fstream>
#include <sys/stat.h>

using namespace bench;

namespace
{

class PowercapFolder {
public:
  PowercapFolder()
  {
    char name[] = "/tmp/powercapXXXXXX";

    path = mkdtemp(name);
  }
  ~PowercapFolder() { (void)!std::system(("rm -rf " + path).c_str()); }
  void Zone(const std::string &zone, const std::string &name, const std::string &energy, const std::string &range)
  {
    (void)mkdir((path + "/" + zone).c_str(), 0700);
    Write(zone + "/name", name);
    if (!energy.empty()) Write(zone + "/energy_uj", energy);
    if (!range.empty()) Write(zone + "/max_energy_range_uj", range);
  }
  void        Write(const std::string &file, const std::string &text) { std::ofstream(path + "/" + file) << text << "\n"; }
  std::string path;
};

TEST(BenchEnergy, CountersBeginAnew)
{
  EXPECT_DOUBLE_EQ(counted_joules(1000, 3500, 0, 1e-3), 2.5);
  EXPECT_DOUBLE_EQ(counted_joules(7, 7, 0, 1), 0);
  EXPECT_DOUBLE_EQ(counted_joules(262143000000ULL, 500000, 262143328850ULL, 1e-6), 0.32885 + 0.5);
  EXPECT_TRUE(std::isnan(counted_joules(5, 3, 0, 1))) << "a counter without a range cannot go back";
  EXPECT_TRUE(std::isnan(counted_joules(50, 3, 40, 1))) << "it was beyond its range";
}

TEST(BenchEnergy, OneOfManyCalls)
{
  EnergyReading d;

  d.seconds             = 2;
  d.busy_seconds        = 0.5;
  d.gpu_joules          = 800;
  d.cpu_joules          = 300;
  const EnergyPerCall e = energy_per_call(d, {100, 90}, 1000);

  EXPECT_DOUBLE_EQ(e.joules, 1.1);
  EXPECT_DOUBLE_EQ(e.gpu_joules, 0.8);
  EXPECT_DOUBLE_EQ(e.cpu_joules, 0.3);
  EXPECT_DOUBLE_EQ(e.gpu_watts, 400);
  EXPECT_DOUBLE_EQ(e.cpu_watts, 150);
  EXPECT_DOUBLE_EQ(e.gpu_net, 0.6);
  EXPECT_NEAR(e.cpu_net, 0.12, 1e-15);
  EXPECT_DOUBLE_EQ(e.us, 2000);
  EXPECT_DOUBLE_EQ(e.busy_us, 500);
  d.cpu_joules = NAN;
  EXPECT_DOUBLE_EQ(energy_per_call(d, {100, NAN}, 1000).joules, 0.8) << "of the GPU alone";
  EXPECT_TRUE(std::isnan(energy_per_call(d, {100, NAN}, 1000).cpu_net));
  EXPECT_TRUE(std::isnan(energy_per_call(d, {NAN, NAN}, 1000).gpu_net)) << "idle power is not known";
  d.gpu_joules = NAN;
  EXPECT_TRUE(std::isnan(energy_per_call(d, {}, 1000).joules));
}

TEST(BenchEnergy, PackagesOfAllSockets)
{
  PowercapFolder folder;
  EnergyMeter    meter;

  folder.Zone("intel-rapl", "intel-rapl", "", "");
  folder.Zone("intel-rapl:0", "package-0", "1000000", "5000000");
  folder.Zone("intel-rapl:0:0", "core", "900000", "5000000");
  folder.Zone("intel-rapl:1", "package-1", "4500000", "5000000");
  folder.Zone("intel-rapl:2", "psys", "9000000", "10000000");
  meter.open("", folder.path);
  EXPECT_EQ(meter.cpu_missing(), "");
  EXPECT_EQ(meter.gpu_missing(), "there is no GPU");
  const EnergyReading before = meter.now();
  folder.Write("intel-rapl:0/energy_uj", "3000000"); /* 2 J */
  folder.Write("intel-rapl:0:0/energy_uj", "2500000");
  folder.Write("intel-rapl:1/energy_uj", "200000"); /* 0.5 J, and 0.2 J from the beginning */
  const EnergyReading d = meter.now() - before;

  EXPECT_NEAR(d.cpu_joules, 2.7, 1e-9);
  EXPECT_TRUE(std::isnan(d.gpu_joules));
  EXPECT_GE(d.seconds, 0);
  EXPECT_GE(d.busy_seconds, 0);
  folder.Write("intel-rapl:1/energy_uj", "nothing");
  EXPECT_TRUE(std::isnan((meter.now() - before).cpu_joules)) << "a package that cannot be read any more";
}

TEST(BenchEnergy, AbsentIsNoError)
{
  PowercapFolder empty;
  EnergyMeter    meter;

  meter.open("0000:ff:1f.7", empty.path + "/none");
  EXPECT_NE(meter.cpu_missing().find("/none has no packages"), std::string::npos);
  EXPECT_NE(meter.gpu_missing(), "");
  EXPECT_TRUE(std::isnan(meter.now().cpu_joules));
  EXPECT_TRUE(std::isnan(meter.now().gpu_joules));
  empty.Zone("intel-rapl:0", "package-0", "", "5000000");
  meter.open("", empty.path);
  EXPECT_NE(meter.cpu_missing().find("energy_uj cannot be read"), std::string::npos);
}

// A clock of its own: the GPU takes 300 W while work is done and 100 W otherwise; its counter moves every 25 ms, and reading it takes 4 ms
struct SlowMeter {
  double seconds = 0, joules = 0;

  void          Pass(double s, double watts) { seconds += s, joules += s * watts; }
  EnergyReading clock() const
  {
    EnergyReading r;

    r.seconds = r.busy_seconds = seconds;
    return r;
  }
  EnergyReading now()
  {
    Pass(4e-3, 100);
    EnergyReading r = clock();
    r.gpu_joules    = joules - 300 * std::fmod(seconds, 0.025); // about: power changes within a step
    if (r.gpu_joules < shown || std::floor(seconds / 0.025) == step) r.gpu_joules = shown;
    shown = r.gpu_joules;
    step  = std::floor(seconds / 0.025);
    return r;
  }
  double shown = 0, step = -1;
};

TEST(BenchEnergy, SlowReadingsAreNotPartOfTheWork)
{
  for (double work : {1e-4, 4e-4, 1e-2}) {
    SlowMeter     meter;
    EnergyReading d;
    long long     calls = 0;
    const int     error = energy_of_calls(
          meter, 2.0,
          [&]() {
        meter.Pass(work, 300);
        return 0;
      },
          &calls, &d);
    const EnergyPerCall e = energy_per_call(d, {100, 90}, static_cast<double>(calls));

    EXPECT_EQ(error, 0);
    EXPECT_NEAR(e.us, 1e6 * work, 1e-3 * 1e6 * work) << "a reading takes 4 ms";
    EXPECT_NEAR(e.gpu_watts, 300, 15) << work;
    EXPECT_NEAR(e.gpu_joules, 300 * work, 15 * work) << work;
    EXPECT_GE(d.seconds, 2.0);
  }
}

TEST(BenchEnergy, ErrorsOfTheWorkEndIt)
{
  EnergyReading d;
  long long     calls = 0;
  int           left  = 100;
  SlowMeter     meter;
  const auto    work = [&]() {
    meter.Pass(1e-3, 300);
    return left-- ? 0 : 62;
  };

  EXPECT_EQ(energy_of_calls(meter, 2.0, work, &calls, &d), 62);
  left = 0;
  EXPECT_EQ(energy_of_calls(meter, 2.0, work, &calls, &d), 62);
}

} // namespace

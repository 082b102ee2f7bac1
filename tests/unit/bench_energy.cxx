/*
   Energy counters of the benchmarks: wrap-around, what idling takes, zones of powercap read from a folder made here, and what is absent.
*/
#include "../../bench/common/energy.hpp"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
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

} // namespace

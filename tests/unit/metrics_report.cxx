/*
   The metrics' table and JSON lines, and what is derived from a row.
*/
#include "metrics/report.hpp"
#include <sstream>

namespace
{

constexpr char step[] = "_ZN7heptane11step_kernelINS_8CgUpdateENS_4PackILi2EEEEEvT_m";

MetricsReport report_of_one_kernel()
{
  MetricsReport r;
  KernelRow     k;

  r.device.name            = "test GPU";
  r.device.major           = 9;
  r.device.multiprocessors = 132;
  r.device.warps           = 64;
  r.device.blocks          = 32;
  r.device.registers       = 65536;
  r.device.block_registers = 65536;
  r.device.shared          = 233472;
  r.device.shared_reserved = 1024;
  r.copy_gbs               = 4000;
  k.shape.name             = step;
  for (int d = 0; d < 3; d++) k.shape.grid[d] = k.shape.block[d] = 1;
  k.shape.grid[0]  = 1584;
  k.shape.block[0] = 256;
  k.registers      = 32;
  k.launches       = 3;
  for (double us : {9., 10., 12.}) k.times.Add(us);
  k.us    = 10;
  k.bytes = 30e6;
  k.pass  = "update: x += a p, \"r\"";
  r.kernels.push_back(k);
  r.environment.Add("gpu", "test GPU").Add("rank", 0);
  return r;
}

JsonMembers parsed(const std::string &line)
{
  JsonMembers m;
  std::string why;

  EXPECT_TRUE(parse_json_line(line, &m, &why)) << why;
  return m;
}

TEST(MetricsReport, Figures)
{
  const MetricsReport r = report_of_one_kernel();
  const KernelFigures f = figures_of(r, r.kernels[0]);

  EXPECT_EQ(f.occupancy.blocks, 8);
  EXPECT_DOUBLE_EQ(f.waves.waves, 1.5);
  EXPECT_DOUBLE_EQ(f.gbs, 3000); /* 30 MB in 10 us */
  EXPECT_DOUBLE_EQ(f.beta, 0.75);
}

TEST(MetricsReport, LinesCanBeReadBack)
{
  const MetricsReport r    = report_of_one_kernel();
  const std::string   text = metrics_json(r);
  JsonMembers         m    = parsed(text.substr(0, text.find('\n')));

  EXPECT_EQ(text.find('\n') + 1, text.size()) << "one kernel, one line";
  EXPECT_EQ(m["suite"], "metrics");
  EXPECT_EQ(m["what"], "kernel");
  EXPECT_EQ(m["kernel"], "step_kernel<CgUpdate, Pack<2>>");
  EXPECT_EQ(m["pass"], "update: x += a p, \"r\"");
  EXPECT_EQ(m["launches"], "3");
  EXPECT_EQ(m["grid"], "1584");
  EXPECT_EQ(m["resident_blocks"], "8");
  EXPECT_EQ(m["limit"], "warps");
  EXPECT_EQ(m["tail"], "528");
  EXPECT_EQ(m["bytes"], "3e+07");
  EXPECT_EQ(m["gbs"], "3000");
  EXPECT_EQ(m["beta"], "0.75");
  EXPECT_EQ(m["rank"], "0");
}

TEST(MetricsReport, TableHasEveryKernelAndItsPass)
{
  const std::string text = metrics_table(report_of_one_kernel());

  EXPECT_NE(text.find("test GPU, 132 multiprocessors, copy 4000 GB/s"), std::string::npos) << text;
  EXPECT_NE(text.find("step_kernel<CgUpdate, Pack<2>>\n"), std::string::npos) << text;
  EXPECT_NE(text.find("update: x += a p"), std::string::npos) << text;
  std::istringstream lines(text);
  std::string        line, numbers;

  for (std::string before; std::getline(lines, line); before = line) {
    EXPECT_LE(line.size(), 160u) << line;
    if (line.find("step_kernel") != std::string::npos) numbers = before;
  }
  std::istringstream words(numbers);
  std::string        launches, us, total, mb, gbs, beta, occupancy, blocks, limit, waves, lost, grid, block, registers;
  words >> launches >> us >> total >> mb >> gbs >> beta >> occupancy >> blocks >> limit >> waves >> lost >> grid >> block >> registers;
  EXPECT_EQ(launches, "3");
  EXPECT_EQ(us, "10.00");
  EXPECT_EQ(total, "0.031");
  EXPECT_EQ(mb, "30.000");
  EXPECT_EQ(gbs, "3000");
  EXPECT_EQ(beta, "0.75");
  EXPECT_EQ(occupancy, "1.00");
  EXPECT_EQ(blocks, "8");
  EXPECT_EQ(limit, "warps");
  EXPECT_EQ(waves, "1.50");
  EXPECT_EQ(lost, "0.25");
  EXPECT_EQ(grid, "1584");
  EXPECT_EQ(block, "256");
  EXPECT_EQ(registers, "32");
}

TEST(MetricsReport, TheTextOfManyPassesIsWrapped)
{
  MetricsReport r = report_of_one_kernel();
  std::string   line, together;

  for (int k = 0; k < 20; k++) r.kernels[0].pass += " | update: x" + std::to_string(k) + " += a p";
  std::istringstream lines(metrics_table(r));

  while (std::getline(lines, line)) {
    EXPECT_LE(line.size(), 160u) << line;
    if (line.rfind("          ", 0) == 0 && line[10] != ' ') together += (together.empty() ? "" : " ") + line.substr(10);
  }
  EXPECT_EQ(together, r.kernels[0].pass);
}

TEST(MetricsReport, WithoutKernels)
{
  MetricsReport    r;
  MetricsCollector c;

  EXPECT_NE(metrics_table(r).find("No kernel of heptane was seen to run"), std::string::npos);
  EXPECT_EQ(metrics_json(r), "");
  c.Begin(false, {"product: y = A x", 8e6}, 1);
  c.End(1.002);
  c.Begin(true, {"update", 1e6}, 2); /* launched, and nothing could trace it */
  c.End(2);
  r.passes               = c.Passes();
  r.host_copy_gbs        = 16;
  r.remark               = "times are missing";
  const std::string text = metrics_table(r);
  EXPECT_NE(text.find("Passes on the host, copy 16.0 GB/s"), std::string::npos) << text;
  EXPECT_NE(text.find("2000.0     2.000  8.000   4.0  0.25  product: y = A x"), std::string::npos) << text;
  EXPECT_NE(text.find("Passes on the device"), std::string::npos) << text;
  EXPECT_NE(text.find("times are missing"), std::string::npos) << text;
  std::istringstream lines(metrics_json(r));
  std::string        line;

  for (const char *what : {"host_pass", "device_pass"}) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(parsed(line)["what"], what);
  }
}

TEST(MetricsJson, WhatIsNoLineIsRefused)
{
  const char *const wrong[] = {"",
                               "{",
                               "[1]",
                               "{\"a\": 1",
                               "{\"a\" 1}",
                               "{a: 1}",
                               "{\"a\": }",
                               "{\"a\": nan}",
                               "{\"a\": 1} x",
                               "{\"a\": \"b}",
                               "{\"a\": {\"b\": 1}}",
                               "{\"a\": \"\\q\"}",
                               "{\"a\": \"\\u12\"}",
                               "{\"a\": 1,}"};
  JsonMembers       m;
  std::string       why;

  for (const char *line : wrong) {
    EXPECT_FALSE(parse_json_line(line, &m, &why)) << line;
    EXPECT_NE(why.find("column"), std::string::npos) << line;
  }
}

TEST(MetricsJson, WhatIsWrittenIsReadBack)
{
  JsonLine line;

  line.Add("text", "a \"quoted\" \\ and\na line, caf\xc3\xa9").Add("number", -1.5e-7).Add("count", 12345678901LL).Add("none", NAN);
  JsonMembers m = parsed(" " + line.Text() + " ");

  EXPECT_EQ(m["text"], "a \"quoted\" \\ and\na line, caf\xc3\xa9");
  EXPECT_EQ(m["number"], "-1.5e-07");
  EXPECT_EQ(m["count"], "12345678901");
  EXPECT_EQ(m["none"], "null");
  EXPECT_EQ(parsed("{}").size(), 0u);
  EXPECT_EQ(parsed("{\"a\": true, \"b\": \"\\u0041\\t\"}")["b"], "A\t");
}

} // namespace

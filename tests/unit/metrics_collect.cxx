/*
   Declared passes joined with launches and with what a trace says ran: graphs, overlapping starts, kernels in rounds, several kernels of one pass.
*/
#include "metrics/collect.hpp"

namespace
{

constexpr char step[]  = "_ZN7heptane11step_kernelINS_8CgUpdateENS_4PackILi2EEEEEvT_m";
constexpr char other[] = "_ZN8cusparse10csr_kernelIdEEvT_";

KernelShape shape(const char *name, unsigned grid, unsigned block = 256)
{
  KernelShape s;

  s.name = name;
  for (int k = 0; k < 3; k++) s.grid[k] = s.block[k] = 1;
  s.grid[0]  = grid;
  s.block[0] = block;
  return s;
}

KernelRun run(const KernelShape &s, std::uint64_t begin, std::uint64_t end, std::uint64_t queue = 0)
{
  KernelRun r;

  r.shape     = s;
  r.begin     = begin;
  r.end       = end;
  r.queue     = queue;
  r.registers = 32;
  return r;
}

TEST(MetricsNames, AsPeopleReadThem)
{
  EXPECT_EQ(short_kernel_name(step), "step_kernel<CgUpdate, Pack<2>>");
  EXPECT_EQ(short_kernel_name("_ZN7heptane12_GLOBAL__N_118bdiagh_mult_kernelILi1EEEvNS_15BdiaghDiagonalsEPKdS4_Pd"), "bdiagh_mult_kernel<1>");
  EXPECT_EQ(short_kernel_name("_ZN7heptane12_GLOBAL__N_112scale_kernelEPdmd"), "scale_kernel");
  EXPECT_EQ(short_kernel_name("plain_c"), "plain_c");
  EXPECT_TRUE(is_library_kernel(step));
  EXPECT_FALSE(is_library_kernel(other));
  EXPECT_FALSE(is_library_kernel("plain_c"));
}

TEST(MetricsCollect, BytesOfAGraphAreThoseOfItsRecording)
{
  MetricsCollector c;

  c.Begin(true, {"update: x += a p, ", 1e6}, 0); /* no sums behind the comma */
  c.Launched(shape(step, 100), nullptr);         /* recorded once */
  c.End(0);
  for (std::uint64_t k = 1; k <= 5; k++) c.Ran(run(shape(step, 100), 10000 * k, 10000 * k + 1000 * k)); /* launched five times */
  const auto rows = c.Kernels();

  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].launches, 5);
  EXPECT_EQ(rows[0].pass, "update: x += a p");
  EXPECT_DOUBLE_EQ(rows[0].bytes, 1e6);
  EXPECT_DOUBLE_EQ(rows[0].us, 3);
  EXPECT_DOUBLE_EQ(rows[0].times.Least(), 1);
  EXPECT_DOUBLE_EQ(rows[0].times.Most(), 5);
  EXPECT_DOUBLE_EQ(rows[0].times.Total(), 15);
  EXPECT_EQ(rows[0].registers, 32);
}

/* Behind the end of a solve launches return at once, and the first run of a kernel may wait for its code */
TEST(MetricsCollect, TimesOfLaunchesThatDidTheirWork)
{
  Times t;

  for (double us : {100., 20., 22., 24., 1., 1.}) t.Add(us);
  EXPECT_DOUBLE_EQ(t.Median(), 21);
  EXPECT_DOUBLE_EQ(t.Typical(), 22);
  EXPECT_DOUBLE_EQ(t.Total(), 168);
  EXPECT_TRUE(std::isnan(Times().Typical()));
}

TEST(MetricsCollect, ShapesOfOneKernelAreRowsOfTheirOwn)
{
  MetricsCollector c;

  for (unsigned grid : {100u, 200u}) {
    c.Begin(true, {"level of " + std::to_string(grid), 1e4 * grid}, 0);
    c.Launched(shape(step, grid), nullptr);
    c.End(0);
    c.Ran(run(shape(step, grid), 1000000 * grid, 1000000 * grid + 10 * grid));
  }
  const auto rows = c.Kernels(); /* the longer first */

  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].shape.grid[0], 200u);
  EXPECT_DOUBLE_EQ(rows[0].bytes, 2e6);
  EXPECT_EQ(rows[1].pass, "level of 100");
  EXPECT_DOUBLE_EQ(rows[1].bytes, 1e6);
}

TEST(MetricsCollect, TheMeanWhereOneShapeServesPassesOfDifferentBytes)
{
  MetricsCollector c;

  for (double bytes : {1e6, 3e6}) {
    c.Begin(true, {"product", bytes}, 0);
    c.Launched(shape(step, 10), nullptr);
    c.End(0);
    c.Ran(run(shape(step, 10), 1, 2001));
  }
  EXPECT_DOUBLE_EQ(c.Kernels()[0].bytes, 2e6);
}

TEST(MetricsCollect, TheLargestKernelOfAPassHasItsBytes)
{
  MetricsCollector c;
  const char       rest[] = "_ZN7heptane15csr_rows_kernelEv";

  c.Begin(true, {"product: y = A x", 5e6}, 0);
  c.Launched(shape(step, 400), nullptr);
  c.Launched(shape(rest, 2), nullptr);
  c.End(0);
  c.Ran(run(shape(rest, 2), 9000, 10000));
  c.Ran(run(shape(step, 400), 1000, 8000));
  const auto rows = c.Kernels();

  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].shape.name, step);
  EXPECT_DOUBLE_EQ(rows[0].bytes, 5e6);
  EXPECT_TRUE(std::isnan(rows[1].bytes));
  EXPECT_EQ(rows[1].pass, "");
}

TEST(MetricsCollect, PassesInsidePasses)
{
  MetricsCollector c;

  c.Begin(true, {"cycle", NAN}, 0);
  c.Begin(true, {"sweep", 7e5}, 0);
  c.Launched(shape(step, 10), nullptr);
  c.End(0);
  c.End(0);
  c.Ran(run(shape(step, 10), 1, 2));
  EXPECT_EQ(c.Kernels()[0].pass, "sweep");
  EXPECT_DOUBLE_EQ(c.Kernels()[0].bytes, 7e5);
}

/* A kernel that was launched before the one in front of it ended waits: that is not its time */
TEST(MetricsCollect, AnEarlyStartIsNotCounted)
{
  MetricsCollector c;

  c.Ran(run(shape(step, 1), 1000, 11000));
  c.Ran(run(shape(step, 2), 2000, 15000));
  c.Ran(run(shape(step, 3), 3000, 13000, 1)); /* of another queue: it ran beside them */
  c.Ran(run(shape(step, 4), 500, 900));       /* told late */
  std::map<unsigned, double> us;

  for (const KernelRow &r : c.Kernels()) us[r.shape.grid[0]] = r.us;
  EXPECT_DOUBLE_EQ(us[1], 10);
  EXPECT_DOUBLE_EQ(us[2], 4);
  EXPECT_DOUBLE_EQ(us[3], 10);
  EXPECT_FLOAT_EQ(us[4], 0.4f);
}

/* A persistent kernel makes as many iterations as the solve takes */
TEST(MetricsCollect, RoundsThatAreKnownLater)
{
  MetricsCollector c;

  for (int k = 0; k < 2; k++) {
    c.Begin(true, {"persistent cg", 0}, 0);
    c.Launched(shape(step, 132), nullptr);
    c.End(0);
  }
  c.Ran(run(shape(step, 132), 1000, 101000));
  c.Ran(run(shape(step, 132), 200000, 220000));
  c.AddBytes("persistent cg", 10e6);
  c.AddBytes("persistent cg", 2e6);
  c.AddBytes("nobody's", 1);
  const auto rows = c.Kernels();

  EXPECT_DOUBLE_EQ(rows[0].bytes, 6e6);
  EXPECT_DOUBLE_EQ(rows[0].us, 60);
  EXPECT_DOUBLE_EQ(c.Passes()[0].bytes, 6e6);
}

TEST(MetricsCollect, LostTimesAndKernelsOfOthers)
{
  MetricsCollector c;

  c.Ran(run(shape(step, 1), 0, 0));
  c.Ran(run(shape(other, 1), 1000, 3000));
  EXPECT_EQ(c.Kernels().size(), 1u);
  EXPECT_EQ(c.Kernels()[0].launches, 1);
  EXPECT_TRUE(std::isnan(c.Kernels()[0].us));
  EXPECT_EQ(c.OthersLaunches(), 1);
  EXPECT_DOUBLE_EQ(c.OthersMicroseconds(), 2);
}

TEST(MetricsCollect, BytesByNameWhereTheShapeIsNotKnown)
{
  MetricsCollector c;
  KernelShape      unknown;

  unknown.name = step;
  c.Begin(true, {"update", 4e5}, 0);
  c.Launched(unknown, nullptr);
  c.End(0);
  c.Ran(run(shape(step, 17), 1000, 2000));
  EXPECT_DOUBLE_EQ(c.Kernels()[0].bytes, 4e5);
}

TEST(MetricsCollect, PassesOnTheHostAreTimed)
{
  MetricsCollector c;

  for (int k = 1; k <= 3; k++) {
    c.Begin(false, {"update", 1e6}, k);
    c.End(k + 1e-3 * k);
  }
  c.Begin(false, {"update", 2e6}, 10); /* of another size */
  c.End(10.5);
  const auto rows = c.Passes();

  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].calls, 3);
  EXPECT_NEAR(rows[0].times.Median(), 2000, 1e-2);
  EXPECT_NEAR(rows[1].times.Total(), 500000, 1e-2);
  EXPECT_FALSE(rows[0].device);
}

} // namespace

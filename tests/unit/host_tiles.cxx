/*
   Sizes of the host's caches as the system tells them, tiles made of them, and that sums do not depend on the tiles.
*/
#include "device/host_caches.hpp"
#include "mat/bdiagh/format/host.hpp"
#include "pass/step_host.hpp"
#include <cstdlib>
#include <fstream>
#include <sys/stat.h>

namespace
{

TEST(HostCaches, Sizes)
{
  EXPECT_EQ(cache_bytes("48K"), 49152u);
  EXPECT_EQ(cache_bytes("2M"), 2097152u);
  EXPECT_EQ(cache_bytes("512"), 512u);
  for (const char *text : {"", "K", "x48K", "48G", "48 K"}) EXPECT_EQ(cache_bytes(text), 0u) << text;
}

TEST(HostCaches, FolderOfTheKernel)
{
  char              name[] = "/tmp/heptane_caches_XXXXXX";
  const std::string folder = mkdtemp(name);
  const struct {
    const char *level, *type, *size;
  } files[] = {
    {"1", "Data",        "48K"   },
    {"1", "Instruction", "32K"   },
    {"2", "Unified",     "2048K" },
    {"3", "Unified",     "36864K"}
  };

  for (int k = 0; k < 4; k++) {
    const std::string of = folder + "/index" + std::to_string(k);

    ASSERT_EQ(mkdir(of.c_str(), 0700), 0);
    std::ofstream(of + "/level") << files[k].level << "\n";
    std::ofstream(of + "/type") << files[k].type << "\n";
    std::ofstream(of + "/size") << files[k].size << "\n";
  }
  const HostCaches c = read_host_caches(folder), none = read_host_caches(folder + "/nowhere");

  EXPECT_EQ(c.first, 49152u);
  EXPECT_EQ(c.second, 2097152u);
  EXPECT_EQ(none.first, 0u);
  EXPECT_EQ(none.second, 0u);
  EXPECT_EQ(std::system(("rm -r " + folder).c_str()), 0);
}

TEST(HostCaches, TilesFollowTheSecondCache)
{
  const std::size_t tuned = 8192, bytes = 1 << 20;
  HostCaches        c;

  EXPECT_EQ(tile_rows(c, tuned, bytes, 1), tuned) << "unknown: the number that was measured";
  c.second = bytes;
  EXPECT_EQ(tile_rows(c, tuned, bytes, 1), tuned);
  c.second = 2 * bytes;
  EXPECT_EQ(tile_rows(c, tuned, bytes, 1), 2 * tuned);
  EXPECT_EQ(tile_rows(c, tuned, bytes, 3000), 15000u);
  c.second = bytes / 2;
  EXPECT_EQ(tile_rows(c, tuned, bytes, 512), tuned / 2);
  EXPECT_EQ(tile_rows(c, tuned, bytes, 100000), 100000u) << "one unit at least";
  c.second = 1;
  EXPECT_EQ(tile_rows(c, tuned, bytes, 1), tuned / 4);
  c.second = std::size_t(1) << 40;
  EXPECT_EQ(tile_rows(c, tuned, bytes, 1), 8 * tuned);
}

/* Bits of the sums of tiles of these rows */
Vector sums_with(const Vector &v, std::size_t tile)
{
  HostStep<DotsStep> step(DotsStep(v.data(), v.data() + 1, v.data()), FusedScalars());
  Vector             sums(2);
  const std::size_t  n = v.size() - 1;

  for (std::size_t first = 0; first < n; first += tile) step.Rows(first, std::min(first + tile, n));
  step.Sums(sums.data());
  return sums;
}

TEST(HostCaches, SumsDoNotDependOnTiles)
{
  Vector v(60001);

  for (std::size_t k = 0; k < v.size(); k++) v[k] = Scalar(1) / static_cast<Scalar>(1 + k * 7919 % 1009);
  const Vector whole = sums_with(v, v.size());
  bool         other = false;

  for (int block = 1; block <= 20; block++) {
    const int tile = bdiagh_tile_rows(block);

    EXPECT_EQ(tile % (8 * block), 0) << block;
    EXPECT_EQ(bdiagh_fused_tile(block) % tile, 0) << block;
    for (const int tiles : {1, 2, 3}) EXPECT_EQ(sums_with(v, tiles * tile), whole) << block << " " << tiles;
  }
  for (const int tile : {4095, 8190}) other = other || sums_with(v, tile) != whole;
  EXPECT_TRUE(other) << "tiles of another number of rows would give other bits";
}

} // namespace

/*
   Sums of fused products on the host do not depend on the tiles.
*/
#include "mat/bdiagh/format/host.hpp"
#include "pass/step_host.hpp"

namespace
{

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

TEST(HostTiles, SumsDoNotDependOnTiles)
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

/*
   Inverses without a division, over all of the range, against divisions.
*/
#include "device/reciprocal.hpp"

namespace
{

TEST(Reciprocal, UnitsInTheLastPlace)
{
  std::minstd_rand random(17);
  int              exact = 0;

  for (int k = 0; k < 200000; k++) {
    const double part = 1 + random() / 2147483648.0 + random() / 4611686018427387904.0,
                 d    = std::ldexp(k % 2 ? -part : part, static_cast<int>(random() % 2044) - 1022);
    const double y = reciprocal(d), wanted = 1 / d;

    ASSERT_LE(std::fabs(y - wanted), std::fabs(wanted) * std::numeric_limits<double>::epsilon() + std::numeric_limits<double>::denorm_min()) << d;
    exact += y == wanted;
  }
  EXPECT_GT(exact, 150000); /* most are the nearest numbers */
}

TEST(Reciprocal, EndsOfTheRange)
{
  for (double d : {1., 3., 0x1p-500, 0x1p500, 0x1.8p-501, 0x1.8p501, 0x1p1023, 0x1p-1022, std::numeric_limits<double>::max()})
    for (double sign : {1., -1.}) EXPECT_NEAR(reciprocal(sign * d) * d, sign, 1e-14) << d;
  EXPECT_EQ(reciprocal(std::numeric_limits<double>::denorm_min()), 1 / std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::isnan(reciprocal(std::numeric_limits<double>::quiet_NaN())));
}

} // namespace

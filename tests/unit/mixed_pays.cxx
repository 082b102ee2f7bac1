/*
   When `auto` takes mixed precision.
*/
#include "ksp/fused/mixed/pays.hpp"

namespace
{

constexpr double large = FusedTuning::mixed_bytes, middle = FusedTuning::mixed_resident_bytes;

std::string why(double matrix, double mixed, bool resident_double, bool resident)
{
  return why_mixed_pays_not({matrix, 100, mixed, resident_double, resident});
}

TEST(MixedPays, LargeMatrices)
{
  EXPECT_EQ(why(large, 50, false, false), "");
  EXPECT_EQ(why(large, 50, true, false), "");
}

TEST(MixedPays, SmallerOnesByTheKernels)
{
  EXPECT_EQ(why(middle, 50, true, true), "");
  EXPECT_EQ(why(middle, 50, false, false), "");
  EXPECT_NE(why(middle, 50, true, false), ""); /* faster in the persistent kernel of double precision */
  EXPECT_NE(why(0.99 * middle, 50, false, false), "");
  EXPECT_NE(why(0.99 * middle, 50, true, true), "");
}

TEST(MixedPays, ByBytes)
{
  EXPECT_EQ(why(large, 100 * FusedTuning::mixed_gain, false, false), "");
  EXPECT_EQ(why(large, 95, false, false), "an iteration would move 95 % of the bytes");
  EXPECT_EQ(why(middle, 120, true, true), "an iteration would move 120 % of the bytes");
  EXPECT_NE(why_mixed_pays_not({large, 0, 0, false, false}), "an iteration would move 0 % of the bytes"); /* no rows: nothing is moved */
}

} // namespace

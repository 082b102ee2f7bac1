/*
   When mixed precision computes its next residual in double precision.
*/
#include "ksp/fused/mixed_factor.hpp"
#include <gtest/gtest.h>
#include <limits>

using namespace heptane;

namespace
{

constexpr Real   factor = 0.01;
constexpr double fast   = 0.2; /* of the logarithm per iteration: 1e-9 in 100 of them */

TEST(MixedFactor, GoesAsFarAsAllowedWhereResidualsAgree)
{
  EXPECT_EQ(mixed_factor(factor, fast, 1, 0.01, 0.01), FusedTuning::precision_range * factor);
}

TEST(MixedFactor, UpdatesAreNotFurtherApartThanWanted)
{
  const double rate = 0.06; /* 0.0025 in 100 iterations */

  EXPECT_NEAR(mixed_factor(factor, rate, 1, 0.01, 0.01), std::exp(-rate * FusedTuning::precision_spacing), 1e-12);
  EXPECT_EQ(mixed_factor(factor, 0.01, 1, 0.01, 0.01), factor); /* more iterations than that for `factor` */
}

TEST(MixedFactor, KeepsItsDistanceFromWhatWasLacking)
{
  const Real recurred = 0.01, lacked = 1e-5, norm = std::sqrt(recurred * recurred + lacked * lacked);

  EXPECT_NEAR(mixed_factor(factor, fast, 1, recurred, norm), FusedTuning::precision_margin * lacked, 1e-6);
  EXPECT_NEAR(mixed_factor(factor, fast, 10, 10 * recurred, 10 * norm), FusedTuning::precision_margin * lacked, 1e-6); /* of any size */
  EXPECT_NEAR(mixed_factor(factor, fast, 1, norm, recurred), FusedTuning::precision_margin * lacked, 1e-6);            /* also where the true one is smaller */
  EXPECT_LT(mixed_factor(factor, fast, 10, recurred, norm), mixed_factor(factor, fast, 1, recurred, norm));
}

TEST(MixedFactor, StaysWhereNothingIsKnownOrWrong)
{
  EXPECT_EQ(mixed_factor(factor, 0, 1, 0.01, 0.01), factor);   /* no rate */
  EXPECT_EQ(mixed_factor(factor, fast, 1, 0.01, 0.5), factor); /* far off */
  EXPECT_EQ(mixed_factor(factor, fast, 1, 0.01, std::numeric_limits<Real>::quiet_NaN()), factor);
  EXPECT_EQ(mixed_factor(factor, fast, 0, 0, 0), factor);
}

} // namespace

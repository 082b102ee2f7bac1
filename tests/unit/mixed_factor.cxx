/*
   When mixed precision computes its next residual in double precision.
*/
#include "of_double.hpp"
#include "ksp/fused/mixed_factor.hpp"

namespace
{

class MixedFactor : public OfDouble {};

constexpr Real   factor = 0.01;
constexpr double fast   = 0.2; /* of the logarithm per iteration: 1e-9 in 100 of them */

Real next(double rate, Real largest, Real recurred, Real norm, Real wanted = 0)
{
  return mixed_factor(factor, {rate, largest, recurred, norm, wanted});
}

TEST_F(MixedFactor, GoesAsFarAsAllowedWhereResidualsAgree)
{
  EXPECT_EQ(next(fast, 1, 0.01, 0.01), FusedTuning::precision_range * factor);
}

TEST_F(MixedFactor, UpdatesAreNotFurtherApartThanWanted)
{
  const double rate = 0.06; /* 0.0025 in 100 iterations */

  EXPECT_NEAR(next(rate, 1, 0.01, 0.01), std::exp(-rate * FusedTuning::precision_spacing), 1e-12);
  EXPECT_EQ(next(0.01, 1, 0.01, 0.01), factor); /* more iterations than that for `factor` */
}

TEST_F(MixedFactor, KeepsItsDistanceFromWhatWasLacking)
{
  const Real recurred = 0.01, lacked = 1e-5, norm = std::sqrt(recurred * recurred + lacked * lacked);

  EXPECT_NEAR(next(fast, 1, recurred, norm), FusedTuning::precision_margin * lacked, 1e-6);
  EXPECT_NEAR(next(fast, 10, 10 * recurred, 10 * norm), FusedTuning::precision_margin * lacked, 1e-6); /* of any size */
  EXPECT_NEAR(next(fast, 1, norm, recurred), FusedTuning::precision_margin * lacked, 1e-6);            /* also where the true one is smaller */
  EXPECT_LT(next(fast, 10, recurred, norm), next(fast, 1, recurred, norm));
}

TEST_F(MixedFactor, GoesOnToConvergenceThatIsNear)
{
  const Real furthest = FusedTuning::precision_range * factor, recurred = 0.01, lacked = 1e-5, norm = std::sqrt(recurred * recurred + lacked * lacked);

  EXPECT_EQ(next(fast, 1, 1, 1, 0.5 * furthest), 0.5 * furthest);
  EXPECT_EQ(next(fast, 1, 1, 1, 0.9 * furthest / FusedTuning::precision_last), furthest);           /* too far */
  EXPECT_EQ(next(fast, 1, 1, 1, 2 * furthest), furthest);                                           /* the test of the norm ends it before */
  EXPECT_EQ(next(0.09, 1, 1, 1, 0.5 * furthest), std::exp(-0.09 * FusedTuning::precision_spacing)); /* too many iterations */
  EXPECT_EQ(next(0.01, 1, 1, 1, 0.5 * factor), factor);
  EXPECT_NEAR(next(fast, 1, recurred, norm, 0.5e-3 * norm), 0.5e-3, 1e-9); /* a tenth of the distance is left */
  EXPECT_NEAR(next(fast, 1, recurred, norm, 0.9e-4 * norm), 1e-3, 1e-6);
}

TEST_F(MixedFactor, StaysWhereNothingIsKnownOrWrong)
{
  EXPECT_EQ(next(0, 1, 0.01, 0.01), factor);   /* no rate */
  EXPECT_EQ(next(fast, 1, 0.01, 0.5), factor); /* far off */
  EXPECT_EQ(next(fast, 1, 0.01, std::numeric_limits<Real>::quiet_NaN(), 0.001), factor);
  EXPECT_EQ(next(fast, 0, 0, 0, 0.001), factor);
  EXPECT_EQ(next(0, 1, 1, 1, 0.005), factor);
}

} // namespace

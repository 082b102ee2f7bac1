/*
   When a kernel that makes updates of mixed precision itself goes on, and how far.
*/
#include "of_double.hpp"
#include "ksp/fused/mixed/update.hpp"

namespace
{

class MixedGoesOn : public OfDouble {};

/* A solve whose norm was 1, behind iteration 40, which the recurrences believe to have 0.01 */
struct Solve {
  MixedState   m = {};
  MixedTest    t;
  FusedScalars S = {};

  Solve()
  {
    m.reference = m.most = m.best = m.kept = 1;
    m.factor                               = 0.01;
    t.tests                                = true;
    t.end = t.until = 500;
    t.converged     = 1e-10;
    t.diverged      = 1e5;
    t.factor        = 0.01;
    t.rows          = 1;
    S.stop          = FusedStop::test;
    S.it            = 40;
  }
  bool GoesOn(Real norm)
  {
    S.dp = norm;
    return mixed_continues(m, t, S, 0.01, norm * norm);
  }
};

TEST_F(MixedGoesOn, FromTheNormThatTheUpdateHasFound)
{
  Solve s;

  ASSERT_TRUE(s.GoesOn(0.01));
  EXPECT_EQ(s.S.stop, FusedStop::no);
  EXPECT_EQ(s.m.since, 40);
  EXPECT_EQ(s.m.reference, 0.01);
  EXPECT_TRUE(s.m.keep);
  EXPECT_EQ(s.m.kept_at, 40);
  EXPECT_EQ(s.m.factor, FusedTuning::precision_range * 0.01);
  EXPECT_EQ(s.S.converged, s.m.factor * 0.01);
  EXPECT_EQ(s.S.last, 40 + FusedTuning::precision_spacing);
}

TEST_F(MixedGoesOn, NotWhereTheSolveEnds)
{
  Solve converged, diverged, limit, nan;

  EXPECT_FALSE(converged.GoesOn(1e-10));
  EXPECT_FALSE(diverged.GoesOn(1e5));
  limit.t.until = 40;
  EXPECT_FALSE(limit.GoesOn(0.01));
  EXPECT_FALSE(nan.GoesOn(std::numeric_limits<Real>::quiet_NaN()));
  EXPECT_EQ(converged.S.stop, FusedStop::test); /* the host finds all as it was */
  EXPECT_EQ(converged.m.since, 0);
}

TEST_F(MixedGoesOn, ConvergenceIsNoneBeforeTheIterationsThatAreWanted)
{
  Solve s;

  s.t.min_it = 60;
  ASSERT_TRUE(s.GoesOn(1e-10));
  EXPECT_EQ(s.S.last, 60);
}

TEST_F(MixedGoesOn, NotWhereSinglePrecisionFails)
{
  Solve poor, worse, range;

  EXPECT_TRUE(poor.GoesOn(0.9));
  poor.S.stop = FusedStop::test;
  EXPECT_FALSE(poor.GoesOn(0.9)); /* twice in a row */
  EXPECT_FALSE(worse.GoesOn(11));
  range.t.rows = 1e45;
  EXPECT_FALSE(range.GoesOn(0.01));
}

} // namespace

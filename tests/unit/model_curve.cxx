/*
   Time over size: ranges between samples, what is beyond them, samples that fall or are no numbers.
*/
#include "tools/advise/curve.hpp"

namespace
{

TEST(ModelCurve, RangesHaveTheirOwnCoefficients)
{
  const Curve c({
    {100,  2 },
    {1100, 3 },
    {5100, 11}
  });

  EXPECT_DOUBLE_EQ(c.Microseconds(100), 2);
  EXPECT_DOUBLE_EQ(c.Microseconds(600), 2.5);
  EXPECT_DOUBLE_EQ(c.Microseconds(3100), 7);
  EXPECT_DOUBLE_EQ(c.Microseconds(9100), 19) << "beyond: the last range goes on";
  EXPECT_DOUBLE_EQ(c.Latency(), 1.9);
  EXPECT_DOUBLE_EQ(c.Rate(5100), 5100 / 9.1);
}

TEST(ModelCurve, MedianOfSamplesAndNoTimeFalls)
{
  const Curve c({
    {10, 5  },
    {10, 1  },
    {10, 4  },
    {20, 2  },
    {30, 6  },
    {40, NAN},
    {50, -1 }
  });

  ASSERT_EQ(c.Points().size(), 3u);
  EXPECT_DOUBLE_EQ(c.Points()[0].us, 3) << "4, the median, and 2, which is less, become their mean";
  EXPECT_DOUBLE_EQ(c.Points()[1].us, 3);
  EXPECT_DOUBLE_EQ(c.Points()[2].us, 6);
  EXPECT_DOUBLE_EQ(median_of({4, 1, 2, 3}), 2.5);
}

TEST(ModelCurve, NothingAndOneSample)
{
  EXPECT_FALSE(Curve().Any());
  EXPECT_TRUE(std::isnan(Curve().Microseconds(1)));
  EXPECT_DOUBLE_EQ(Curve({
                           {8, 3}
  })
                     .Microseconds(100),
                   3);
  EXPECT_GE(Curve({
                    {100, 1 },
                    {200, 10}
  })
              .Latency(),
            0)
    << "a latency below zero is none";
}

} // namespace

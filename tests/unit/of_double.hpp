/*
   Guards of tests of what a build in single precision refuses: mixed precision, matrices whose values are in double precision. They are skipped there, and counted as such.
*/
#pragma once

#include "device/scalar.hpp"
#include <type_traits>

namespace heptane
{

/* Of a suite: class Suite : public OfDouble, and TEST_F() */
class OfDouble : public ::testing::Test {
protected:
  void SetUp() override
  {
    if (!std::is_same_v<Scalar, double>) GTEST_SKIP() << "of builds in double precision";
  }
};

} // namespace heptane

/* In place of tests that do not compile there */
#define SKIPPED_IN_SINGLE(suite) \
  TEST(suite, OfBuildsInDoublePrecision) \
  { \
    GTEST_SKIP() << "of builds in double precision"; \
  }

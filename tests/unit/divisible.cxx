/*
   Which numbers a preconditioner may be divided by, and the pass that looks for others.
*/
#include "fused_vectors.hpp"
#include "pass/divisible.hpp"

namespace
{

TEST(Divisible, ZerosAndExtremesAreNot)
{
  const Scalar smallest = std::numeric_limits<Scalar>::min(), largest = std::numeric_limits<Scalar>::max();

  for (Scalar d : {Scalar(1), Scalar(-1), Scalar(1e-6), Scalar(-1e6)}) EXPECT_TRUE(divides_back(d));
  for (Scalar d : {Scalar(0), smallest, -smallest, largest, -largest, std::numeric_limits<Scalar>::infinity(), std::numeric_limits<Scalar>::quiet_NaN()})
    EXPECT_FALSE(divides_back(d));
  for (std::size_t n : sizes) {
    Vector d     = random_vector(n, 4);
    int    found = 0;
    Scalar sums[4];

    for (Scalar &a : d) a += a < 0 ? -1 : 1;
    run_step_host(DivisibleStep(d.data(), &found), n, false, 1, running(), sums);
    EXPECT_EQ(found, 0);
    if (!n) continue;
    d[n - 1] = 0;
    run_step_host(DivisibleStep(d.data(), &found), n, false, 1, running(), sums);
    EXPECT_EQ(found, 1);
  }
}

} // namespace
